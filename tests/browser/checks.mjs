// What is asked of a page, and what a pair of texts must share. Functions of pages run in the browser.
import assert from 'node:assert/strict';

export const wordsOf = text => [...text.toLowerCase().matchAll(/[a-z0-9]+/g)].map(([word]) => word);

const runsOf = (words, size) => words.map((_, i) => words.slice(i, i + size).join(' ')).slice(0, Math.max(words.length - size + 1, 0));

/// The Jaccard similarity of two texts' runs of `size` words.
export function similarity(a, b, size) {
  const [mine, others] = [new Set(runsOf(a, size)), new Set(runsOf(b, size))];
  const shared = [...mine].filter(run => others.has(run)).length;
  return shared === 0 ? 0 : shared / (mine.size + others.size - shared);
}

/// Which words of `a` stand in a run of `size` words that `b` has too.
export function sharedWords(a, b, size) {
  const others = new Set(runsOf(b, size));
  const shared = a.map(() => false);
  runsOf(a, size).forEach((run, i) => { if (others.has(run)) shared.fill(true, i, i + size); });
  return shared;
}

/// Of a page: for each pair of texts side by side both, word by word, each word with whether it is marked. Pairs with a script in them are left
/// out: their words are not those of these tests.
export function wordsOfSides() {
  const words = text => {
    const marks = [];
    let whole = '';
    for (const node of text.childNodes) {
      if (node.nodeName === 'MARK') marks.push([whole.length, whole.length + node.textContent.length]);
      whole += node.textContent;
    }
    return [...whole.matchAll(/[A-Za-z0-9]+/g)].map(({ 0: word, index }) =>
      ({ word: word.toLowerCase(), marked: marks.some(([begin, end]) => begin <= index && index < end) }));
  };
  return [...document.querySelectorAll('.sides')].filter(sides => sides.querySelector('.text') && !sides.textContent.includes('<script>')).map(sides =>
    [...sides.querySelectorAll('.text')].map(words));
}

/// That the marks of both texts, as wordsOfSides gives them, are the words in runs of `size` words that the other text has too.
export function assertMarks([a, b], size) {
  for (const [mine, others] of [[a, b], [b, a]]) {
    const shared = sharedWords(mine.map(word => word.word), others.map(word => word.word), size);
    assert.ok(mine.length > size && shared.some(Boolean));
    assert.deepEqual(mine.map(word => word.marked), shared, mine.map(word => word.word).join(' '));
  }
}

/// Of a page: its headings, landmarks, ids, and the controls that have no name.
export function headings() {
  const isNamed = part => part.labels?.length || part.textContent.trim() || part.getAttribute('aria-label') || document.getElementById(part.getAttribute('aria-labelledby'));
  return {
    levels: [...document.querySelectorAll('h1,h2,h3,h4,h5,h6')].map(heading => Number(heading.tagName[1])),
    landmarks: ['header', 'nav', 'main', 'footer'].map(tag => document.querySelectorAll('body>' + tag).length),
    ids: [...document.querySelectorAll('[id]')].map(part => part.id),
    unnamed: [...document.querySelectorAll('input,textarea,button,[role=region],svg[role=img]')].filter(part => !isNamed(part)).map(part => part.outerHTML.slice(0, 100)),
  };
}

/// Of a page: the least contrast of any text that is shown, and where.
export function leastContrast() {
  const parse = colour => (colour.match(/[\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
  const luminance = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map(c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const ground = part => {
    for (; part; part = part.parentElement) {
      const colour = parse(getComputedStyle(part).backgroundColor);
      if (colour.length < 4 || colour[3] === 1) return colour;
      if (colour[3] > 0) throw new Error('a ground that can be seen through: ' + part.outerHTML.slice(0, 80));
    }
    return [255, 255, 255];
  };
  let least = { ratio: 99, text: '' }, texts = 0;
  const look = (part, words) => {
    const style = getComputedStyle(part);
    const ink = luminance(parse(part.namespaceURI.endsWith('svg') ? style.fill : style.color)), paper = luminance(ground(part));
    const ratio = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
    ++texts;
    if (ratio < least.ratio) least = { ratio, text: part.tagName + '.' + part.getAttribute('class') + ' ' + words.slice(0, 60) };
  };
  for (const part of document.querySelectorAll('input:not([type=range]),textarea')) if (part.checkVisibility()) look(part, part.id);
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const part = node.parentElement;
    if (!node.textContent.trim() || ['SCRIPT', 'STYLE', 'NOSCRIPT', 'title', 'desc'].includes(part.tagName) || !part.checkVisibility()) continue;
    look(part, node.textContent.trim());
  }
  return { ...least, texts };
}
