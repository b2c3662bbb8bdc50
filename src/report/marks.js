// What a person decided about pairs: kept in the browser under the run, and saved as a file for `--decisions` of `nearkin pairs` and `dedup`.

const marks = (() => {
  const key = data && 'nearkin-marks-' + data.run;
  let kept = new Map();
  const nameOf = row => row.a[0] + '\u0000' + row.b[0];
  // What was accepted before the run has its mark already.
  for (const index of data?.accepted ?? []) kept.set(data.pairs[index].slice(0, 2).map(item => data.items[item][0]).join('\u0000'), 'accept');
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
