// Shows one moment of a run (moment.html), and hears what comes next: the page of `lab step`, and
// the report's play in what a search has seen. `goTo(steps)` is called with the labels of the steps
// that lead there. `say` is of language.js; `drawSteps(place, moment)` shows what has happened, without
// it the timeline's text.
//
//   const view = momentView(goTo, {say: sayingIn(texts)});
//   view.show({lock, steps, over, now_ms, events, clients, keys, broken, timeline, tried});
//   document.addEventListener('keydown', view.press);
function showText(place, {timeline}) {
  place.textContent = timeline;
}

function momentView(goTo, {say, drawSteps = showText}) {
  const $ = (id) => document.getElementById(id);
  let moment = {steps: [], events: []};

  const element = (name, text, properties = {}) =>
      Object.assign(document.createElement(name), {textContent: text}, properties);

  const choose = (number) => {
    const event = moment.events[number];
    if (event) goTo([...moment.steps, event.label]);
  };
  const back = () => { if (moment.steps.length > 0) goTo(moment.steps.slice(0, -1)); };

  function showEvents() {
    const rows = moment.events.map((event, i) => {
      const button = element('button', '', {type: 'button', onclick: () => choose(i)});
      if (event.fault) button.className = 'fault';
      button.append(element('kbd', i < 9 ? i + 1 : ''), ` ${say(event.label)}`, event.fault ? say(' (a fault)') : '');
      const row = element('li', '');
      row.append(button);
      return row;
    });
    $('events').replaceChildren(...rows);
    if (moment.over) $('events').replaceChildren(element('li', say('The run has ended: go back, or to another branch.')));
  }

  // Such as "done: released", or "frozen in acquire": words, then an outcome or an operation.
  function inWords(state) {
    const [, words, rest] = /^(done: |(?:frozen |cut off )*in )(.*)$/.exec(state) || ['', state, ''];
    return say(words) + rest;
  }

  function showBeliefs() {
    $('clients').replaceChildren(...(moment.clients || []).map(({name, state, believes}) => element(
        'div', `${name}${say(': ')}${inWords(state)}${believes ? say('; it believes that it holds the lock') : ''}`,
        {className: believes ? 'believes' : ''})));
    const keys = (moment.keys || []).map(({server, name, value, owner, ends_in_ms: left}) => element(
        'div', `${server}${say(': ')}${name} = ${value.length > 14 ? value.slice(0, 6) + '…' : value}` +
            (owner ? say(', set by {}', owner) : '') +
            (left === null ? '' : say(', ends in {} ms', left))));
    $('keys').replaceChildren(...(keys.length ? keys : [element('div', moment.over ? '' : say('nothing'))]));
    $('broken').replaceChildren(...moment.broken.map(({property, sentence}) =>
        element('div', say(property) + say(': ') + say(sentence))));
    $('light').textContent = moment.broken.length ? say('broken: {}', say(moment.broken[0].property))
                                                  : say('nothing is broken so far');
    $('light').className = moment.broken.length ? 'broken' : '';
  }

  // Branches with the same beginning share it: {label, path, next: [...]}.
  function treeOf(branches) {
    const root = {path: [], next: []};
    for (const branch of branches) {
      let node = root;
      branch.forEach((label, i) => {
        let child = node.next.find((one) => one.label === label);
        if (!child) node.next.push(child = {label, path: branch.slice(0, i + 1), next: []});
        node = child;
      });
    }
    return root;
  }

  // A node and all that follow it alone stand in one row; where branches part, each is a list item.
  function drawn(node) {
    const item = element('li', '');
    for (;;) {
      const {path} = node;
      const here = path.length === moment.steps.length && path.every((label, i) => label === moment.steps[i]);
      item.append(element('button', say(node.label || 'the beginning'),
                          {type: 'button', onclick: () => goTo(path), className: here ? 'here' : ''}));
      if (node.next.length !== 1) break;
      node = node.next[0];
    }
    if (node.next.length > 0) {
      const list = element('ul', '');
      list.append(...node.next.map(drawn));
      item.append(list);
    }
    return item;
  }

  function show(next) {
    moment = next;
    $('lock').textContent = moment.lock;
    $('when').textContent = say('after step {}', moment.steps.length) +
        (moment.over ? say(', the end') : ` · ${moment.now_ms} ms`);
    showEvents();
    showBeliefs();
    drawSteps($('timeline'), moment);
    $('timeline').scrollTop = $('timeline').scrollHeight;
    const list = element('ul', '');
    list.append(drawn(treeOf(moment.tried)));
    $('tree').replaceChildren(list);
  }

  function press(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const onButton = document.activeElement instanceof HTMLButtonElement;
    if (/^[1-9]$/.test(event.key)) choose(Number(event.key) - 1);
    else if (event.key === 'Backspace') back();
    else if (event.key === 'Home') goTo([]);
    else if (event.key === 'Enter' && !onButton) choose(0);
    else return;
    event.preventDefault();
  }

  $('back').onclick = back;
  $('beginning').onclick = () => goTo([]);
  return {show, press};
}
