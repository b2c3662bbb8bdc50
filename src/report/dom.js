// The data of the page, and its values in words and bars.

/// What the page holds; null where it has no pairs.
const data = (() => {
  const element = one('#data');
  return element && JSON.parse(element.textContent);
})();
const noun = data?.noun ?? 'pair';
/// The number of tokens of the longest passage, where the pairs are passages.
const longest = data?.lengths ? data.pairs.reduce((most, pair) => Math.max(most, pair[2]), 1) : 1;
/// Cut, not rounded: nothing reads as if it reached a threshold that it does not reach.
const valueText = value => {
  if (value === null) return '?';
  if (data.lengths) return counted(value, 'token');
  if (!data.valued) return 'equal';
  return data.distance ? String(Number(value.toPrecision(6))) : String(Math.floor(value * 1e4 * (1 + 1e-12) + 1e-6) / 1e4);
};
/// From 0 to 1: how much of a bar a value fills. A distance fills more the smaller it is.
const share = value => {
  if (value === null || !data.valued) return 1;
  if (data.lengths) return Math.max(value / longest, 0.02);
  if (!data.distance) return Math.min(Math.max(value, 0), 1);
  return data.border > 0 ? Math.min(Math.max(1 - value / (data.border * 1.25), 0.02), 1) : 1;
};
const bar = value => draw('svg', { class: 'level', 'aria-hidden': 'true' }, draw('rect', { width: (100 * share(value)).toFixed(1) + '%', height: '100%' }));
