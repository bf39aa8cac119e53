// The steps of a run as a table that grows with each: how many ways on hold and break, what each
// client does and believes, and what the servers have.

// {place: a client's name or 'servers', text}
function placeOf(label, clients) {
  const [, who, what] = /^([^:]+): (.*)$/.exec(label);
  const timer = /^to (\w+)'s next timer/.exec(what);
  if (timer) return {place: timer[1], text: '…'};
  const words = say(label).replace(/^[^:：]+(: |：)/, '');
  if (who === 'time') return {place: 'servers', text: `… ${words}`};
  if (!clients.includes(who)) return {place: 'servers', text: say(label)};
  const message = /^(send|reply) (.*)/.exec(what);
  const text = !message ? words : message[1] === 'send' ? `${message[2]} →` : `← ${message[2]}`;
  return {place: who, text: text.replace('.', '.\u200b')};  // a small screen may break it there
}

// A client believes something else than most of the servers say.
function isMistaken({name, believes}, keys, servers) {
  const own = keys.filter(({owner}) => owner === name).length;
  return believes && 2 * own <= servers;
}

function laneOf(name, clients) {
  return `lane-${clients.indexOf(name) < 0 ? 4 : clients.indexOf(name)}`;
}

function clientCell(client, event, keys, tree, names) {
  const stillness = /^(dead|frozen|cut off)/.exec(client.state);
  const belief = isMistaken(client, keys, tree.bounds.nodes) ? 'mistaken' : 'believes';
  return make('td', [laneOf(client.name, names), client.believes ? belief : '',
                     stillness ? 'still' : ''].join(' '),
              event || (stillness ? `(${say(stillness[1])})` : ''));
}

function serversCell(keys, tree, names, event) {
  const held = keys.filter(({owner}) => owner);
  const marks = held.map(({server, owner, ends_in_ms: left}) => make(
      'span', `owner ${laneOf(owner, names)}`,
      `${tree.bounds.nodes > 1 ? `${server.replace('node', '')}: ` : ''}${owner}` +
          (left === null || tree.bounds.nodes > 1 ? '' : ` ${left} ms`)));
  const cell = make('td', 'servers');
  if (event) cell.append(make('div', '', event));
  cell.append(...(marks.length > 0 ? marks : [make('span', 'quiet', textOf('no.lock'))]));
  return cell;
}

// The share of the ways on that breaks, as a bar, with the numbers.
function waysCell({holds, breaks}) {
  const cell = make('td', holds === 0 ? 'ways none-holds' : 'ways');
  cell.style.setProperty('--breaks', `${(100 * breaks) / (holds + breaks)}%`);
  cell.setAttribute('aria-label', textOf('column.ways', {holds, breaks}));
  cell.title = textOf('column.ways', {holds, breaks});
  cell.append(make('span', 'holds', `✓${holds}`), ' ', make('span', 'breaks', `✗${breaks}`));
  return cell;
}

function stepRow({tree, ways, steps, nodes, names, noReturn}, i) {
  const {clients, keys} = seenAt(tree, nodes[i]);
  const label = i > 0 ? steps[i - 1] : '';
  const {place, text} = i > 0 ? placeOf(label, names) : {};
  const fault = tree.labels.some(([other, isFault]) => isFault && other === label);
  const event = fault ? `⚡ ${text}` : text;
  const isNoReturn = noReturn && noReturn.step === i;
  const row = make('tr', `${fault ? 'fault' : ''} ${isNoReturn ? 'no-return' : ''}`, '',
                   make('th', '', i), waysCell(ways[nodes[i]]));
  row.title = say(label);
  row.append(...clients.map((client) => clientCell(
                 client, place === client.name ? event : '', keys, tree, names)),
             serversCell(keys, tree, names, place === 'servers' ? event : ''));
  return row;
}

function stepsTable(tree, ways, steps) {
  const nodes = nodesTo(tree, steps);
  const names = seenAt(tree, nodes[0]).clients.map(({name}) => name);
  const noReturn = pointOfNoReturn(tree, ways, steps);
  const head = make('tr', '', '', ...[textOf('step'), textOf('ways.on'), ...names, textOf('servers')]
      .map((text) => make('th', laneOf(text, names), text)));
  const table = make('table', 'steps', '', make('thead', '', '', head));
  const body = make('tbody');
  body.append(...nodes.map((_, i) => stepRow({tree, ways, steps, nodes, names, noReturn}, i)));
  table.append(body);
  return table;
}
