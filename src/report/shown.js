// What the page holds of a pair: its texts or vectors side by side.

const itemKey = item => item[0] + '\u0000' + item[1];

/// Items whose text or vector the page has, of a pair or alone.
const itemsShown = (() => {
  const known = new Map();
  const note = (item, side, vectors, numbers) => {
    if ((side.pieces.length || numbers) && !known.has(itemKey(item))) known.set(itemKey(item), { side, numbers, rows: vectors?.rows, columns: vectors?.columns });
  };
  for (const [a, b, , index] of data?.pairs ?? []) {
    const shown = data.shown[index];
    if (!shown) continue;
    note(data.items[a], shown.a, shown.vectors, shown.vectors?.a);
    note(data.items[b], shown.b, shown.vectors, shown.vectors?.b);
  }
  for (const [item, text, more] of data?.texts ?? []) note(data.items[item], { pieces: [text, -1], more });
  return known;
})();

const bothShown = row => itemsShown.has(itemKey(row.a)) && itemsShown.has(itemKey(row.b));

/// Two items that the page does not have as a pair. The run did not mark what these two share, so it is found here.
function shownFromOthers(row) {
  const [a, b] = [row.a, row.b].map(item => itemsShown.get(itemKey(item)));
  if (a.numbers && b.numbers) return { facts: [], a: a.side, b: b.side, vectors: { a: a.numbers, b: b.numbers, rows: a.rows, columns: a.columns } };
  const pieces = sharedRuns(textOf(a.side), textOf(b.side));
  return { facts: [], a: { ...a.side, pieces: pieces.a }, b: { ...b.side, pieces: pieces.b },
    note: (row.index === undefined ? 'This pair is not in the list of pairs. ' : '') + 'Marked: runs of five or more words that both texts contain, in the same order.' };
}

/// Whether the page has the whole text of an item; `side`: what it has of it.
const isWhole = (item, side) => (side?.pieces.length ? side.more === 0 : !item[1].endsWith('…'));

/// Null where the page has only the beginnings.
const shownOf = row => data.shown[row.shown] ?? (bothShown(row) ? (row.made ??= shownFromOthers(row)) : null);
