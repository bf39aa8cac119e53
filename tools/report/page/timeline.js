// A timeline as a drawing: a lane for each client and each server, with a bar while a client
// believes that it has the lock, or while the lock exists on a server; faults across the lanes;
// collisions in red.

const barWidth = 1.5;  // in letters, of a client; a server's has room for the owner

function laneClass(drawing, name) {
  const clients = drawing.lanes.filter(([, isServer]) => !isServer).map(([client]) => client);
  const index = clients.indexOf(name);
  return index < 0 || index > 3 ? 'lane-4' : `lane-${index}`;
}

function drawPattern(svg) {
  const pattern = svg.append('defs').append('pattern').attr('id', 'mistaken')
      .attr('width', 10).attr('height', 10).attr('patternUnits', 'userSpaceOnUse');
  pattern.append('rect').attr('width', 10).attr('height', 10);
  pattern.append('path').attr('d', 'M-3,3 L3,-3 M-2,12 L12,-2 M7,13 L13,7');
}

function drawLanes(svg, drawing, layout) {
  const lanes = svg.append('g').selectAll('g').data(drawing.lanes).join('g')
      .attr('class', ([name, isServer]) =>
        `lane ${isServer ? 'server' : 'client'} ${laneClass(drawing, name)}`);
  lanes.append('line').attr('class', 'rail')
      .attr('x1', (_, i) => layout.lanes[i].x).attr('x2', (_, i) => layout.lanes[i].x)
      .attr('y1', 4).attr('y2', layout.height);
  lanes.append('text').attr('class', ([, isServer]) => `name ${isServer ? 'server' : 'client'}`)
      .attr('x', (_, i) => layout.lanes[i].x + 8).attr('y', layout.head / 2)
      .text(([name]) => name);
}

function drawStillness(svg, drawing, layout) {
  for (const [lane, from, to, word] of drawing.still) {
    const {y, height} = stretchOf(layout, from, to);
    svg.append('rect').attr('class', `still ${word}`)
        .attr('x', layout.lanes[lane].x + 1).attr('width', layout.lanes[lane].width - 2)
        .attr('y', y).attr('height', height);
    const free = d3.range(from, to).find((i) => {
      const [, fault, said] = drawing.lines[i];
      return !fault && !said.some(([other]) => other === lane);
    });
    if (free === undefined) continue;
    svg.append('text').attr('class', 'stillness').text(`(${say(word)})`)
        .attr('x', layout.lanes[lane].x + 3 * layout.letter).attr('y', layout.lines[free]);
  }
}

function drawBars(svg, drawing, layout) {
  const widthOf = ([lane]) => layout.letter * (drawing.lanes[lane][1] ? 2 : barWidth);
  const bars = svg.append('g').selectAll('g').data(drawing.bars).join('g')
      .attr('class', ([, , , owner]) => laneClass(drawing, owner));
  bars.append('rect')
      .attr('class', ([, , , , mistaken]) => (mistaken ? 'bar mistaken' : 'bar'))
      .attr('x', ([lane]) => layout.lanes[lane].x + 3).attr('width', widthOf)
      .attr('y', ([, from, to]) => stretchOf(layout, from, to).y)
      .attr('height', ([, from, to]) => stretchOf(layout, from, to).height);
  bars.filter(([lane]) => drawing.lanes[lane][1]).append('text').attr('class', 'owner')
      .attr('x', (bar) => layout.lanes[bar[0]].x + 3 + widthOf(bar) / 2)
      .attr('y', ([, from]) => layout.lines[from])
      .text(([, , , owner]) => (owner || '?').slice(0, 1));
}

function drawTimes(svg, drawing, layout) {
  const x = layout.lanes[0].x - 1.2 * layout.letter;
  const news = drawing.lines.map(([ms], i) => ({ms, i}))
      .filter(({ms, i}) => i === 0 || ms !== drawing.lines[i - 1][0]);
  svg.append('g').selectAll('text').data(news).join('text').attr('class', 'time')
      .attr('x', x).attr('y', ({i}) => layout.lines[i]).text(({ms}) => `${ms} ms`);
  const gaps = svg.append('g').selectAll('g').data(layout.gaps).join('g');
  gaps.append('text').attr('class', 'later').attr('x', layout.lanes[0].x + 3 * layout.letter)
      .attr('y', ({y, height}) => y + height / 2).text(({ms}) => say('… {} ms pass …', ms));
}

// A fault's text begins in the lane that it struck.
function drawFaults(svg, drawing, layout) {
  const faults = drawing.lines.map(([, fault], i) => ({fault, i})).filter(({fault}) => fault);
  const marks = svg.append('g').selectAll('g').data(faults).join('g').attr('class', 'fault');
  marks.append('rect').attr('x', layout.lanes[0].x).attr('rx', 4)
      .attr('width', layout.width - layout.lanes[0].x)
      .attr('y', ({i}) => layout.lines[i] - layout.line / 2 + 1).attr('height', layout.line - 2);
  marks.append('text').attr('y', ({i}) => layout.lines[i])
      .attr('x', ({fault, i}) => {
        const [, lane] = drawing.struck.find(([line]) => line === i) || [i, 0];
        const last = layout.width - (columnsOf(fault) + 4) * layout.letter;
        return Math.max(layout.lanes[0].x + 6, Math.min(layout.lanes[lane].x + 6, last));
      })
      .text(({fault}) => `⚡ ${fault}`);
}

// The events in the lanes: line, lane, and whether the event is one of two that collided.
function eventsOf(drawing) {
  const collided = new Set(drawing.collisions.flat().map(String));
  return drawing.lines.flatMap(([, fault, said], line) => (fault ? [] : said.map(
      ([lane, kind, text, evidence, messages, count]) => ({
        line, lane, kind, text, messages, count, evidence: Boolean(evidence),
        collided: collided.has(String([line, lane])),
      }))));
}

function shortened(text, letters) {
  if (columnsOf(text) <= letters) return text;
  const all = [...text];
  while (columnsOf(all.join('')) >= letters) all.pop();
  return `${all.join('')}…`;
}

function drawEvents(svg, drawing, layout) {
  const left = ({lane}) => layout.lanes[lane].x + 3 * layout.letter;
  const room = ({lane}) => Math.floor(layout.lanes[lane].width / layout.letter) - 4;
  const indent = ({text}) => text.length - text.trimStart().length;
  const events = svg.append('g').selectAll('g').data(eventsOf(drawing)).join('g')
      .attr('class', ({kind, evidence, collided}) =>
        `event ${kind}${evidence ? ' evidence' : ''}${collided ? ' collided' : ''}`)
      .attr('role', 'img')
      .attr('aria-label', ({lane, text}) => `${drawing.lanes[lane][0]}: ${text}`);
  events.append('rect')
      .attr('x', (event) => left(event) + indent(event) * layout.letter - 5)
      .attr('width', (event) => Math.min(columnsOf(event.text), room(event)) * layout.letter -
                                indent(event) * layout.letter + 10)
      .attr('y', ({line}) => layout.lines[line] - layout.line / 2 + 2)
      .attr('height', layout.line - 4);
  events.append('text')
      .attr('x', (event) => left(event) + indent(event) * layout.letter)
      .attr('y', ({line}) => layout.lines[line])
      .text((event) => shortened(event.text, room(event)).trimStart());
  explainOnHover(events.nodes(), (i) => wholeMessages(drawing, events.data()[i]));
}

const collisionWords = [say('✗ this write is lost'), say('✗ overwrites it')];

// The path from the write that overwrote to the one that was lost: out of the left lane, up or down
// beside the right one.
function collisionPath(drawing, layout, pair) {
  const ends = pair.map(([line, lane], which) => ({
    x: layout.lanes[lane].x, y: layout.lines[line], which,
    wordsEnd: layout.lanes[lane].x + (5 + columnsOf(textAt(drawing, line, lane)) +
        columnsOf(collisionWords[which])) * layout.letter,
  }));
  const [left, right] = ends[0].x < ends[1].x ? ends : [ends[1], ends[0]];
  const turn = right.x - 1.5 * layout.letter;
  const [tip, edge] = [right.x + 3 * layout.letter - 8, 8 * Math.sign(right.y - left.y)];
  const path = `M${left.wordsEnd},${left.y} H${turn - 8} q8,0 8,${edge} V${right.y - edge} ` +
      `q0,${edge} 8,${edge} H${tip}`;
  const [x, way] = right.which === 0 ? [tip, 1] : [left.wordsEnd, -1];
  const y = right.which === 0 ? right.y : left.y;
  return {path, head: `M${x},${y} l${-14 * way},-8 v16 z`};
}

function drawCollisions(svg, drawing, layout) {
  const marks = svg.append('g').selectAll('g').data(drawing.collisions).join('g')
      .attr('class', 'collision');
  marks.append('path').attr('d', (pair) => collisionPath(drawing, layout, pair).path);
  marks.append('path').attr('class', 'head')
      .attr('d', (pair) => collisionPath(drawing, layout, pair).head);
  collisionWords.forEach((words, which) => {
    marks.append('text').text(words)
        .attr('y', (pair) => layout.lines[pair[which][0]])
        .attr('x', (pair) => layout.lanes[pair[which][1]].x +
            (4.3 + columnsOf(textAt(drawing, ...pair[which]))) * layout.letter);
  });
}

// Draws a timeline into `parent`, for the width it has now.
function drawTimeline(parent, drawing) {
  parent.replaceChildren();
  if (drawing.lanes.length === 0) return;
  const layout = layoutOf(drawing, parent.clientWidth);
  const svg = d3.select(parent).append('svg').attr('class', 'drawing').attr('role', 'group')
      .attr('aria-label', say('Timeline; the same as text is below'))
      .attr('width', layout.width).attr('height', layout.height)
      .style('font-size', `${layout.font}px`);
  drawPattern(svg);
  drawStillness(svg, drawing, layout);
  drawLanes(svg, drawing, layout);
  drawBars(svg, drawing, layout);
  drawTimes(svg, drawing, layout);
  drawCollisions(svg, drawing, layout);
  drawFaults(svg, drawing, layout);  // above the lines of collisions
  drawEvents(svg, drawing, layout);
}
