// Other people's locks: the field report's table, and what it tells of each red cell.

function fieldWhere(lock, scenario) {
  return `field:${lock.name}:${scenario}`;
}

function fieldCellElement(cell, lock, scenario) {
  if (!cell.again) {
    const empty = make('span', cell.sign === '✓' ? 'stood' : 'no-cell', cell.sign);
    if (cell.why) empty.title = cell.why;
    return make('td', '', '', empty);
  }
  const button = make('button', 'field-cell', cell.sign);
  button.type = 'button';
  button.title = cell.sentence;
  button.dataset.where = fieldWhere(lock, scenario);
  button.setAttribute('aria-label', `${lock.name}, ${scenario}: ${say('violated')}. ${cell.sentence}`);
  button.addEventListener('click', () => { location.hash = button.dataset.where; });
  return make('td', '', '', button);
}

function fieldRow({scenario, sentence, cells}) {
  const heading = make('th', 'scenario', '', ...breakableName(scenario));
  heading.scope = 'row';
  heading.title = sentence;
  return make('tr', '', '', heading,
              ...cells.map((cell, i) => fieldCellElement(cell, data.field.locks[i], scenario)));
}

function fieldHeading(lock) {
  const heading = make('th', 'lock', '', make('span', '', lock.name));
  heading.scope = 'col';
  heading.title = lock.says;
  return heading;
}

// Opens the cell of an address "field:LOCK:SCENARIO"; false: there is none, or it is not red.
function openFieldCell(where) {
  const [, name, scenario] = where.split(':');
  const column = data.field ? data.field.locks.findIndex((lock) => lock.name === name) : -1;
  const row = column < 0 ? undefined : data.field.rows.find((one) => one.scenario === scenario);
  const cell = row && row.cells[column];
  if (!cell || !cell.again) return false;
  const close = make('button', 'close', say('Close (Esc)'));
  close.type = 'button';
  close.addEventListener('click', () => dialog.close());
  const title = make('h2', '', '', ...breakableName(`${name} · ${scenario}`));
  title.id = 'cell-dialog-title';
  const told = [
    [cell.at, ''], [cell.not_always, ''], [cell.because, say('In its source: ')],
    [cell.documented || say('No passage of its documentation is known that says so.'),
     cell.documented ? say('Documented: ') : ''],
  ].filter(([text]) => text).map(([text, before]) => make('p', '', before + text));
  dialog.replaceChildren(
      make('div', 'cell-dialog-head', '', title, close), make('p', '', row.sentence),
      make('p', 'verdict violated', `✗ ${cell.sentence}`), ...told,
      make('p', 'quiet', data.field.locks[column].says),
      make('p', '', say('Run it on your own machine: '), make('code', '', cell.again)));
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
  close.focus();
  return true;
}

function drawField() {
  if (!data.field) {
    document.getElementById('field').remove();
    document.querySelector('nav a[href="#field"]').remove();
    return;
  }
  const {made, locks, rows} = data.field;
  const head = make('tr', '', '', make('th', 'scenario', say('scenario')), ...locks.map(fieldHeading));
  const table = make('table', 'field-grid', '', make('thead', '', '', head),
                     make('tbody', '', '', ...rows.map(fieldRow)));
  document.getElementById('locks').append(table);
  document.getElementById('field-about').textContent = say(
      '{} ✓: every property stood; ✗: one was violated, open it; d: its documentation says so; ' +
      '·: not promised; –: does not apply; ?: cannot be judged; ○: showed nothing; □: not run. ' +
      'A ✗ is a fact about one version with its settings, not the word bug.', made);
}
