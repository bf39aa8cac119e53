// What each stage changed; a difference is only laid out when it is opened.

function lineKind(line) {
  if (line.startsWith('+++') || line.startsWith('---')) return 'file';
  if (line.startsWith('@@')) return 'hunk';
  if (line.startsWith('+')) return 'add';
  return line.startsWith('-') ? 'del' : '';
}

function diffElement(text) {
  const pre = make('pre', 'diff');
  const lines = text.replace(/\n$/, '').split('\n');
  pre.append(...lines.map((line) => make('span', `line ${lineKind(line)}`, line)));
  return pre;
}

function countLines(files, kind) {
  return files.join('\n').split('\n').filter((line) => lineKind(line) === kind).length;
}

function changeElement({from, to, adds, files}) {
  const summary = make('summary', '', `${from} → ${to}: ${adds} `);
  summary.append(make('span', 'quiet', `(+${countLines(files, 'add')} −${countLines(files, 'del')})`));
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
