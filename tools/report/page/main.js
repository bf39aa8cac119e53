// Puts the page together, and follows the address: #STAGE/SCENARIO opens a cell, as does
// #field:LOCK:SCENARIO; #play/... leads to a moment of the play.

function goToAddress() {
  if (location.hash.startsWith('#play/')) return openPlay(location.hash);
  const where = addressFragment();
  if (where.startsWith('field:') && openFieldCell(where)) return undefined;
  const [stage, scenario] = where.split('/');
  const column = data.stages.findIndex(({name}) => name === stage);
  const row = data.scenarios.findIndex(({name}) => name === scenario);
  if (column >= 0 && row >= 0 && cellAt(row, column).verdict) return openCell(row, column);
  if (dialog.open) dialog.close();
  const target = where && document.getElementById(where);
  if (!target) return undefined;
  if (target.tagName === 'DETAILS') target.open = true;
  return target.scrollIntoView();
}

function useTheme(theme) {
  document.documentElement.dataset.theme = theme;
  document.getElementById('theme').textContent = theme === 'dark' ? say('Light') : say('Dark');
}

function followTheSystem() {
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  useTheme(dark.matches ? 'dark' : 'light');
  dark.addEventListener('change', () => useTheme(dark.matches ? 'dark' : 'light'));
  document.getElementById('theme').addEventListener('click', () => {
    useTheme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark');
  });
}

translatePage(say);
followTheSystem();
drawTable();
hideWhatTells();
drawPrices();
drawChart();
drawField();
drawPlay();
drawDiffs();
window.addEventListener('resize', drawChart);
window.addEventListener('hashchange', goToAddress);
goToAddress();
