// What the page is made of: its elements, and numbers in words.
import { make, visible, whole, counted } from './shared.js';

export { make, draw, button, visible, whole, counted } from './shared.js';

// Parts of the page.

export const by = id => document.getElementById(id);
export const terms = (kind, pairs) => make('dl', { class: kind }, ...pairs.map(([term, text]) => make('div', {}, make('dt', {}, term), make('dd', {}, text))));
export const capital = text => text[0].toUpperCase() + text.slice(1);
export const shortened = (text, most) => (text.length > most ? text.slice(0, most) + '…' : text);
export const named = id => make('code', { dir: 'auto' }, visible(shortened(id, 200)));
export const say = (part, ...words) => {
  part.classList.remove('note');
  part.replaceChildren(...words);
};
export const complain = (part, error) => {
  if (part.classList.contains('note') && part.lastChild?.textContent === ' ' + visible(error.message)) return;  // said already
  part.classList.add('note');
  part.replaceChildren(make('strong', {}, error.title ? error.title + ':' : 'Note:'), ' ' + visible(error.message));
};

// Numbers and words, as the report writes them.

const threeDigits = value => String(Number(value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)));
/// Cut, not rounded: nothing reads as if it reached what it does not.
export const decimals = value => String(Math.sign(value) * Math.floor(Math.abs(value) * 1e6 * (1 + 1e-12) + 1e-6) / 1e6);
export const percent = share => {
  if (!(share > 0)) return '0\u00A0%';
  if (share >= 1) return '100\u00A0%';
  const scale = 10 ** (share < 1e-5 ? 5 : share < 0.01 || share >= 0.999 ? 3 : 1);
  return Math.floor(share * 100 * scale * (1 + 1e-12)) / scale + '\u00A0%';
};
export const bytes = size => {
  if (size < 1000) return counted(size, 'byte');
  const names = ['kB', 'MB', 'GB', 'TB'];
  let value = size / 1000, i = 0;
  for (; value >= 999.5 && i + 1 < names.length; ++i) value /= 1000;
  return threeDigits(value) + '\u00A0' + names[i];
};
export const duration = seconds => (seconds < 0.9995 ? threeDigits(seconds * 1000) + '\u00A0ms' : threeDigits(seconds) + '\u00A0s');
export const kMeasures = {
  jaccard: 'Jaccard similarity', 'weighted-jaccard': 'weighted Jaccard similarity', cosine: 'cosine similarity',
  hamming: 'Hamming distance', euclidean: 'Euclidean distance', manhattan: 'Manhattan distance',
};
