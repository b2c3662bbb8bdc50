// A neighbour beside what was asked with, over the whole window, as the report of a run shows a pair (src/report/viewer.js).
import { make, button, terms, named, complain, whole } from './parts.js';
import { all, one, sideBySide, differencesOnly } from './shared.js';
import { isCode, measured } from './served.js';
import { compared, nameOfAsked, partsOf } from './pair.js';

let hits = [], at = -1, asked = null, mode = 'shared', together = true, isOpen = false, told = () => {};
const dialog = make('dialog', { id: 'viewer', 'aria-labelledby': 'viewer-title' });
document.body.append(dialog);

const step = by => { if (hits[at + by]) { at += by; show(); } };
const choose = what => { mode = what; show(); };
const tell = () => told(hits[at].id, mode === 'differences' ? mode : '');
const choice = (text, what) => button(text, () => choose(what), { 'aria-pressed': String(mode === what) });

function head() {
  const { similarity, distance } = hits[at];
  const box = make('input', { type: 'checkbox', id: 'together', onchange: event => { together = event.target.checked; } });
  box.checked = together;
  return make('div', { class: 'bar' },
    make('h2', { id: 'viewer-title', tabindex: -1 }, make('span', { class: 'value' }, measured(similarity ?? distance))),
    hits.length > 1 ? make('div', { class: 'keys' }, button('Previous', () => step(-1), { 'aria-keyshortcuts': 'k', disabled: at === 0 }),
      make('span', { class: 'soft' }, `${whole(at + 1)} of ${whole(hits.length)}`),
      button('Next', () => step(1), { 'aria-keyshortcuts': 'j', disabled: at === hits.length - 1 })) : null,
    make('div', { class: 'keys', role: 'group', 'aria-label': 'What is shown' }, choice('Shared passages', 'shared'), choice('Differences only', 'differences')),
    mode === 'shared' ? make('label', { class: 'together' }, box, ' Scroll together') : null,
    button('Close', closeViewer, { class: 'close', 'aria-keyshortcuts': 'Escape' }));
}

const sideOf = side => ({ pieces: side.parts.flatMap(part => [part.text, part.passage ?? -1]), more: side.left_out, normalised: side.normalised });

function bodyOf(pair) {
  const shown = { a: sideOf(pair.a), b: sideOf(pair.b), code: isCode() };
  const names = [nameOfAsked(asked), hits[at].id];
  return mode === 'differences' ? differencesOnly(shown, names) : sideBySide(shown, names, () => together);
}

async function show() {
  const hit = hits[at], focused = document.activeElement?.textContent;
  const facts = make('div', {}), body = make('div', { class: 'body' }, make('p', { class: 'soft', role: 'status' }, 'Reading…'));
  const names = [asked.name === null ? nameOfAsked(asked) : named(asked.name), named(hit.id)].map(name => make('div', { class: 'id' }, name));
  dialog.replaceChildren(head(), facts, make('div', { class: mode === 'shared' ? 'names sides over-map' : 'names sides' }, ...names), body);
  (all('button', dialog).find(part => part.textContent === focused && !part.disabled) ?? one('h2', dialog)).focus();
  tell();
  try {
    const pair = await compared(hit, asked);
    if (hit !== hits[at]) return;  // another one is shown by now
    facts.replaceChildren(terms('inline', partsOf(pair)));
    body.replaceChildren(bodyOf(pair));
  } catch (error) {
    const trouble = make('p', { role: 'alert' });
    complain(trouble, error);
    body.replaceChildren(trouble);
  }
}

dialog.addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const action = { j: () => step(1), k: () => step(-1), d: () => choose(mode === 'shared' ? 'differences' : 'shared'), Escape: closeViewer }[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});
/// The end is told at once. The browser tells of it later, perhaps after the next key.
export function closeViewer() {
  if (!isOpen) return;
  isOpen = false;
  dialog.close();
  told(null);
}
dialog.addEventListener('close', () => { if (!dialog.open) closeViewer(); });  // unless a pair was opened since

/// `of`: the neighbours to step through; `onShow(id, what)` is told of each that is shown and of what is shown of it, "differences" or "" for
/// all, and of null at the end. `what`: what is shown first, if that is not what was shown last.
export function openViewer(of, hit, question, onShow, what = mode) {
  [hits, at, asked, told, mode] = [of, of.indexOf(hit), question, onShow, what];
  if (!dialog.open) dialog.showModal();
  isOpen = true;
  show();
}
