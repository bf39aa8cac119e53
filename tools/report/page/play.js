// Play the network: each stage and kind of fault is a level (level.js), in which a person chooses
// what happens next. A moment is shown as by `lab step --page` (faults/explore/stepping/moment.js).
//
// The address keeps the steps: #play/STAGE/FAULT/STEP/STEP...; where a level has two faults to spend,
// FAULT ends in "-twice".

function kindOf({faults, during}) {
  return [faults, ...during].join('-');
}

function isTwice({tree}) {
  return tree.bounds.at_most > 1;
}

// Such as "stage 4".
function lockWords({lock}) {
  const {number, words} = stageWords(lock);
  return `${textOf('stage', {stage: number})} (${words})`;
}

// `best` has the fewest steps in which each level was broken.
const play = {level: null, levels: [], tried: [], best: new Map(), view: null, moment: null};

function levelNamed(stage, fault) {
  return play.levels.find((level) => level.stage === stage && level.fault === fault);
}

function levelsOf(trees) {
  const order = Object.keys(texts).filter((key) => /^fault\..*\.about$/.test(key));
  const levels = trees.map((tree) => {
    const ways = waysOf(tree);
    const kind = kindOf(tree.bounds);
    return {tree, ways, least: ways[ways.length - 1].least, kind,
            fault: isTwice({tree}) ? `${kind}-twice` : kind, stage: stageWords(tree.lock).number};
  });
  const place = ({kind, tree}) => 2 * order.indexOf(`fault.${kind}.about`) + tree.bounds.at_most;
  return levels.sort((a, b) => a.stage - b.stage || place(a) - place(b));
}

function faultWords(level) {
  const kind = textOf(`fault.${level.kind}`);
  return isTwice(level) ? textOf('fault.twice', {kind}) : kind;
}

// Tokens are judged wherever a lock hands out any.
function judgedIn({bounds, broken}) {
  const hasTokens = broken.flat().some(({property}) => property === 'rising tokens');
  return hasTokens ? [...bounds.judged, 'rising tokens'] : bounds.judged;
}

function goalText(level) {
  const {tree, kind} = level;
  const goal = textOf(isTwice(level) ? 'goal.twice' : 'goal',
                      {lock: lockWords(tree), about: textOf(`fault.${kind}.about`)});
  if (tree.bounds.judged.length === 0) return goal;
  const judged = judgedIn(tree).map((name) => textOf(`property.${name}`)).join(textOf('or'));
  return goal + textOf('goal.judged', {judged});
}

function boundsText({orders, bounds: {nodes, switches}}) {
  const servers = nodes > 1 ? textOf('servers.many', {count: nodes}) : textOf('servers.one');
  return textOf(switches === null ? 'bounds' : 'bounds.switches', {orders, servers, switches});
}

function levelButton(level, text, isChosen) {
  const button = make('button', '', text);
  button.type = 'button';
  button.setAttribute('aria-pressed', isChosen);
  button.addEventListener('click', () => beginLevel(level));
  return button;
}

function showChoices() {
  const {level, levels} = play;
  const numbers = [...new Set(levels.map(({stage}) => stage))];
  const stages = numbers.map((stage) => levelButton(
      levelNamed(stage, level.fault) || levelNamed(stage, level.kind) ||
          levels.find((other) => other.stage === stage),
      textOf('stage', {stage}), stage === level.stage));
  document.getElementById('play-stages').replaceChildren(textOf('levels.stages'), ...stages);
  const won = (other) => (play.best.has(other) ? ` ✓ ${play.best.get(other)}` : '');
  const faults = levels.filter(({stage}) => stage === level.stage).map((other) => levelButton(
      other, faultWords(other) + won(other), other === level));
  document.getElementById('play-faults').replaceChildren(textOf('levels.faults'), ...faults);
}

function showGoal() {
  const {level, levels} = play;
  const goal = document.getElementById('play-goal');
  goal.replaceChildren(make('p', '', goalText(level)), make('p', 'quiet', boundsText(level.tree)));
  if (level.least !== Infinity) return;
  const others = levels.filter(({stage, least}) => stage === level.stage && least !== Infinity);
  const lock = lockWords(level.tree);
  const cannot = make('p', 'cannot', `${textOf('cannot', {orders: level.tree.orders})} ` +
      textOf(others.length > 0 ? 'cannot.others' : 'cannot.none', {lock}));
  cannot.append(...others.map((other) => levelButton(other, faultWords(other), false)));
  goal.append(cannot);
}

function verdictText({steps, broken, over}) {
  const {level} = play;
  const {holds, breaks} = level.ways[nodesTo(level.tree, steps).pop()];
  if (broken.length > 0) {
    const {least} = level;
    return textOf(steps.length > least ? 'won.longer' : 'won', {steps: steps.length, least});
  }
  if (over) return textOf('held');
  return textOf(breaks === 0 ? 'ways.hold' : holds === 0 ? 'ways.break' : 'ways', {holds, breaks});
}

function faultText({steps}) {
  const {labels} = play.level.tree;
  const isFault = (step) => labels.some(([label, fault]) => fault && label === step);
  const spent = steps.flatMap((step, i) => (isFault(step) ? [i + 1] : []));
  const twice = isTwice(play.level) ? 's' : '';
  return spent.length === 0 ? textOf(`fault${twice}.unspent`) :
      textOf(`fault${twice}.spent`, {count: spent.length, step: spent.join(', ')});
}

function noReturnText({tree, ways}, steps) {
  const found = pointOfNoReturn(tree, ways, steps);
  if (!found) return '';
  if (found.step === 0) return textOf('return.all');
  const others = found.instead.map((other) => say(other)).join(textOf('or'));
  const text = textOf(others ? 'return.instead' : 'return.alone',
                      {step: found.step, label: say(found.label), others});
  return tree.bounds.switches === null ? text : textOf('return.limited', {text});
}

function addressOf({stage, fault}, steps) {
  return `#${['play', stage, fault, ...steps].map(encodeURIComponent).join('/')}`;
}

// As `lab replay` reads it.
function replayCommand({lock, bounds}, steps) {
  const nodes = bounds.nodes > 1 ? [`nodes: ${bounds.nodes}`] : [];
  return ["./lab replay /dev/stdin <<'END'", `lock: ${lock}`, ...nodes, 'steps:', ...steps, 'END']
      .join('\n');
}

function showHints() {
  const {level, moment} = play;
  const events = eventsAfter(level.tree, nodesTo(level.tree, moment.steps).pop());
  const least = d3.min(events, ({node}) => level.ways[node].least);
  document.querySelectorAll('#events button').forEach((button, i) => {
    const {holds, breaks, least: own} = level.ways[events[i].node];
    const next = own === least && own !== Infinity ? textOf('hint.next') : '';
    button.querySelectorAll('.hint').forEach((old) => old.remove());
    const text = textOf('hint.breaks', {breaks, ways: holds + breaks});
    button.append(make('span', 'hint', ` ${text}${next}`));
  });
}

function showMoment(steps) {
  const {level} = play;
  const moment = momentOf(level.tree, steps, play.tried);
  play.moment = moment;
  if (moment.broken.length > 0) {
    play.best.set(level, Math.min(steps.length, play.best.get(level) || Infinity));
  }
  play.view.show(moment);
  const verdict = document.getElementById('play-verdict');
  verdict.textContent = verdictText(moment);
  verdict.className = moment.broken.length > 0 ? 'won' : '';
  document.getElementById('play-fault').textContent = faultText(moment);
  document.getElementById('play-return').textContent = noReturnText(level, steps);
  document.getElementById('play-link').href = addressOf(level, steps);
  document.getElementById('play-command').textContent = replayCommand(level.tree, steps);
  showChoices();
}

// To the moment after these steps; the keys go on to belong to the play if they did.
function goToSteps(steps) {
  const begun = (branch) => branch.every((label, i) => label === steps[i]);
  const isKnown = play.tried.some((branch) => steps.every((label, i) => label === branch[i]));
  if (!isKnown) play.tried = [...play.tried.filter((branch) => !begun(branch)), steps];
  const section = document.getElementById('play');
  const isFocused = section.contains(document.activeElement);
  sayWrong('');
  showMoment(steps);
  history.replaceState(null, '', addressOf(play.level, steps));
  if (isFocused) section.focus({preventScroll: true});  // the button that had it is gone
}

function beginLevel(level) {
  play.level = level;
  play.tried = [[]];
  goToSteps([]);
  showGoal();
}

// The parts of an address, each of which is encoded; null: it cannot be read.
function partsOf(address) {
  try {
    return address.split('/').slice(1).map(decodeURIComponent);
  } catch {
    return null;
  }
}

function sayWrong(text) {
  document.getElementById('play-wrong').textContent = text;
}

// A step that does not fit is named.
function openPlay(address) {
  if (!play.view) return undefined;
  document.getElementById('play').scrollIntoView();
  const parts = partsOf(address);
  if (!parts) return sayWrong(textOf('link.unreadable'));
  const [stage, fault, ...steps] = parts;
  const level = levelNamed(stage, fault);
  if (!level) return sayWrong(textOf('link.no-level', {level: `${stage}/${fault}`}));
  beginLevel(level);
  const fitting = nodesTo(level.tree, steps).length - 1;
  goToSteps(steps.slice(0, fitting));
  const label = steps[fitting];
  return label && sayWrong(textOf('link.wrong', {step: fitting + 1, label}));
}

function drawPlay() {
  const section = document.getElementById('play');
  if (!data.trees) {
    section.remove();
    document.querySelector('nav a[href="#play"]').remove();
    return;
  }
  play.levels = levelsOf(data.trees);
  const drawSteps = (place, {steps}) => {
    place.replaceChildren(stepsTable(play.level.tree, play.level.ways, steps));
  };
  play.view = momentView(goToSteps, {say, drawSteps});
  for (const name of ['hint', 'legend', 'link', 'replay']) {
    document.getElementById(`play-${name}`).textContent = textOf(name);
  }
  document.getElementById('play-hint').addEventListener('click', showHints);
  section.addEventListener('keydown', play.view.press);
  const [first] = play.levels;
  play.level = first;
  play.tried = [[]];
  showGoal();
  showMoment([]);
}
