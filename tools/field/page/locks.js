// One lock: its row in the table, and what is behind it. Text is only ever inserted as text.
'use strict';

const data = JSON.parse(document.getElementById('data').textContent);
const {words} = data;

// An element with a class, a text and children: make('p', 'quiet', 'so', child...).
function make(tag, name = '', text = '', ...children) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  if (text !== '') element.textContent = text;
  element.append(...children);
  return element;
}

// A sentence of the words with its {places} filled in.
function worded(sentence, places) {
  return sentence.replace(/\{(\w+)\}/g, (place, name) => places[name] ?? place);
}

function isVariant(lock) {
  return lock.base !== lock.name;
}

function isViolated(cell) {
  return cell.state === 'violated' || cell.state === 'documented';
}

function classCell({figure, worst}) {
  const isClean = !worst && /^(\d+)\/\1$/.test(figure);
  return make('td', isClean ? 'clean' : '', figure, ...(worst ? [make('span', 'worst', worst)] : []));
}

function passages(list) {
  return make('ul', '', '', ...list.map((each) => make('li', '', worded(words.page.passage, each))));
}

// What runs with a shortened lease say, if they say otherwise.
function shortened(cell) {
  return cell.shortened ? worded(words.page.shortened, {text: cell.shortened}) : '';
}

function violation(cell) {
  const more = [
    cell.at, cell.not_always,
    cell.because && worded(words.page.because, {text: cell.because}),
    cell.documented ? worded(words.page.documented, {text: cell.documented}) :
                      words.page.not_documented,
    shortened(cell),
  ].filter(Boolean).map((text) => make('p', '', text));
  const heading = make('p', cell.state, '', make('span', 'mark', cell.sign),
                       make('code', '', cell.scenario), ` ${cell.sentence}`);
  const timeline = make('details', '', '', make('summary', '', words.page.timeline),
                        make('pre', '', cell.timeline));
  return make('li', '', '', heading, make('p', 'quiet', data.scenarios[cell.scenario]), ...more,
              make('p', '', `${words.page.again} `, make('code', '', cell.again)), timeline);
}

// One scenario in the list of all: its sign, and why.
function stateOf(cell) {
  const line = make('li', cell.state, '', make('span', 'mark', cell.sign),
                    make('code', '', cell.scenario));
  const {name} = words.states[cell.state];
  line.title = [name, cell.why, cell.left_out].filter(Boolean).join(': ');
  const more = [cell.why, isViolated(cell) ? '' : shortened(cell)].filter(Boolean).join(' ');
  line.append(more ? make('span', 'quiet', ` ${more}`) : '');
  return line;
}

function aboutLock(lock) {
  const red = lock.cells.filter(isViolated);
  return make(
      'td', 'about', '', make('p', '', lock.says),
      make('h3', '', words.page.promises),
      lock.promises.length ? passages(lock.promises) : make('p', '', words.page.no_promises),
      make('h3', '', words.page.red),
      red.length ? make('ul', 'red', '', ...red.map(violation)) :
                   make('p', '', words.page.no_red),
      make('h3', '', words.page.cells), make('ul', 'cells', '', ...lock.cells.map(stateOf)));
}

// The row of a lock, and below it the row that its name opens.
function rowsOf(lock, isOpen, toggle) {
  const button = make('button', '', lock.name);
  button.type = 'button';
  button.setAttribute('aria-expanded', String(isOpen));
  button.addEventListener('click', toggle);
  const heading = make('th', '', '', button);
  heading.scope = 'row';
  const row = make('tr', 'lock', '', heading, ...lock.classes.map(classCell));
  row.id = lock.name;
  if (!isOpen) return [row];
  const about = aboutLock(lock);
  about.colSpan = lock.classes.length + 1;
  return [row, make('tr', 'open', '', about)];
}
