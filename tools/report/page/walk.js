// A walk through a tree of orders that a search has seen (faults/explore/stepping/explored_tree.h), shown
// as `lab step --page` shows a run (faults/explore/stepping/moment.js).

// The nodes from the root on, by these labels.
function nodesTo(tree, steps) {
  const nodes = [tree.root];
  for (const step of steps) {
    const following = nodes[nodes.length - 1][4];
    nodes.push(following.find(([label]) => tree.labels[label][0] === step));
  }
  return nodes;
}

function seenAt(tree, [clients, keys]) {
  return {clients: clients.map((place) => tree.clients[place]), keys: tree.keys[keys]};
}

function momentOf(tree, steps, tried) {
  const [, now, moment, broken, following] = nodesTo(tree, steps).pop();
  return {
    lock: tree.lock, steps, tried, over: following.length === 0, now_ms: now,
    broken: broken < 0 ? [] : tree.broken[broken],
    events: following.map(([label]) => ({label: tree.labels[label][0], fault: tree.labels[label][1]})),
    timeline: steps.map((label, i) => `${i + 1}  ${label}`).join('\n'),
    ...(moment < 0 ? {} : seenAt(tree, tree.moments[moment])),
  };
}

function faultsText({faults, during}) {
  return during.length > 0 ? `${faults} in ${during.join(', ')}` : faults;
}

function searchedText({bounds, orders}) {
  const judged = bounds.judged.length > 0 ? `; judged: ${bounds.judged.join(', ')}` : '';
  return `${bounds.clients} clients, at most ${bounds.at_most} of: ${faultsText(bounds)}${judged}. ` +
      `There are ${orders} orders.`;
}

// A walk in that section; `begin` shows the first moment of a tree. Keys belong to the walk while the
// focus is in it.
function walkIn(section) {
  let tree;
  let tried;
  const view = momentView((steps) => {
    const begun = (branch) => branch.every((label, i) => label === steps[i]);
    const known = tried.some((branch) => steps.every((label, i) => label === branch[i]));
    if (!known) tried = [...tried.filter((branch) => !begun(branch)), steps];
    const isFocused = section.contains(document.activeElement);
    view.show(momentOf(tree, steps, tried));
    if (isFocused) section.focus({preventScroll: true});  // the button that had it is gone
  });
  section.addEventListener('keydown', (event) => {
    if (event.target.id !== 'tree-choice') view.press(event);
  });
  return (chosen) => {
    tree = chosen;
    tried = [[]];
    view.show(momentOf(tree, [], tried));
  };
}

function drawWalk() {
  const section = document.getElementById('walk');
  if (!data.trees) {
    section.remove();
    document.querySelector('nav a[href="#walk"]').remove();
    return;
  }
  const begin = walkIn(section);
  const choice = make('select');
  choice.setAttribute('aria-label', 'A search');
  choice.id = 'tree-choice';
  choice.append(...data.trees.map(({lock, bounds}) =>
      make('option', '', `${lock}: ${faultsText(bounds)}`)));
  const show = () => {
    const tree = data.trees[choice.selectedIndex];
    document.getElementById('searched').textContent = searchedText(tree);
    begin(tree);
  };
  choice.addEventListener('change', show);
  document.getElementById('trees').append(choice);
  show();
}
