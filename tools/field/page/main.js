// The table of all locks, and the filters over it. The address opens a lock: #redis-py.

const filters = document.getElementById('filters');
const open = new Set();

function labelled(text, control) {
  return make('label', '', '', ...(control.type === 'checkbox' ? [control, ` ${text}`] :
                                                                [`${text} `, control]));
}

function choice(field, names) {
  const select = make('select', '', '', new Option(words.page.any, ''));
  select.name = field;
  for (const value of [...new Set(data.locks.map((lock) => lock[field]))].sort()) {
    select.append(new Option(names[value] || value, value));
  }
  return labelled(words.page[field], select);
}

function checkbox(name) {
  const box = make('input');
  box.type = 'checkbox';
  box.name = name;
  return labelled(words.page[name], box);
}

function drawFilters() {
  const search = make('input');
  search.type = 'search';
  search.name = 'search';
  filters.append(labelled(words.page.search, search), choice('language', words.languages),
                 choice('server', words.servers),
                 ...[...Object.keys(qualities), 'variants'].map(checkbox));
  for (const event of ['input', 'change']) filters.addEventListener(event, drawLocks);
  filters.addEventListener('submit', (event) => event.preventDefault());
}

const qualities = {
  renews: (lock) => lock.renews,
  tells: (lock) => lock.tells !== 'never',
  fencing: (lock) => lock.fencing,
};

// Has all that is chosen. A variant is shown if that is asked for, or if its lock has not.
function isChosen(lock) {
  const chosen = new FormData(filters);
  const text = chosen.get('search').trim().toLowerCase();
  const wanted = Object.keys(qualities).filter((name) => chosen.has(name));
  const hasAll = (one) => wanted.every((name) => qualities[name](one));
  const base = data.locks.find(({name}) => name === lock.base);
  return (!text || `${lock.name} ${lock.says}`.toLowerCase().includes(text)) &&
      ['language', 'server'].every((field) => !chosen.get(field) ||
                                              chosen.get(field) === lock[field]) &&
      hasAll(lock) &&
      (!isVariant(lock) || chosen.has('variants') || open.has(lock.name) || !hasAll(base));
}

function groupRow(language) {
  const heading = make('th', '', words.languages[language] || language);
  heading.colSpan = data.classes.length;
  return make('tr', 'group', '', heading);
}

function toggle({name}) {
  if (!open.delete(name)) open.add(name);
  drawLocks();
  document.getElementById(name)?.querySelector('button').focus();
}

function drawLocks() {
  const shown = data.locks.filter(isChosen);
  const head = make('tr', '', '', make('th', '', words.lock),
                    ...data.classes.filter((name) => name !== 'behaviour').map((name) => {
    const heading = make('th', '', words.classes[name].name);
    heading.title = words.classes[name].means;
    return heading;
  }));
  const rows = shown.flatMap((lock, i) => [
    ...(i > 0 && shown[i - 1].language === lock.language ? [] : [groupRow(lock.language)]),
    ...rowsOf(lock, open.has(lock.name), () => toggle(lock)),
  ]);
  document.getElementById('locks').replaceChildren(make('thead', '', '', head),
                                                   make('tbody', '', '', ...rows));
  document.getElementById('count').textContent = shown.length === 0 ? words.page.none :
      worded(words.page.shown, {count: shown.length, all: data.locks.length});
}

function drawLegend() {
  const states = Object.entries(words.states).map(([state, {sign, name, means}]) =>
      make('li', state, '', make('span', 'mark', sign), `${name}: ${means}`));
  const classes = data.classes.map((key) => {
    const {name, means} = words.classes[key];
    return make('li', '', `${name}: ${means}`);
  });
  document.getElementById('legend').append(make('summary', '', words.page.legend),
                                           make('ul', 'cells', '', ...states),
                                           make('ul', '', '', ...classes));
}

// The part of the address after its #; '' if it cannot be decoded.
function addressFragment() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return '';
  }
}

function followAddress() {
  const name = addressFragment();
  if (!data.locks.some((lock) => lock.name === name)) return;
  open.add(name);
  drawLocks();
  document.getElementById(name)?.scrollIntoView();
}

document.documentElement.lang = words.lang;
document.title = words.title;
document.getElementById('title').textContent = words.title;
document.getElementById('made').textContent = data.made;
document.getElementById('note').textContent = data.note;
drawFilters();
drawLocks();
drawLegend();
window.addEventListener('hashchange', followAddress);
followAddress();
