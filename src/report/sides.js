// Two texts side by side, on the page of a run and on that of the server: a colour for each passage that both have, a click that leads to its partner, scrolling together, a map.

const kColours = 8;
const piecesOf = side => {
  const out = [];
  for (let i = 0; i < side.pieces.length; i += 2) out.push({ text: side.pieces[i], passage: side.pieces[i + 1] });
  return out;
};
const textOf = side => piecesOf(side).map(piece => piece.text).join('');

function textPart(side, code, label) {
  const text = make('div', { class: code ? 'text code' : 'text', role: 'region', tabindex: 0, dir: 'auto', 'aria-label': label });
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

const noteOf = side => [side.more > 0 ? counted(side.more, 'more byte') + (side.more === 1 ? ' is' : ' are') + ' not shown.' : '',
  side.normalised ? 'This is the normalised text, not the original.' : ''].filter(Boolean).join(' ');

/// The name above each text where they stand under one another; side by side, both names are above them.
const nameAbove = name => make('p', { class: 'id above' }, make('code', { dir: 'auto' }, visible(name)));

/// `shown`: {a, b, code}, where each side is {pieces: [text, number of its passage or -1, …], more, normalised}. `together` says whether both scroll.
/// `heads`: what stands above each text where they stand under one another.
function sideBySide(shown, names, together, heads = names.map(nameAbove)) {
  const texts = [shown.a, shown.b].map((side, i) => textPart(side, shown.code, 'Text of ' + names[i]));
  scrollTogether(texts[0], texts[1], together);
  jumpToPartner(texts[0], texts[1]);
  jumpToPartner(texts[1], texts[0]);
  const columns = texts.map((text, i) => make('div', { class: 'side' }, heads[i], text, noteOf([shown.a, shown.b][i]) ? make('p', { class: 'soft' }, noteOf([shown.a, shown.b][i])) : null));
  return make('div', { class: 'sides mapped' }, columns[0], mapOf(shown, texts), columns[1]);
}

/// What a comparison of the texts that are here leaves out or changes; empty where it is one of both texts in full.
function limitsOf(shown) {
  const places = ['first', 'second'], sides = [shown.a, shown.b];
  const missing = sides.map((side, i) => (side.more > 0 ? `${counted(side.more, 'more byte')} of the ${places[i]} text` : '')).filter(Boolean);
  const single = missing.length === 1 && Math.max(shown.a.more, shown.b.more) === 1;
  const changed = sides.map((side, i) => (side.normalised ? places[i] : '')).filter(Boolean);
  return [missing.length ? `The texts are not compared in full: ${missing.join(' and ')} ${single ? 'is' : 'are'} neither shown nor compared.` : '',
    changed.length ? `The comparison uses the normalised form of the ${changed.join(' and the ')} text, not the original.` : ''].filter(Boolean).join(' ');
}

/// Without any difference between their words.
function sameWords(shown) {
  const plain = side => textOf(side).replace(/\s+/g, ' ').trim(), what = limitsOf(shown) ? 'what is compared here' : 'the two texts';
  const same = `Word for word ${what} ${limitsOf(shown) ? 'is' : 'are'} the same`;
  return plain(shown.a) === plain(shown.b) ? `${same}; there may be differences in white space.` : `${same}; there are differences in characters that cannot be seen.`;
}

/// `names`: of both texts.
function differencesOnly(shown, names) {
  const found = differences(textOf(shown.a), textOf(shown.b)), limits = limitsOf(shown);
  const above = limits ? make('p', { class: 'note' }, limits + (shown.a.more + shown.b.more > 0 && found?.length ? ' A difference at the very end may come from that.' : '')) : null;
  const told = words => make('div', {}, above, make('p', {}, words));
  if (found === null) return told('The two texts differ in too many places to list them one by one. The other view marks what both have.');
  if (found.length === 0) return told(sameWords(shown));
  const cell = (pieces, i) => make('div', { class: 'side' }, nameAbove(names[i]), make('div', { class: shown.code ? 'text code' : 'text', dir: 'auto' },
    ...pieces.map(([text, differs]) => (differs ? make('strong', { class: 'differs' }, text) : text))));
  const rows = found.map(({ a, b }) => make('li', { class: 'sides' }, cell(a, 0), cell(b, 1)));
  return make('div', {}, above, make('p', { class: 'soft', role: 'status' }, counted(found.length, 'place') + (found.length === 1 ? ' differs.' : ' differ.')), make('ol', { class: 'hunks' }, ...rows));
}
