// The table of stages and scenarios: each cell that was run is a button that opens its timeline.

function stageHeading(stage, column) {
  const {number, words} = stageWords(stage.name);
  const heading = make('th', '', '', make('span', 'number', number), words);
  heading.scope = 'col';
  heading.title = `${stage.name}: ${stage.adds}`;
  heading.dataset.column = column;
  return heading;
}

function cellElement(row, column) {
  const cell = cellAt(row, column);
  const where = `${data.stages[column].name}/${data.scenarios[row].name}`;
  if (!cell.verdict) {
    const empty = make('span', 'no-cell', cell.word);
    empty.title = cell.why || say('not run');
    return make('td', '', '', empty);
  }
  const button = make('button');
  button.type = 'button';
  button.dataset.where = where;
  dressCell(button, where, cell);
  button.addEventListener('click', () => { location.hash = where; });
  return make('td', '', '', button);
}

function rowElement(scenario, row) {
  const heading = make('th', 'scenario', '', ...breakableName(scenario.name));
  heading.scope = 'row';
  heading.title = scenario.sentence;
  const cells = data.stages.map((_, column) => cellElement(row, column));
  return make('tr', '', '', heading, ...cells);
}

// The next button in a direction; cells without a button are skipped.
function neighbourOf(button, key) {
  const td = button.parentElement;
  const columns = [...td.parentElement.children];
  if (key === 'ArrowLeft' || key === 'ArrowRight') {
    const side = columns.slice(0, columns.indexOf(td)).reverse();
    const others = key === 'ArrowLeft' ? side : columns.slice(columns.indexOf(td) + 1);
    return others.map((other) => other.querySelector('button')).find(Boolean);
  }
  const step = {ArrowUp: 'previousElementSibling', ArrowDown: 'nextElementSibling'}[key];
  if (!step) return undefined;
  for (let row = td.parentElement[step]; row; row = row[step]) {
    const other = row.children[columns.indexOf(td)].querySelector('button');
    if (other) return other;
  }
  return undefined;
}

function drawTable() {
  const head = make('tr', '', '', make('th', 'scenario', say('scenario')),
                    ...data.stages.map(stageHeading));
  const table = make('table', 'grid', '', make('thead', '', '', head),
                     make('tbody', '', '', ...data.scenarios.map(rowElement)));
  document.getElementById('grid').append(table);
  const buttons = [...table.querySelectorAll('button')];
  moveByArrows(buttons, (index, key) => {
    const to = buttons.indexOf(neighbourOf(buttons[index], key));
    return to < 0 ? undefined : to;
  });
  document.getElementById('about').textContent =
      say('Made on {}. Open a cell for its timeline: arrow keys move, Enter opens, Esc closes.',
          data.made + (data.from ? say(' from ') + data.from : ''));
  document.getElementById('words').append(...data.words.map((word) => make('li', '', word)));
}
