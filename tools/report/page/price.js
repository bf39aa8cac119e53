// The price of each stage beside its safety: a row for each stage, a panel for each figure.

const figures = [
  {title: say('scenarios held'), unit: say('% of those that apply'), name: 'safety', linear: true,
   value: ({holds, of}) => (of ? 100 * holds / of : undefined),
   words: ({holds, of}) => `${holds}${say(' of ')}${of}`},
  {title: say('commands'), unit: 'acquire + release', name: 'cost', linear: true,
   value: ({commands}) => commands, words: ({commands}) => `${commands}`},
  {title: say('round trips'), unit: 'acquire + release', name: 'cost', linear: true,
   value: ({round_trips: trips}) => trips, words: ({round_trips: trips}) => `${trips}`},
  {title: say('latency'), unit: say('µs: p50, line to p99'), name: 'cost', measured: true, linear: true,
   value: ({latency}) => latency && latency[1], upTo: (stage) => stage.latency_p99,
   words: ({latency}) => d3.format(',.0f')(latency[1])},
  {title: say('hand-off'), unit: say('the same, logarithmic'), name: 'cost', measured: true,
   value: ({handoff}) => handoff && handoff[1], upTo: (stage) => stage.handoff_p99,
   words: ({handoff}) => d3.format(',.0f')(handoff[1])},
];

function scaleOf(figure, stages, width) {
  const most = d3.max(stages, (stage) => Math.max(
      figure.value(stage) || 0, figure.upTo && figure.upTo(stage) ? figure.upTo(stage)[1] : 0));
  if (figure.linear) {
    const end = figure.name === 'safety' ? 100 : most || 1;
    return d3.scaleLinear().domain([0, end]).range([0, width]);
  }
  return d3.scaleLog().domain([10, Math.max(most, 100)]).range([0, width]).clamp(true);
}

function drawPanel(svg, figure, rows, left, width, height) {
  const stages = data.price.stages;
  const panel = svg.append('g').attr('class', 'figure').attr('transform', `translate(${left},0)`);
  const x = scaleOf(figure, stages, width);
  panel.append('text').attr('class', 'panel').attr('y', 20).text(figure.title);
  panel.append('text').attr('class', 'unit').attr('y', 42).attr('font-size', '.78em')
      .text(figure.unit);
  const lines = panel.selectAll('g').data(stages).join('g').attr('class', 'row');
  const isKnown = (stage) => figure.value(stage) !== undefined && figure.value(stage) !== null;
  const known = lines.filter(isKnown);
  known.append('rect').attr('class', `value-bar ${figure.name}`).attr('height', rows.bandwidth())
      .attr('width', (stage) => Math.max(2, x(figure.value(stage))));
  known.append('text').attr('class', 'value').text(figure.words);
  lines.filter((stage) => !isKnown(stage)).append('text').attr('class', 'value none').text('–');
  if (figure.upTo) {
    known.filter((stage) => figure.upTo(stage)).append('line').attr('class', 'whisker')
        .attr('x1', (stage) => x(figure.value(stage)))
        .attr('x2', (stage) => x(figure.upTo(stage)[1]))
        .attr('y1', rows.bandwidth() - 5).attr('y2', rows.bandwidth() - 5);
  }
  lines.attr('transform', (_, i) => `translate(0,${rows(i)})`);
  lines.select('.value').attr('y', rows.bandwidth() / 2 - (figure.upTo ? 4 : 0));
  placeValues(lines, figure, x, width);
  const ticks = figure.linear ? [4] : [3, '~s'];
  const axis = d3.axisBottom(x).ticks(...ticks).tickSizeOuter(0);
  panel.append('g').attr('class', 'axis').attr('transform', `translate(0,${height})`).call(axis)
      .attr('font-size', '.75em');
}

// Puts each value behind its bar, or inside it if there is no room behind.
function placeValues(lines, figure, x, width) {
  lines.select('.value').each(function place(stage) {
    const value = figure.value(stage);
    const end = value === undefined || value === null ? 0 : x(value);
    const inside = end + this.getComputedTextLength() + 8 > width;
    d3.select(this).attr('x', inside ? end - 6 : end + 6)
        .attr('text-anchor', inside ? 'end' : 'start')
        .style('fill', inside ? 'var(--on-lane)' : null);
  });
}

const labelWidth = 11.5;  // of the stages' names, in heights of a letter

// As many panels beside each other as have room for their words, the others below.
function drawChart() {
  const parent = document.getElementById('chart');
  parent.replaceChildren();
  const shown = figures.filter(({measured}) => !measured || data.price.measured);
  const font = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const fitting = Math.max(1, Math.floor((parent.clientWidth / font - labelWidth) / 10));
  const rows = Math.ceil(shown.length / fitting);
  const inOne = Math.ceil(shown.length / rows);
  d3.range(rows).forEach((i) =>
    drawPanels(parent, shown.slice(i * inOne, (i + 1) * inOne), inOne, font));
}

// A row of panels, as wide as if there were `count`.
function drawPanels(parent, shown, count, font) {
  const [labels, gap, top, row] = [font * labelWidth, font * 1.6, 58, font * 2];
  const width = parent.clientWidth;
  const panelWidth = (width - labels) / count - gap;
  const height = top + row * data.stages.length;
  const rows = d3.scaleBand().domain(d3.range(data.stages.length)).range([top, height])
      .padding(0.2);
  const svg = d3.select(parent).append('svg').attr('class', 'chart').attr('width', width)
      .attr('height', height + 40).attr('role', 'img').attr('font-size', font)
      .attr('aria-label',
            say('What each stage survives and costs; the figures are in the table below'));
  svg.append('g').selectAll('text').data(data.stages).join('text').attr('class', 'stage')
      .attr('y', (_, i) => rows(i) + rows.bandwidth() / 2)
      .text(({name}) => Object.values(stageWords(name)).join(' '));
  shown.forEach((figure, i) =>
    drawPanel(svg, figure, rows, labels + i * (panelWidth + gap), panelWidth, height));
}

function figuresOf(stage, price) {
  const times = (spread) => (spread ? d3.format(',.0f')(spread[1]) : '–');
  return [Object.values(stageWords(stage.name)).join(' '), `${price.holds}${say(' of ')}${price.of}`,
          price.nodes, price.commands, price.round_trips,
          ...(data.price.measured ? [times(price.latency), times(price.latency_p99),
                                     times(price.handoff), times(price.handoff_p99)] : [])];
}

function drawPrices() {
  const times = [say('latency p50 µs'), 'p99', say('hand-off p50 µs'), 'p99'];
  const titles = [say('stage'), say('survived'), say('servers'), say('commands'), say('round trips'),
                  ...(data.price.measured ? times : [])];
  const heading = (text, scope) => {
    const cell = make('th', '', text);
    cell.scope = scope;
    return cell;
  };
  const rows = data.stages.map((stage, i) => {
    const [name, ...values] = figuresOf(stage, data.price.stages[i]);
    const cells = values.map((value) => make('td', '', `${value}`));
    return make('tr', '', '', heading(name, 'row'), ...cells);
  });
  const head = make('tr', '', '', ...titles.map((title) => heading(title, 'col')));
  const table = make('table', 'prices', '', make('thead', '', '', head),
                     make('tbody', '', '', ...rows));
  document.getElementById('prices').append(
      make('details', '', '', make('summary', '', say('The figures')),
           make('div', 'scroll', '', table)));
  document.getElementById('measured').textContent = data.price.measured
      ? say('{} Latency: one acquire and one release, without contention; a ' +
            'stage for several servers on that many. Commands: to all servers together. Hand-off: ' +
            'from the begin of a release until the next of eight waiting clients has the lock.',
            data.price.measured)
      : say('Commands for one acquire and one release, to all servers together. For latencies ' +
            'and hand-offs, run ./lab bench --quick first, and make the page again.');
}
