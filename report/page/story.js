// One cell's story, over the whole page: what happened, the verdict, the drawing, the text.

const dialog = document.getElementById('story');
const tip = document.getElementById('tip');

// Shows `words(i)` beside the i-th element while the mouse is on it, or the keyboard.
function explainOnHover(elements, words) {
  const hide = () => { tip.hidden = true; };
  elements.forEach((element, i) => {
    const show = () => {
      tip.textContent = words(i);
      tip.hidden = false;
      dialog.append(tip);  // above the dialog, only what is in it is seen
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

// The nearest stage before or after that has this story.
function stageBeside(row, column, step) {
  for (let i = column + step; i >= 0 && i < data.stages.length; i += step) {
    if (cellAt(row, i).verdict) return data.stages[i].name;
  }
  return undefined;
}

function stepButton(row, column, step) {
  const name = stageBeside(row, column, step);
  const number = name ? stageWords(name).number : '';
  const button = make('button', '', step < 0 ? `← stage ${number}` : `stage ${number} →`);
  button.type = 'button';
  button.disabled = !name;
  if (!name) button.textContent = step < 0 ? '← first' : 'last →';
  const where = `${name}/${data.scenarios[row].name}`;
  button.addEventListener('click', () => { location.hash = where; });
  return button;
}

// A sweep was told at every boundary: which one is shown.
function boundaryChoice(cell, show) {
  const select = make('select');
  select.id = 'boundary';
  cell.tellings.forEach(({boundary, verdict}, i) => {
    const option = make('option', '', `${sign[verdictClass(verdict)]} ${boundary}`);
    option.value = i;
    select.append(option);
  });
  select.value = cell.shown;
  select.addEventListener('change', () => show(cell.tellings[select.value]));
  const label = make('label', '', 'The fault falls at: ', select);
  return make('p', '', '', label);
}

function keyTo(words, name) {
  return make('li', '', '', make('span', `key ${name}`), words);
}

function legend() {
  const list = make('ul', 'legend quiet', '');
  list.append(keyTo('the client believes that it has the lock', 'bar'),
              keyTo('believes so, and it is not so', 'mistaken'),
              keyTo('the server has the lock, and whose', 'owner'),
              keyTo('a fault', 'fault'), keyTo('the writes that collided', 'collided'));
  return list;
}

// What can be asked for below a drawing.
function storyFoot(cell, telling, stage) {
  const text = make('details', '', '', make('summary', '', 'The same as text, as in the terminal'),
                    make('pre', 'text', timelineText(telling)));
  const again = make('p', '', 'Again, on your own machine: ', make('code', '', cell.again));
  const foot = make('div', 'story-foot', '', legend(), text, again);
  const diff = data.diffs.find(({to}) => to === stage.name);
  if (diff) {
    const link = make('a', '', `What ${stage.name} changed`);
    link.href = `#diff-${stage.name}`;
    foot.append(make('p', '', '', link));
  }
  return foot;
}

function showTelling(body, cell, telling, stage) {
  const kind = verdictClass(telling.verdict);
  const sentence = `${sign[kind]} ${telling.verdict}: ${telling.sentence}`;
  const verdict = make('p', `verdict ${kind}`, sentence);
  const others = telling.findings.slice(1).map(([property, sentence]) =>
    make('p', 'finding', `also broken, ${property}: ${sentence}`));
  const picture = make('div', 'picture');
  body.replaceChildren(verdict, ...others, picture, storyFoot(cell, telling, stage));
  drawTimeline(picture, telling);
  redraw = () => drawTimeline(picture, telling);
}

let redraw = () => {};
window.addEventListener('resize', () => redraw());

function openStory(row, column) {
  const [stage, scenario, cell] = [data.stages[column], data.scenarios[row], cellAt(row, column)];
  const close = make('button', 'close', 'Close (Esc)');
  close.type = 'button';
  close.addEventListener('click', () => dialog.close());
  const title = make('h2', '', `${stage.name} · ${scenario.name}`);
  title.id = 'story-title';
  const head = make('div', 'story-head', '', title, stepButton(row, column, -1),
                    stepButton(row, column, 1), close);
  const body = make('div');
  const show = (telling) => showTelling(body, cell, telling, stage);
  dialog.replaceChildren(head, make('p', '', scenario.sentence));
  if (cell.difference) {
    dialog.append(make('p', 'verdict unclear', `(!) not as declared: ${cell.difference}`));
  }
  if (cell.tellings.length > 1) dialog.append(boundaryChoice(cell, show));
  dialog.append(body);
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
  show(cell.tellings[cell.shown]);
  close.focus();
}

// Back to the cell that it was opened from, which also is the last that was looked at.
dialog.addEventListener('close', () => {
  redraw = () => {};
  tip.hidden = true;
  const where = whereTheAddressSays();
  const cells = [...document.querySelectorAll('.cell')];
  const button = cells.find((cell) => cell.dataset.where === where);
  if (!button) return;
  history.replaceState(null, '', '#table');
  button.focus();
});
