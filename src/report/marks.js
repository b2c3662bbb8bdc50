// What a person decided about pairs: kept in the browser under the run, and saved as a file for `--decisions` of `nearkin pairs` and `dedup`.

const marks = (() => {
  const key = data && 'nearkin-marks-' + data.run;
  let kept = new Map();
  /// A decision within one collection is about two items in either order.
  const nameOfIds = (a, b) => (!data.across && kept.has(b + '\u0000' + a) ? b + '\u0000' + a : a + '\u0000' + b);
  const nameOf = row => nameOfIds(row.a[0], row.b[0]);
  // What was decided before the run has its mark already, and is saved with the others.
  for (const [a, b, same] of data?.decided ?? []) kept.set(nameOfIds(a, b), same ? 'accept' : 'reject');
  for (const index of data?.accepted ?? []) kept.set(nameOfIds(...data.pairs[index].slice(0, 2).map(item => data.items[item][0])), 'accept');
  try { kept = new Map(JSON.parse(localStorage.getItem(key)) ?? kept); } catch { /* a browser that keeps nothing */ }
  const save = () => { try { localStorage.setItem(key, JSON.stringify([...kept])); } catch { /* they last as long as the page */ } };
  return {
    of: row => kept.get(nameOf(row)) ?? '',
    /// The same mark twice takes it away.
    toggle(row, mark) {
      if (kept.get(nameOf(row)) === mark) kept.delete(nameOf(row)); else kept.set(nameOf(row), mark);
      save();
    },
    count: () => kept.size,
    /// Fields as nearkin writes them.
    tsv() {
      const field = text => text.replace(/[\\\t\n\r]/g, c => ({ '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' })[c]);
      return [...kept].map(([name, mark]) => [...name.split('\u0000').map(field), mark].join('\t') + '\n').join('');
    },
  };
})();

const markSign = mark => ({ accept: '✓ accepted', reject: '✗ rejected' })[mark] ?? '';

function saveMarks() {
  const link = make('a', { href: URL.createObjectURL(new Blob([marks.tsv()], { type: 'text/tab-separated-values' })), download: 'decisions.tsv' });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
