// Two vectors side by side.

/// Numbers that differ most, and pictures where the vectors are pictures.
function vectorSides(vectors) {
  const { a, b, rows, columns } = vectors;
  const order = a.map((_, i) => i).sort((i, j) => Math.abs(a[j] - b[j]) - Math.abs(a[i] - b[i]) || i - j).filter(i => a[i] !== b[i]);
  const name = i => (columns ? `row ${Math.floor(i / columns)}, column ${i % columns}` : String(i));
  const number = value => String(Number(value.toPrecision(6)));
  const lines = order.slice(0, 20).map(i => make('tr', {}, make('th', { scope: 'row' }, name(i)),
    ...[a[i], b[i], b[i] - a[i]].map(value => make('td', {}, number(value)))));
  const table = make('table', {}, make('thead', {}, make('tr', {}, ...['Dimension', 'First', 'Second', 'Difference'].map(words => make('th', { scope: 'col' }, words)))), make('tbody', {}, ...lines));
  const words = order.length === 0 ? 'All numbers are the same.' : `${whole(order.length)} of ${counted(a.length, 'number')} differ; the largest differences:`;
  const pictures = columns ? make('div', { class: 'pictures' }, picture(a, rows, columns, 'The first'), picture(b, rows, columns, 'The second'),
    picture(a.map((value, i) => Math.abs(value - b[i])), rows, columns, 'Where they differ')) : null;
  return make('div', {}, pictures, make('p', {}, words), order.length ? make('div', { class: 'scroll', role: 'region', tabindex: 0, 'aria-label': 'Largest differences' }, table) : null);
}

function picture(values, rows, columns, words) {
  const canvas = make('canvas', { width: columns, height: rows, role: 'img', 'aria-label': words }), context = canvas.getContext('2d');
  const image = context.createImageData(columns, rows), most = Math.max(...values), least = Math.min(...values, 0);
  values.forEach((value, i) => {
    const grey = most > least ? 255 * (value - least) / (most - least) : 0;
    image.data.set([grey, grey, grey, 255], 4 * i);
  });
  context.putImageData(image, 0, 0);
  return make('figure', {}, canvas, make('figcaption', {}, words));
}
