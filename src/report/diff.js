// The differences of two texts, word by word.

const tokens = text => visible(text).match(/\s+|[\p{L}\p{N}]+(?:[.,'’-][\p{L}\p{N}]+)*|[^\s]/gu) ?? [];
const kMostEdits = 3000;

/// How both lists follow from each other (Myers, "An O(ND) Difference Algorithm", 1986): [from, to, a's first, b's first) runs of equal
/// words, or null where they differ too much for it to be of use.
function equalRuns(a, b) {
  const most = Math.min(a.length + b.length, kMostEdits), reached = new Int32Array(2 * most + 3), history = [];
  const middle = most + 1;
  for (let edits = 0; edits <= most; ++edits) {
    history.push(reached.slice(middle - edits - 1, middle + edits + 2));
    for (let k = -edits; k <= edits; k += 2) {
      const down = k === -edits || (k !== edits && reached[middle + k - 1] < reached[middle + k + 1]);
      let x = down ? reached[middle + k + 1] : reached[middle + k - 1] + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) ++x;
      reached[middle + k] = x;
      if (x >= a.length && x - k >= b.length) return runsBack(a.length, b.length, history);
    }
  }
  return null;
}

function runsBack(aLength, bLength, history) {
  const runs = [];
  let x = aLength, y = bLength;
  for (let edits = history.length - 1; edits >= 0; --edits) {
    const before = history[edits], at = k => before[k + edits + 1], k = x - y;
    const down = k === -edits || (k !== edits && at(k - 1) < at(k + 1));
    const fromK = down ? k + 1 : k - 1, fromX = edits === 0 ? 0 : at(fromK), fromY = fromX - fromK;
    const begin = edits === 0 ? 0 : down ? fromX : fromX + 1;
    if (x > begin) runs.push({ a: begin, b: begin - k, length: x - begin });
    if (edits > 0) [x, y] = [fromX, fromY];
  }
  return runs.reverse();
}

/// The places where two texts differ: what stands before, each text's own words, and what follows. Differences with less than a few words
/// between them are one.
function differences(textA, textB, context = 14) {
  const a = tokens(textA), b = tokens(textB);
  const blank = words => words.map(word => (/^\s+$/.test(word) ? ' ' : word));
  const runs = equalRuns(blank(a), blank(b));
  if (runs === null) return null;
  const changes = [];
  let x = 0, y = 0;
  for (const run of [...runs, { a: a.length, b: b.length, length: 0 }]) {
    if (run.a > x || run.b > y) changes.push({ a: [x, run.a], b: [y, run.b] });
    [x, y] = [run.a + run.length, run.b + run.length];
  }
  const joined = [];
  for (const change of changes) {
    const last = joined[joined.length - 1];
    if (last && change.a[0] - last.end.a <= 2 * context) {
      last.parts.push(change);
      last.end = { a: change.a[1], b: change.b[1] };
    } else joined.push({ parts: [change], end: { a: change.a[1], b: change.b[1] } });
  }
  return joined.map(({ parts }) => ({ a: withContext(a, parts.map(part => part.a), context), b: withContext(b, parts.map(part => part.b), context) }));
}

/// Pieces [text, whether it differs] of one side.
function withContext(words, ranges, context) {
  const from = Math.max(ranges[0][0] - context, 0), to = Math.min(ranges[ranges.length - 1][1] + context, words.length);
  const pieces = from > 0 ? [['… ', false]] : [];
  let at = from;
  for (const [begin, end] of ranges) {
    pieces.push([words.slice(at, begin).join(''), false], [words.slice(begin, end).join(''), true]);
    at = end;
  }
  pieces.push([words.slice(at, to).join('') + (to < words.length ? ' …' : ''), false]);
  return pieces.filter(([text]) => text !== '');
}

/// Both texts in pieces [text, number of its passage or -1, …]. A passage is a run of words that both have in the same order. Texts that
/// differ too much have none.
function sharedRuns(textA, textB, fewestWords = 5) {
  const a = tokens(textA), b = tokens(textB);
  const plain = words => words.map(word => (/^\s+$/.test(word) ? ' ' : word.toLowerCase()));
  const isPassage = run => a.slice(run.a, run.a + run.length).filter(word => /[\p{L}\p{N}]/u.test(word)).length >= fewestWords;
  const runs = (equalRuns(plain(a), plain(b)) ?? []).filter(isPassage);
  return { a: inPassages(a, runs.map(run => [run.a, run.length])), b: inPassages(b, runs.map(run => [run.b, run.length])) };
}

/// `ranges`: the first word and the number of words of each passage, ascending.
function inPassages(words, ranges) {
  const pieces = [];
  let at = 0;
  ranges.forEach(([begin, length], passage) => {
    if (begin > at) pieces.push(words.slice(at, begin).join(''), -1);
    pieces.push(words.slice(begin, begin + length).join(''), passage);
    at = begin + length;
  });
  if (at < words.length) pieces.push(words.slice(at).join(''), -1);
  return pieces;
}
