// Helpers for all parts of the page. Text is only ever inserted as text.
'use strict';

const data = JSON.parse(document.getElementById('data').textContent);

// A line of a drawing, of what packed.h made of it.
function unpackedLine([ms, fault, said]) {
  const unpackedText = ([lane, number, packed, count]) => {
    let us = 1000 * ms;
    const messages = [];
    for (let i = 0; i < packed.length; i += 2) {
      us += packed[i];
      messages.push([us, ...data.repeated[packed[i + 1]]]);
    }
    return [lane, ...data.repeated[number], messages, count];
  };
  return fault ? [ms, fault] : [ms, 0, said.map(unpackedText)];
}

data.cells.flatMap(({executions}) => executions || []).forEach((drawing) => {
  drawing.lines = drawing.lines.map(unpackedLine);
});

const say = sayingIn(data.texts);

// The part of the address behind its #; '' if it cannot be decoded.
function addressFragment() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return '';
  }
}

// An element with a class, a text and children: make('p', 'quiet', 'so', child...).
function make(tag, name = '', text = '', ...children) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  if (text !== '') element.textContent = text;
  element.append(...children);
  return element;
}

// A name that may go on in the next line after each _ and /.
function breakableName(name) {
  const parts = name.split(/(?<=[_/])/);
  return parts.flatMap((part, i) => (i > 0 ? [make('wbr'), part] : [part]));
}

// "stage4_lua_release" -> {number: '4', words: 'lua release'}
function stageWords(name) {
  const [, number, words] = /^stage(\d+)_(.*)$/.exec(name) || [null, '', name];
  return {number, words: words.replaceAll('_', ' ')};
}

function cellAt(row, column) {
  return data.cells[row * data.stages.length + column];
}

// The class for a verdict's colours; the words and signs come from the data.
function verdictClass(verdict) {
  return verdict === 'holds' || verdict === 'violated' ? verdict : 'unclear';
}

const sign = {holds: '✓', violated: '✗', unclear: '?'};

// The Tab key reaches one of `elements`; the arrow keys move on from there, to the index that
// `next(index, key)` returns.
function moveByArrows(elements, next) {
  const choose = (index) => {
    elements.forEach((element, i) => { element.tabIndex = i === index ? 0 : -1; });
  };
  choose(0);
  elements.forEach((element, index) => {
    element.addEventListener('focus', () => choose(index));
    element.addEventListener('keydown', (event) => {
      const to = next(index, event.key);
      if (to === undefined || !elements[to]) return;
      event.preventDefault();
      elements[to].focus();
    });
  });
}
