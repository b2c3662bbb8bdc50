// One pair over the whole window.

const viewer = (() => {
  if (!data) return null;
  let rows = [], at = -1, mode = 'shared', together = true, isOpen = false, changed = () => {};
  const dialog = make('dialog', { id: 'viewer', 'aria-labelledby': 'viewer-title' });
  document.body.append(dialog);
  const row = () => rows[at];
  const step = by => { if (rows[at + by]) { at += by; show(); } };
  const mark = what => { if (!data.marks) return; marks.toggle(row(), what); changed(row()); show(); };
  const tag = item => (item[2] === null ? null : make('span', { class: item[2] ? 'tag kept' : 'tag removed' }, item[2] ? 'kept' : 'removed'));
  const name = (item, other, kind = 'id') => make('div', { class: kind }, make('code', { dir: 'auto' }, visible(shortId(item[0]))), ' ', tag(item),
    item[3] === undefined || item[3] === other[0] ? null : make('div', { class: 'instead soft' }, 'Kept instead of it: ', make('code', { dir: 'auto' }, visible(shortId(item[3])))));
  const pressed = (text, key, what) => button(text, () => mark(what), { 'aria-pressed': String(marks.of(row()) === what), 'aria-keyshortcuts': key, class: 'mark-' + what });
  const choice = (text, what) => button(text, () => { mode = what; show(); }, { 'aria-pressed': String(mode === what) });

  function head(shown) {
    const texts = shown && !shown.vectors && (shown.a.pieces.length || shown.b.pieces.length);
    const box = make('input', { type: 'checkbox', id: 'together', onchange: event => { together = event.target.checked; } });
    box.checked = together;
    return make('div', { class: 'bar' },
      make('h2', { id: 'viewer-title', tabindex: -1 }, bar(row().value), ' ', make('span', { class: 'value' }, valueText(row().value))),
      rows.length > 1 ? make('div', { class: 'keys' }, button('Previous', () => step(-1), { 'aria-keyshortcuts': 'k', disabled: at === 0 }),
        make('span', { class: 'soft' }, `${whole(at + 1)} of ${whole(rows.length)}`),
        button('Next', () => step(1), { 'aria-keyshortcuts': 'j', disabled: at === rows.length - 1 })) : null,
      data.marks ? make('div', { class: 'keys' }, pressed('Accept', 'a', 'accept'), pressed('Reject', 'r', 'reject')) : null,
      texts ? make('div', { class: 'keys', role: 'group', 'aria-label': 'What is shown' }, choice('Shared passages', 'shared'), choice('Differences only', 'differences')) : null,
      texts && mode === 'shared' ? make('label', {}, box, ' Scroll together') : null,
      button('Close', close, { class: 'close', 'aria-keyshortcuts': 'Escape' }));
  }

  function body(shown) {
    if (!shown && data.vectors) return make('p', { class: 'soft' }, 'This page holds the numbers of some pairs only, and not of this one.');
    if (!shown) return make('div', { class: 'sides' }, ...[row().a, row().b].map(item => make('div', { class: 'side' }, nameAbove(shortId(item[0])), make('p', { class: 'text', dir: 'auto' }, visible(item[1]) || 'No text.'))),
      make('p', { class: 'soft' }, 'This page holds the texts of some items only. For these two, it shows the beginnings. ‘nearkin compare’ shows two files or two texts in full.'));
    if (shown.vectors) return vectorSides(shown.vectors);
    if (!shown.a.pieces.length && !shown.b.pieces.length) return make('p', { class: 'soft' }, data.vectors ? 'This page shows the numbers of vectors and bit strings with 4,096 places or fewer, and not of sparse vectors.' : 'There is no text to show.');
    const names = [row().a[0], row().b[0]].map(shortId);
    return mode === 'differences' ? differencesOnly(shown, names) : sideBySide(shown, names, () => together, [name(row().a, row().b, 'id above'), name(row().b, row().a, 'id above')]);
  }

  /// Both names, each above its text; of vectors, whose numbers stand in one table, one after the other.
  function names(shown) {
    const two = [name(row().a, row().b), name(row().b, row().a)], mapped = shown && mode === 'shared' && (shown.a.pieces.length || shown.b.pieces.length);
    if (!shown?.vectors) return make('div', { class: mapped ? 'names sides over-map' : 'names sides' }, ...two);
    two.forEach((part, i) => part.prepend(make('span', { class: 'soft' }, ['First: ', 'Second: '][i])));
    return make('div', { class: 'names of-vectors' }, ...two);
  }

  function show() {
    const held = shownOf(row()), shown = held ? { ...held, code: data.code } : null, focused = document.activeElement?.textContent;
    const facts = shown && shown.facts.length ? make('dl', { class: 'inline' }, ...shown.facts.map(([term, text]) => make('div', {}, make('dt', {}, term), make('dd', {}, text)))) : null;
    const note = shown?.note ? make('p', { class: 'soft' }, shown.note) : '';
    dialog.replaceChildren(head(shown), facts ?? '', note, names(shown), make('div', { class: 'body' }, body(shown)));
    const again = all('button', dialog).find(part => part.textContent === focused && !part.disabled);
    (again ?? one('h2', dialog)).focus();
    history.replaceState(null, '', row().index === undefined ? location.pathname + location.search : '#pair-' + row().index);
  }

  dialog.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches('input[type=text]')) return;
    const action = { j: () => step(1), k: () => step(-1), a: () => mark('accept'), r: () => mark('reject'), d: () => { mode = mode === 'shared' ? 'differences' : 'shared'; show(); }, Escape: close }[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  });
  /// The focus goes back at once. The browser tells of the end later, perhaps after the next key.
  function close() {
    if (!isOpen) return;
    isOpen = false;
    dialog.close();
    history.replaceState(null, '', location.pathname + location.search);
    changed(row(), true);
  }
  dialog.addEventListener('close', () => { if (!dialog.open) close(); });  // unless a pair was opened since
  return {
    /// `among`: the rows to step through; `onChange(row, closed)` is told of marks and of the end.
    open(chosen, among, onChange) {
      [rows, at, changed] = [among, among.indexOf(chosen), onChange];
      if (!dialog.open) dialog.showModal();
      isOpen = true;
      show();
    },
  };
})();
