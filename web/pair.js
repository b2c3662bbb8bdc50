// A neighbour beside what was asked with: what both have, and what only one has.
import { make, draw, terms, capital, visible, shortened, named, whole, counted, percent, kMeasures } from './parts.js';
import { request, index, itemName, isDistance, isVectors, isCode, partName, measured } from './served.js';

/// Whether the index has the texts of what it holds.
export const showsTexts = () => !isVectors() && index.texts;
export const nameOfAsked = asked => asked.name ?? 'Your text';

/// The server compares both, once for each neighbour of a question.
export function compared(hit, asked) {
  hit.compared ??= request('POST', 'v1/compare', { a: { text: asked.text }, b: { id: hit.id } });
  hit.compared.catch(() => { hit.compared = null; });  // so that it can be tried again
  return hit.compared;
}

const measureName = () => capital(kMeasures[index.measure] ?? index.measure);

/// What an open row of a neighbour shows of both texts.
export async function pairParts(hit, asked) {
  if (isVectors()) return [terms('parts', [[measureName(), measured(hit.similarity ?? hit.distance)]])];
  if (!index.texts) {
    return [make('p', { class: 'note' }, `This index does not keep the ${itemName()}s themselves. Create it with `, make('code', { class: 'flag' }, '--store-texts'), ' to see both side by side.')];
  }
  const pair = await compared(hit, asked);
  return [partsPicture(pair), terms('parts', partsOf(pair)),
    make('p', { class: 'soft' }, 'Text that both contain is ', make('mark', {}, 'marked and underlined'), '.'),
    make('div', { class: 'sides' }, side(nameOfAsked(asked), asked.name === null, pair.a), side(hit.id, false, pair.b)),
    ...passagesOf(pair)];
}

const only = (size, shared) => Math.max(size - shared, 0);

/// Only in the first, in both, only in the second: as long as they are many.
function partsPicture(pair) {
  const [a, b] = [only(pair.a_size, pair.shared), only(pair.b_size, pair.shared)], all = a + pair.shared + b || 1;
  const piece = (kind, from, size) => draw('rect', { class: kind, x: 100 * from / all + '%', width: 100 * size / all + '%', height: '100%' });
  return draw('svg', { class: 'venn', 'aria-hidden': 'true' }, piece('one', 0, a), piece('both', a, pair.shared), piece('one', a + pair.shared, b));
}

export function partsOf(pair) {
  const value = measured(pair.similarity ?? pair.distance);
  const out = [['Only in the first', `${whole(only(pair.a_size, pair.shared))} of its ${counted(pair.a_size, partName())}`], ['In both', counted(pair.shared, partName())],
    ['Only in the second', `${whole(only(pair.b_size, pair.shared))} of its ${counted(pair.b_size, partName())}`],
    [measureName(), isDistance() ? value : `${whole(pair.shared)} / ${whole(pair.total)} = ${value}`]];
  if (pair.estimate > 0) out.push(['Similarity estimated from the sketches', pair.estimate.toFixed(3)]);
  if (/ sketch=/.test(index.plan)) {
    out.push(['Chance of being compared, with new random hashes', percent(pair.found)],
      ['With these hashes', pair.candidate ? 'a search would compare them (a candidate pair)' : 'a search would not compare them (no candidate pair)']);
  }
  return out;
}

/// Parts that follow one another and are shared, by whichever passages, as one.
function stretches(parts) {
  const out = [];
  for (const { text, shared } of parts) {
    if (out.at(-1)?.shared === shared) out.at(-1).text += text; else out.push({ text, shared });
  }
  return out;
}

function side(name, own, marked) {
  const text = make('div', { class: isCode() ? 'text code' : 'text', role: 'region', tabindex: 0, dir: 'auto', 'aria-label': 'Text of ' + shortened(name, 200) },
    ...stretches(marked.parts).map(({ shared, text: words }) => (shared ? make('mark', {}, visible(words)) : visible(words))));
  const out = make('div', { class: 'side' }, make('p', { class: 'id' }, own ? name : named(name)), text);
  if (marked.parts.length === 0) text.replaceWith(make('p', { class: 'soft' }, 'No text.'));
  if (marked.left_out > 0) out.append(make('p', { class: 'soft' }, `${counted(marked.left_out, 'more byte')} ${marked.left_out === 1 ? 'is' : 'are'} not shown.`));
  if (marked.normalised) out.append(make('p', { class: 'soft' }, 'This is the normalised text, not the original.'));
  return out;
}

const passagesOf = pair => ((pair.passages ?? []).length === 0 ? [] : [make('details', {}, make('summary', {}, 'The longest shared passages'),
  make('ol', { class: 'passages' }, ...pair.passages.map(passage => make('li', { dir: 'auto' }, visible(passage)))))]);
