// A timeline in words: one message in full, and the whole timeline as in the terminal.

// Such as "304.812 ms  B → redis: GET lock".
function wholeMessage(lane, said, [us, way, about]) {
  const time = `${(us / 1000).toFixed(3)} ms  `;
  if (way === '>') return `${time}${lane} → ${about}: ${said}`;
  if (way === '<') return `${time}${about} → ${lane}: ${said}`;
  return `${time}${lane}: ${said}${about ? `  (${about})` : ''}`;
}

// All messages behind one text.
function wholeMessages(drawing, {lane, text, messages, count}) {
  let said = text.trim();
  const lines = messages.map((message) => {
    said = message[3] === undefined ? said : message[3];
    return wholeMessage(drawing.lanes[lane][0], said, message);
  });
  if (count > messages.length) lines.push(say('… and {} more', count - messages.length));
  return lines.join('\n');
}

// The two columns at the left of a lane: the client's belief, or the lock's owner.
function barText(drawing, lane, line) {
  const bar = drawing.bars.find(([of, from, to]) => of === lane && from <= line && line < to);
  if (!bar) return '  ';
  return drawing.lanes[lane][1] ? `┃${(bar[3] || '?').slice(0, 1)}` : '┃ ';
}

// The terminal's timeline, as wide as it needs to be.
function timelineText(drawing) {
  const widths = longestTexts(drawing, Infinity).map((letters) => letters + 4);
  const padded = (text, lane) => text + ' '.repeat(Math.max(1, widths[lane] - columnsOf(text)));
  const head = drawing.lanes.map(([name], lane) => padded(`   ${name}`, lane)).join('');
  const lines = drawing.lines.map(([ms, fault, said], line) => {
    const time = `${ms}`.padStart(5);
    if (fault) return `${time}  ──── ${fault} ────`;
    const cells = drawing.lanes.map((_, lane) => {
      const [, , text] = said.find(([of]) => of === lane) || [lane, '', ''];
      return padded(`${barText(drawing, lane, line)} ${text}`, lane);
    });
    return `${time}  ${cells.join('')}`;
  });
  return [`   ms  ${head}`, ...lines].map((line) => line.trimEnd()).join('\n');
}
