// With `./lab report --hide-verdicts`: each verdict is hidden until the reader has guessed it.

const guesses = new Map();  // STAGE/SCENARIO → 'holds' or 'violated'

function isHidden(where) {
  return Boolean(data.hides_verdicts) && !guesses.has(where);
}

// Shows the cell's word in the table, or a question mark.
function dressCell(button, where, cell) {
  const hidden = isHidden(where);
  button.className = `cell ${hidden ? 'hidden' : verdictClass(cell.verdict)}`;
  button.textContent = hidden ? '?' : cell.word;
  button.title = hidden ? '' : cell.sentence;
  const said = hidden ? say('not guessed yet') : `${say(cell.verdict)}. ${cell.word}`;
  button.setAttribute('aria-label', `${where.replace('/', ', ')}: ${said}`);
}

function guessButton(words, guess, where, cell, then) {
  const button = make('button', 'guess', words);
  button.type = 'button';
  button.addEventListener('click', () => {
    guesses.set(where, guess);
    dressCell(document.querySelector(`.cell[data-where="${where}"]`), where, cell);
    then();
  });
  return button;
}

// Asks what comes of a cell, and calls `then` when it was guessed.
function guessQuestion(where, cell, then) {
  return make('div', '', '', make('p', 'verdict', say('What will come of it?')),
              guessButton(say('It holds'), 'holds', where, cell, then),
              guessButton(say('A property is violated'), 'violated', where, cell, then));
}

// What was guessed, and how often it was right so far; nothing where no verdict is hidden.
function guessOutcome(where, cell) {
  if (!guesses.has(where)) return [];
  const right = [...guesses].filter(([place, guess]) => guess === cellNamed(place).verdict).length;
  const words = say('You said "{}": {}. {} of {} right so far.', say(guesses.get(where)),
                    guesses.get(where) === cell.verdict ? say('right') : say('it came otherwise'),
                    right, guesses.size);
  return [make('p', 'finding', words)];
}

function cellNamed(where) {
  const [stage, scenario] = where.split('/');
  return cellAt(data.scenarios.findIndex(({name}) => name === scenario),
                data.stages.findIndex(({name}) => name === stage));
}

// The chart counts what each stage survives, and the legend is of no use yet.
function hideWhatTells() {
  if (!data.hides_verdicts) return;
  document.getElementById('price').hidden = true;
  document.querySelector('nav a[href="#price"]').hidden = true;
}
