// The positions of everything in a timeline. Time runs down, a line for each event, as in the
// terminal; a pause without events takes room in proportion to its length.

const longestGap = 60;  // pixels

const smallestFont = 16;
const letterShare = 0.605;  // of the font's size, in our fonts
const longestText = 28;     // letters, as in the terminal; hovering shows the rest
const timeLetters = 9;
const fewestColumns = 100;  // on a screen with room for fewer, a drawing scrolls

// The size of the letters, and of what depends on it, so that `columns` fit into `width`.
function sizes(columns, width) {
  const fitting = width / columns / letterShare;
  const font = Math.max(smallestFont, Math.min(fitting, width > 1700 ? 20 : 18));
  return {font, letter: font * letterShare, line: Math.round(font * 1.45), head: font * 2.2};
}

// How many letters a text is wide: a Chinese character is as wide as two.
function columnsOf(text) {
  return [...text].length + (text.match(/[\u2e80-\u9fff\uff00-\uff60]/g) || []).length;
}

function textAt(drawing, line, lane) {
  const [, , text] = drawing.lines[line][2].find(([other]) => other === lane);
  return text.trim();
}

// How many letters each lane's longest text has, up to `most`.
function longestTexts(drawing, most) {
  const letters = drawing.lanes.map(([name]) => name.length);
  for (const [, fault, said] of drawing.lines) {
    if (fault) continue;
    for (const [lane, , text] of said) {
      letters[lane] = Math.max(letters[lane], Math.min(columnsOf(text), most));
    }
  }
  return letters;
}

// How many letters each lane gets: its bar, its longest text, and a gap. If the sum is more than
// `columns`, the widest lanes get fewer.
function lettersOf(drawing, columns) {
  const letters = longestTexts(drawing, longestText).map((count) => count + 5);
  for (const [line, lane] of drawing.collisions.flat()) {  // room for a word about the write
    letters[lane] = Math.max(letters[lane], columnsOf(textAt(drawing, line, lane)) + 28);
  }
  const least = Math.max(columns, 8 * letters.length);
  while (d3.sum(letters) > least) letters[d3.scan(letters, d3.descending)] -= 1;
  return letters;
}

// {font, letter, line, lanes: [{x, width}], lines: [y of its middle], gaps: [{y, height, ms}], ...}
function layoutOf(drawing, width) {
  const columns = Math.floor(width / (smallestFont * letterShare));
  const letters = lettersOf(drawing, Math.max(columns, fewestColumns) - timeLetters);
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
  return {...size, lanes, lines, gaps, width: x, height: y + 6};
}

// From the top of line `from` to the top of line `to`.
function stretchOf(layout, from, to) {
  const top = layout.lines[from] - layout.line / 2;
  const bottom = layout.lines[to - 1] + layout.line / 2;
  return {y: top, height: bottom - top};
}
