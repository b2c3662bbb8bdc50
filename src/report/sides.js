// Two texts side by side: a colour for each passage that both have, a click that leads to its partner, scrolling together, a map.

const kColours = 8;
const piecesOf = side => {
  const out = [];
  for (let i = 0; i < side.pieces.length; i += 2) out.push({ text: side.pieces[i], passage: side.pieces[i + 1] });
  return out;
};
const textOf = side => piecesOf(side).map(piece => piece.text).join('');

function textPart(side, id, label) {
  const text = make('div', { class: data.code ? 'text code' : 'text', role: 'region', tabindex: 0, dir: 'auto', 'aria-label': label });
  for (const { text: words, passage } of piecesOf(side)) {
    text.append(passage < 0 ? visible(words) : make('mark', { class: 'p' + passage % kColours, 'data-passage': passage }, visible(words)));
  }
  return text;
}

/// Puts what both sides have at the same height while one of them is scrolled.
function scrollTogether(left, right, wanted) {
  let expected = null;  // the scroll event that this function itself causes
  const topOf = (part, inside) => part.offsetTop - inside.offsetTop;
  const follow = (from, to) => {
    if (expected === from) { expected = null; return; }
    if (!wanted()) return;
    const marks = all('mark', from), at = from.scrollTop;
    let low = 0, high = marks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (topOf(marks[middle], from) + marks[middle].offsetHeight > at) high = middle; else low = middle + 1;
    }
    const mark = marks[Math.min(low, marks.length - 1)];
    const partner = mark && one(`mark[data-passage="${mark.dataset.passage}"]`, to);
    const most = from.scrollHeight - from.clientHeight;
    const place = partner ? topOf(partner, to) - (topOf(mark, from) - at) : most > 0 ? at / most * (to.scrollHeight - to.clientHeight) : 0;
    const before = to.scrollTop;
    to.scrollTop = at === 0 ? 0 : place;
    if (to.scrollTop !== before) expected = to;
  };
  left.addEventListener('scroll', () => follow(left, right), { passive: true });
  right.addEventListener('scroll', () => follow(right, left), { passive: true });
}

/// A click on a passage shows its partner on the other side.
function jumpToPartner(from, to) {
  from.addEventListener('click', event => {
    const mark = event.target.closest('mark');
    if (!mark || !getSelection().isCollapsed) return;
    const partner = one(`mark[data-passage="${mark.dataset.passage}"]`, to);
    for (const part of all('mark.chosen', from.parentNode.parentNode)) part.classList.remove('chosen');
    for (const part of all(`mark[data-passage="${mark.dataset.passage}"]`, from.parentNode.parentNode)) part.classList.add('chosen');
    if (partner) to.scrollTo({ top: Math.max(partner.offsetTop - to.offsetTop - (mark.offsetTop - from.offsetTop - from.scrollTop), 0) });
  });
}

/// Both texts from top to bottom in two narrow columns: where the passages stand, and which part is in view.
function mapOf(shown, parts) {
  const columns = [shown.a, shown.b].map((side, column) => {
    const pieces = piecesOf(side), length = pieces.reduce((sum, piece) => sum + piece.text.length, 0) || 1;
    let at = 0;
    const rects = pieces.map(({ text, passage }) => {
      const from = at;
      at += text.length;
      return passage < 0 ? null : draw('rect', { class: 'p' + passage % kColours, x: column ? '54%' : '0', y: (100 * from / length).toFixed(2) + '%',
        width: '46%', height: Math.max(100 * text.length / length, 0.3).toFixed(2) + '%' });
    });
    const view = draw('rect', { class: 'view', x: column ? '54%' : '0', width: '46%' });
    const follow = () => {
      const part = parts[column], all = part.scrollHeight || 1;
      view.setAttribute('y', (100 * part.scrollTop / all).toFixed(2) + '%');
      view.setAttribute('height', (100 * Math.min(part.clientHeight / all, 1)).toFixed(2) + '%');
    };
    parts[column].addEventListener('scroll', follow, { passive: true });
    requestAnimationFrame(follow);
    return [draw('rect', { class: 'column', x: column ? '54%' : '0', width: '46%', height: '100%' }), ...rects, view];
  });
  const map = draw('svg', { class: 'map', 'aria-hidden': 'true' }, ...columns.flat());
  map.addEventListener('click', event => {
    const box = map.getBoundingClientRect(), part = parts[event.clientX - box.left > box.width / 2 ? 1 : 0];
    part.scrollTop = (event.clientY - box.top) / box.height * part.scrollHeight - part.clientHeight / 2;
  });
  return map;
}

const noteOf = side => side.note ?? [side.more > 0 ? counted(side.more, 'byte') + ' more ' + (side.more === 1 ? 'is' : 'are') + ' not shown.' : '',
  side.normalised ? 'Shown as it was compared, not as it was written.' : ''].filter(Boolean).join(' ');

function sideBySide(shown, names, together) {
  const texts = [shown.a, shown.b].map((side, i) => textPart(side, names[i], 'Text of ' + names[i]));
  scrollTogether(texts[0], texts[1], together);
  jumpToPartner(texts[0], texts[1]);
  jumpToPartner(texts[1], texts[0]);
  const columns = texts.map((text, i) => make('div', { class: 'side' }, text, noteOf([shown.a, shown.b][i]) ? make('p', { class: 'soft' }, noteOf([shown.a, shown.b][i])) : null));
  return make('div', { class: 'sides mapped' }, columns[0], mapOf(shown, texts), columns[1]);
}

function differencesOnly(shown) {
  const found = differences(textOf(shown.a), textOf(shown.b));
  if (found === null) return make('p', { class: 'note' }, 'The two texts differ in too many places to list them one by one. The other view marks what both have.');
  if (found.length === 0) return make('p', {}, 'Word for word the two texts are the same; they may differ in white space.');
  const cell = pieces => make('div', { class: data.code ? 'text code' : 'text', dir: 'auto' },
    ...pieces.map(([text, differs]) => (differs ? make('strong', { class: 'differs' }, text) : text)));
  const rows = found.map(({ a, b }) => make('li', { class: 'sides' }, cell(a), cell(b)));
  return make('div', {}, make('p', { class: 'soft', role: 'status' }, counted(found.length, 'place') + (found.length === 1 ? ' differs.' : ' differ.')), make('ol', { class: 'hunks' }, ...rows));
}

/// Numbers that differ most, and pictures where the vectors are pictures.
function vectorSides(vectors) {
  const { a, b, rows, columns } = vectors;
  const order = a.map((_, i) => i).sort((i, j) => Math.abs(a[j] - b[j]) - Math.abs(a[i] - b[i]) || i - j).filter(i => a[i] !== b[i]);
  const name = i => (columns ? `row ${Math.floor(i / columns)}, column ${i % columns}` : String(i));
  const number = value => String(Number(value.toPrecision(6)));
  const lines = order.slice(0, 20).map(i => make('tr', {}, make('th', { scope: 'row' }, name(i)),
    ...[a[i], b[i], b[i] - a[i]].map(value => make('td', {}, number(value)))));
  const table = make('table', {}, make('thead', {}, make('tr', {}, ...['Place', 'First', 'Second', 'Difference'].map(words => make('th', { scope: 'col' }, words)))), make('tbody', {}, ...lines));
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
