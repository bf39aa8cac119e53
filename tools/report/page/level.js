// A level of the play: every order of a search (faults/explore/stepping/explored_tree.h), what can
// be seen at each step, and how many ways on hold or break.

// For each node: how many orders below it hold, how many break a property, and in how many steps
// the shortest of these does. Those that follow a node come before it in the list.
function waysOf({nodes}) {
  const ways = [];
  for (const [, , broken, ...next] of nodes) {
    const following = next.filter((_, i) => i % 2 === 1).map((node) => ways[node]);
    const sum = (count) => (next.length === 0 ? 1 : d3.sum(following, count));
    const all = sum(({holds, breaks}) => holds + breaks);
    const holds = broken >= 0 ? 0 : next.length === 0 ? 1 : d3.sum(following, (way) => way.holds);
    const least = broken >= 0 ? 0 : 1 + d3.min([Infinity, ...following.map((way) => way.least)]);
    ways.push({holds, breaks: all - holds, least});
  }
  return ways;
}

// {label, fault, node} of each event that can follow.
function eventsAfter({nodes, labels}, node) {
  const events = [];
  for (let i = 3; i < nodes[node].length; i += 2) {
    const [label, fault] = labels[nodes[node][i]];
    events.push({label, fault, node: nodes[node][i + 1]});
  }
  return events;
}

// The nodes from the root on, by these labels; it ends before a label that cannot follow.
function nodesTo(tree, steps) {
  const nodes = [tree.nodes.length - 1];
  for (const step of steps) {
    const event = eventsAfter(tree, nodes[nodes.length - 1]).find(({label}) => label === step);
    if (!event) break;
    nodes.push(event.node);
  }
  return nodes;
}

function seenAt(tree, node) {
  const [clients, servers] = tree.moments[tree.nodes[node][1]];
  return {clients: clients.map((place) => tree.clients[place]),
          keys: tree.servers[servers].map((place) => tree.keys[place])};
}

// What moment.js shows after these steps. Where a property is broken, the run is over.
function momentOf(tree, steps, tried) {
  const node = nodesTo(tree, steps).pop();
  const [now, , broken] = tree.nodes[node];
  const events = broken < 0 ? eventsAfter(tree, node) : [];
  return {lock: tree.lock, steps, tried, over: events.length === 0, now_ms: now, events,
          broken: broken < 0 ? [] : tree.broken[broken], ...seenAt(tree, node)};
}

// The first step after which every way breaks, counted from 1 (0: the beginning), and the events in
// its place after which some way holds; null: some way holds still.
function pointOfNoReturn(tree, ways, steps) {
  const nodes = nodesTo(tree, steps);
  const step = nodes.findIndex((node) => ways[node].holds === 0);
  if (step < 0) return null;
  const instead = step === 0 ? [] : eventsAfter(tree, nodes[step - 1])
      .filter(({fault, node}) => !fault && ways[node].holds > 0).map(({label}) => label);
  return {step, label: steps[step - 1], instead};
}
