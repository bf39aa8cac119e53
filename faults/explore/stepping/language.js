// A page in its reader's language. `texts` is {"English": "translation"}, or nothing: English.

// Returns say(english, ...parts): the text with `parts` in place of its gaps {}; a translation may
// number them, from {0} on. What has no translation stays as it is.
function sayingIn(texts) {
  return (english, ...parts) => {
    const text = (texts && texts[english]) || english;
    let next = 0;
    return text.replace(/\{(\d*)\}/g, (_, place) => parts[place === '' ? next++ : Number(place)]);
  };
}

// Puts the texts of the page's HTML into the language.
function translatePage(say) {
  if (say('en') === 'en') return;
  document.documentElement.lang = say('en');
  document.title = say(document.title);
  const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
    const words = node.data.trim().replace(/\s+/g, ' ');
    if (node.parentElement.tagName !== 'SCRIPT' && words) node.data = say(words);
  }
}
