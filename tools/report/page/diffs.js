// Each stage's changes; a difference is laid out when it is opened.

// The first two lines of a file's difference name the files; a later line may begin with "---" as
// well, if it removes a Lua comment.
function lineKind(line, i) {
  if (i < 2) return 'file';
  if (line.startsWith('@@')) return 'hunk';
  if (line.startsWith('+')) return 'add';
  return line.startsWith('-') ? 'del' : '';
}

function linesOf(text) {
  return text.replace(/\n$/, '').split('\n');
}

function diffElement(text) {
  const pre = make('pre', 'diff');
  pre.append(...linesOf(text).map((line, i) => make('span', `line ${lineKind(line, i)}`, line)));
  return pre;
}

function countLines(files, kind) {
  const inOne = (text) => linesOf(text).filter((line, i) => lineKind(line, i) === kind).length;
  return d3.sum(files, inOne);
}

function changeElement({from, to, adds, files}) {
  const size = `(+${countLines(files, 'add')} −${countLines(files, 'del')})`;
  const summary = make('summary', '', `${from} → ${to}: ${adds} `, make('span', 'quiet', size));
  const details = make('details', '', '', summary);
  details.id = `diff-${to}`;
  details.addEventListener('toggle', () => {
    if (details.open && details.children.length === 1) details.append(...files.map(diffElement));
  });
  return details;
}

function drawDiffs() {
  document.getElementById('changes').append(...data.diffs.map(changeElement));
}
