// One cell's scenario, over the whole page: what happened, the verdict, the drawing, the text.

const dialog = document.getElementById('cell-dialog');
const tip = document.getElementById('tip');

// Shows `words(i)` beside the i-th element while the mouse is on it, or the keyboard.
function explainOnHover(elements, words) {
  const hide = () => { tip.hidden = true; };
  elements.forEach((element, i) => {
    const show = () => {
      tip.textContent = words(i);
      tip.hidden = false;
      dialog.append(tip);  // only elements inside the dialog are above it
      const box = element.getBoundingClientRect();
      const below = box.bottom + 6 + tip.offsetHeight < window.innerHeight;
      tip.style.top = `${below ? box.bottom + 6 : box.top - tip.offsetHeight - 6}px`;
      const rightmost = window.innerWidth - tip.offsetWidth - 8;
      tip.style.left = `${Math.max(8, Math.min(box.left, rightmost))}px`;
    };
    element.addEventListener('mouseenter', show);
    element.addEventListener('focus', show);
    element.addEventListener('mouseleave', hide);
    element.addEventListener('blur', hide);
  });
  moveByArrows(elements, (index, key) => ({ArrowUp: index - 1, ArrowDown: index + 1}[key]));
}

// The nearest stage before or after that ran this scenario.
function stageBeside(row, column, step) {
  for (let i = column + step; i >= 0 && i < data.stages.length; i += step) {
    if (cellAt(row, i).verdict) return data.stages[i].name;
  }
  return undefined;
}

function stepButton(row, column, step) {
  const name = stageBeside(row, column, step);
  const number = name ? stageWords(name).number : '';
  const button = make('button', '', step < 0 ? say('← stage {}', number) : say('stage {} →', number));
  button.type = 'button';
  button.disabled = !name;
  if (!name) button.textContent = step < 0 ? say('← first') : say('last →');
  const where = `${name}/${data.scenarios[row].name}`;
  button.addEventListener('click', () => { location.hash = where; });
  return button;
}

// A sweep ran at every boundary: chooses the one that is shown.
function boundaryChoice(cell, show) {
  const select = make('select');
  select.id = 'boundary';
  cell.executions.forEach(({boundary, verdict}, i) => {
    const option = make('option', '', `${sign[verdictClass(verdict)]} ${boundary}`);
    option.value = i;
    select.append(option);
  });
  select.value = cell.shown;
  select.addEventListener('change', () => show(cell.executions[select.value]));
  const label = make('label', '', say('The fault falls at: '), select);
  return make('p', '', '', label);
}

function keyTo(words, name) {
  return make('li', '', '', make('span', `key ${name}`), words);
}

function legend() {
  const list = make('ul', 'legend quiet', '');
  list.append(keyTo(say('the client believes that it has the lock'), 'bar'),
              keyTo(say('the client believes so, and is wrong'), 'mistaken'),
              keyTo(say('the lock exists on the server: its owner'), 'owner'),
              keyTo(say('a fault'), 'fault'), keyTo(say('the writes that collided'), 'collided'));
  return list;
}

// Below a drawing: its legend, its text, the command, the diff.
function cellFoot(cell, execution, stage) {
  const text = make('details', '', '',
                    make('summary', '', say('The same as text, as in the terminal')),
                    make('pre', 'text', timelineText(execution)));
  const again = make('p', '', say('Run it on your own machine: '), make('code', '', cell.again));
  const foot = make('div', 'cell-dialog-foot', '', legend(), text, again);
  const diff = data.diffs.find(({to}) => to === stage.name);
  if (diff) {
    const link = make('a', '', say('What {} changed', stage.name));
    link.href = `#diff-${stage.name}`;
    foot.append(make('p', '', '', link));
  }
  return foot;
}

function showExecution(body, cell, execution, stage) {
  const kind = verdictClass(execution.verdict);
  const sentence = `${sign[kind]} ${say(execution.verdict)}${say(': ')}${execution.sentence}`;
  const verdict = make('p', `verdict ${kind}`, sentence);
  const others = execution.findings.slice(1).map(([property, sentence]) =>
    make('p', 'finding', say('also broken, {}: {}', property, sentence)));
  const picture = make('div', 'picture');
  body.replaceChildren(verdict, ...others, picture, cellFoot(cell, execution, stage));
  drawTimeline(picture, execution);
  redraw = () => drawTimeline(picture, execution);
}

let redraw = () => {};
window.addEventListener('resize', () => redraw());

function showDialog() {
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
}

function openCell(row, column) {
  const [stage, scenario, cell] = [data.stages[column], data.scenarios[row], cellAt(row, column)];
  const close = make('button', 'close', say('Close (Esc)'));
  close.type = 'button';
  close.addEventListener('click', () => dialog.close());
  const title = make('h2', '', '', ...breakableName(`${stage.name} · ${scenario.name}`));
  title.id = 'cell-dialog-title';
  const head = make('div', 'cell-dialog-head', '', title, stepButton(row, column, -1),
                    stepButton(row, column, 1), close);
  const body = make('div');
  const show = (execution) => showExecution(body, cell, execution, stage);
  dialog.replaceChildren(head, make('p', '', scenario.sentence));
  const where = `${stage.name}/${scenario.name}`;
  if (isHidden(where)) {
    dialog.append(guessQuestion(where, cell, () => openCell(row, column)));
    showDialog();
    dialog.querySelector('.guess').focus();
    return;
  }
  dialog.append(...guessOutcome(where, cell));
  if (cell.difference) {
    dialog.append(make('p', 'verdict unclear', say('(!) not as declared: {}', cell.difference)));
  }
  if (cell.executions.length > 1) dialog.append(boundaryChoice(cell, show));
  dialog.append(body);
  showDialog();
  show(cell.executions[cell.shown]);
  close.focus();
}

// Moves the focus back to the cell that is shown.
dialog.addEventListener('close', () => {
  redraw = () => {};
  tip.hidden = true;
  const where = addressFragment();
  const cells = [...document.querySelectorAll('.cell, .field-cell')];
  const button = cells.find((cell) => cell.dataset.where === where);
  if (!button) return;
  history.replaceState(null, '', `#${button.closest('section').id}`);
  button.focus();
});
