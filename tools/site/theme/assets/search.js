// Finds words in window.searchIndex: [address, title, text] of each section of the site.
'use strict';

(() => {
  const form = document.forms.namedItem('find');
  if (!form) return;
  const toggle = document.getElementById('__search');
  const list = document.getElementById('found');
  const count = document.getElementById('found-count');
  const most = 40;
  const around = 60;  // letters that are shown before the first word that was found
  const base = JSON.parse(document.getElementById('__config').textContent).base;

  const small = (text) => text.toLowerCase();
  const isHere = ([address]) => {
    const chinese = /(\.zh\.html|^docs\/zh\/)/.test(address);
    return chinese === (document.documentElement.lang !== 'en');
  };

  // How well a section fits; 0: not at all. Every word has to be in it.
  function fit(entry, words) {
    const [, title, text] = entry.map(small);
    let sum = 0;
    for (const word of words) {
      const inTitle = title.includes(word);
      if (!inTitle && !text.includes(word)) return 0;
      sum += (inTitle ? 20 : 0) + Math.min(5, text.split(word).length - 1);
    }
    return sum + (isHere(entry) ? 40 : 0);
  }

  function marked(text, words) {
    const piece = document.createDocumentFragment();
    let rest = text;
    while (rest) {
      const places = words.map((word) => [small(rest).indexOf(word), word.length])
          .filter(([place]) => place >= 0).sort(([a], [b]) => a - b);
      if (places.length === 0) break;
      const [place, length] = places[0];
      const mark = document.createElement('mark');
      mark.textContent = rest.slice(place, place + length);
      piece.append(rest.slice(0, place), mark);
      rest = rest.slice(place + length);
    }
    piece.append(rest);
    return piece;
  }

  function item([address, title, text], words) {
    const first = Math.max(0, Math.min(...words.map((word) => small(text).indexOf(word))
        .filter((place) => place >= 0), text.length) - around);
    const from = first < text.length ? first : 0;
    const link = document.createElement('a');
    link.className = 'md-search-result__link';
    link.href = `${base}/${address}`;
    const article = document.createElement('article');
    article.className = 'md-search-result__article';
    const heading = document.createElement('h2');
    heading.className = 'md-search-result__title';
    heading.append(marked(title, words));
    const teaser = document.createElement('p');
    teaser.className = 'md-search-result__teaser';
    teaser.append(from > 0 ? '… ' : '', marked(text.slice(from, from + 200), words));
    article.append(heading, teaser);
    link.append(article);
    link.addEventListener('click', () => { toggle.checked = false; });
    const entry = document.createElement('li');
    entry.className = 'md-search-result__item';
    entry.append(link);
    return entry;
  }

  function find() {
    const words = small(form.query.value).split(/[\s，。、]+/).filter((word) => word);
    const found = words.length === 0 ? [] : window.searchIndex
        .map((entry) => [fit(entry, words), entry]).filter(([sum]) => sum > 0)
        .sort(([a], [b]) => b - a).map(([, entry]) => entry);
    list.replaceChildren(...found.slice(0, most).map((entry) => item(entry, words)));
    count.textContent = words.length === 0 ? '' : `${found.length}`;
  }

  form.query.addEventListener('input', find);
  form.query.addEventListener('focus', () => { toggle.checked = true; });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const first = list.querySelector('a');
    if (first) first.click();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      toggle.checked = false;
      form.query.blur();
    } else if (event.key === '/' && !/INPUT|TEXTAREA|SELECT/.test(document.activeElement.tagName)) {
      event.preventDefault();
      form.query.focus();
    }
  });
})();
