// Where everything of a timeline stands. Time runs down, a line for each event, as in the terminal;
// where nothing happened for a while, there is room in proportion to it.

const longestGap = 60;  // pixels

// The size of the letters, and of what depends on it, so that `columns` fit into `width`.
function sizes(columns, width) {
  const font = Math.max(12, Math.min(width / columns / 0.605, width > 1700 ? 20 : 18));
  return {font, letter: font * 0.605, line: Math.round(font * 1.45), head: font * 2.2};
}

function textAt(drawing, line, lane) {
  const [, , text] = drawing.lines[line][2].find(([other]) => other === lane);
  return text.trim();
}

// How many letters each lane needs: its bar, its longest text, and a gap.
function lettersOf(drawing) {
  const letters = drawing.lanes.map(([name]) => name.length + 4);
  for (const [, fault, said] of drawing.lines) {
    if (fault) continue;
    for (const [lane, , text] of said) {
      letters[lane] = Math.max(letters[lane], [...text].length + 6);
    }
  }
  for (const [line, lane] of drawing.collisions.flat()) {  // room for a word about the write
    letters[lane] = Math.max(letters[lane], textAt(drawing, line, lane).length + 28);
  }
  return letters;
}

// {font, letter, line, lanes: [{x, width}], lines: [y of its middle], gaps: [{y, height, ms}], ...}
function layoutOf(drawing, width) {
  const letters = lettersOf(drawing);
  const timeLetters = 9;
  const all = d3.sum(letters) + timeLetters;
  const size = sizes(all, width);
  const stretch = Math.min(2, Math.max(1, width / (all * size.letter)));
  const lanes = [];
  let x = timeLetters * size.letter;
  for (const count of letters) {
    const laneWidth = count * size.letter * stretch;
    lanes.push({x, width: laneWidth});
    x += laneWidth;
  }
  const room = d3.scaleSqrt().domain([0, 2000]).range([0, longestGap]).clamp(true);
  const lines = [];
  const gaps = [];
  let y = size.head;
  drawing.lines.forEach(([ms], i) => {
    const passed = i > 0 ? ms - drawing.lines[i - 1][0] : 0;
    if (passed >= 50) {
      const height = Math.max(size.line, room(passed));
      gaps.push({y, height, ms: passed});
      y += height;
    }
    lines.push(y + size.line / 2);
    y += size.line;
  });
  return {...size, lanes, lines, gaps, width: Math.min(x, width), height: y + 6};
}

// From the top of line `from` to the top of line `to`.
function stretchOf(layout, from, to) {
  const top = layout.lines[from] - layout.line / 2;
  const bottom = layout.lines[to - 1] + layout.line / 2;
  return {y: top, height: bottom - top};
}
