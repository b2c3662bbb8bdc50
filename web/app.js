// The server's page: asks the index, compares, adds and removes, over the same HTTP interface that anyone may use (openapi.json).
// All that the server or a person says is written as text, never as HTML. A pair looks as in the report (src/report/pairs_section.cc).
import {
  by, make, draw, button, visible, shortened, named, say, complain, whole, counted, percent, bytes, duration,
} from './parts.js';
import {
  Problem, token, request, addressOf, index, itemName, requirePlaces, isDistance, border, borderName, isShare, goal, isBits, isVectors, isCode, partName,
  measured, refreshes, refresh,
} from './served.js';
import { isShown, showInAddress, viewOf } from './address.js';
import { pairParts, showsTexts } from './pair.js';
import { closeViewer, openViewer } from './viewer.js';

const kInBox = 200_000;          // characters; a longer text is held beside the box, which would grow slow
const kShown = 200_000;          // characters of a stored text that are shown
const kLargestFile = 64 << 20;   // bytes
const kRefresh = 5_000;          // milliseconds between two looks at the counters
const kItemsAtOnce = 10;
const kMostRows = 1_000;         // neighbours shown
const kMostListed = 1_000;       // items listed by an address
const kExamples = 20;            // items among which an example is looked for
const kUndo = 5_000;             // milliseconds in which a removal can be undone

// What is asked with: in the box, or held beside it where it is long.

let held = null;      // {text, name}; the text is null where an item is asked with by its id, which is the name
let fileName = null;  // of what is in the box
let itemId = null;    // of the item whose text is asked with, where it is one
const subject = () => held ?? { text: by('box').value, name: fileName };

function hold(text, name, id = null) {
  itemId = id;
  held = text === null || text.length > kInBox ? { text, name } : null;
  fileName = held ? null : name;
  by('box').value = held ? '' : text;
  by('box').hidden = held !== null;
  by('held').hidden = held === null;
  by('box-label').htmlFor = held ? 'held-text' : 'box';
  if (!held) return;
  const about = text === null ? ', an item of this index.' : `, ${counted(text.length, 'character')}. It begins:`;
  by('held-name').replaceChildren(make('strong', { dir: 'auto' }, visible(name)), about);
  by('held-text').textContent = visible(shortened(text ?? '', 2_000));
  by('held-text').hidden = text === null;
}

async function readFile(file) {
  if (file.size > kLargestFile) throw new Problem(0, 'File', `${file.name} is too large: it has ${bytes(file.size)}, and this page reads files of ${bytes(kLargestFile)} or less`);
  const raw = await file.arrayBuffer();
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(raw), sound: true };
  } catch {
    return { text: new TextDecoder('utf-8').decode(raw), sound: false };
  }
}

async function takeFile(file) {
  try {
    const { text, sound } = await readFile(file);
    hold(text, file.name);
    if (!by('new-id').value) by('new-id').value = file.name;
    await ask();
    if (!sound) by('asked').append(' The file is not UTF-8: what could not be read was replaced.');
  } catch (error) {
    complain(by('asked'), error);
  }
}

/// The body's part that says what is asked with, or put. Throws where a vector cannot be read.
function itemOf(text) {
  if (!isVectors()) return { text };
  if (isBits()) {
    const bits = text.replace(/\s+/g, '');
    requirePlaces(bits.length);
    return { bits };
  }
  if (!/^\s*[[{]/.test(text)) text = '[' + text.trim().split(/[\s,;]+/).join(',') + ']';
  let vector;
  try {
    vector = JSON.parse(text);
  } catch (error) {
    throw new Problem(0, 'Vector', `the numbers cannot be read (${error.message}); give them as a JSON array, such as [0.25, 0.5]`);
  }
  if (Array.isArray(vector)) requirePlaces(vector.length);
  return { vector };
}

// Asking.

/// A value of the metadata, as JSON. A number, true, false and null go as they were typed, so that no digit is lost, and so does what is in
/// quotes; all else is a string.
const valueTyped = typed => (/^(true|false|null|-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?|"([^"\\]|\\.)*")$/.test(typed) ? typed : JSON.stringify(typed));

/// "desk = city": the field and the value that the metadata must have, as JSON; null where nothing is typed.
function filterOf(typed) {
  if (typed.trim() === '') return null;
  const [field, ...value] = typed.split('=');
  if (value.length === 0 || field.trim() === '') throw new Problem(0, 'Filter', `"${typed.trim()}" is not a filter; write a field and a value, such as desk = city`);
  return `{${JSON.stringify(field.trim())}:${valueTyped(value.join('=').trim())}}`;
}

let asking = new AbortController();
let answered = { hits: [], asked: null, view: {} };  // what the neighbours on the page are those of, and its address

const isWider = wanted => (isDistance() ? wanted > border() : wanted < border());
function question({ text, name }) {
  const body = { ...(text === null ? { id: name } : itemOf(text)), limit: Number(by('limit').value), metadata: true, explain: true };
  const wanted = by('border').value;
  if (wanted !== '' && isWider(Number(wanted))) {
    throw new Problem(0, null, `${isDistance() ? 'Radius' : 'Threshold'} ${wanted} is ${isDistance() ? `above ${border()}, the largest` : `below ${border()}, the lowest`} that this index can search.`);
  }
  if (wanted !== '' && Number(wanted) !== border()) body[borderName()] = Number(wanted);
  return body;
}

async function ask() {
  asking.abort();
  const mine = asking = new AbortController();
  const asked = { ...subject() };
  say(by('asked'));
  if (index === null || asked.text?.trim() === '') {
    say(by('asked'), index === null ? 'The index could not be read yet.' : `Nothing to search for yet: paste a ${itemName()}, or choose a file.`);
    by('hits').replaceChildren();
    by('hits').removeAttribute('aria-busy');
    by('box').focus();
    return;
  }
  const slow = setTimeout(() => say(by('asked'), 'Searching…'), 200);
  by('hits').setAttribute('aria-busy', 'true');
  try {
    const body = question(asked), where = filterOf(by('where').value);
    const answer = await request('POST', 'v1/query', where ? `${JSON.stringify(body).slice(0, -1)},"where":${where}}` : body, mine.signal);
    showHits(answer, asked, { ...body, where });
    answered = { hits: answer.hits.slice(0, kMostRows), asked, view: itemId === null ? { text: asked.text } : { ask: itemId } };
    remember(answered.view);
    refresh();
  } catch (error) {
    if (error.name === 'AbortError') return;  // another question is under way
    complain(by('asked'), error);
    by('hits').replaceChildren();
  } finally {
    clearTimeout(slow);
    if (mine === asking) by('hits').removeAttribute('aria-busy');
    if (by('asked').getBoundingClientRect().top > innerHeight - 80) by('asked').scrollIntoView({ block: 'center' });
  }
}

function answerWords(answer, body) {
  const found = answer.hits.length, at = body[borderName()] ?? border(), explain = answer.explain ?? {};
  const work = ` Looked at ${counted(answer.looked_at, 'item')}` + (explain.seconds === undefined ? '.' : ` in ${duration(explain.seconds)}.`);
  const early = answer.stopped_early ? ' The search was stopped early: there may be more.' : '';
  if (explain.size === 0) return `The query has no ${partName()}s to compare, so nothing is similar to it.`;
  if (found === 0 && index.items === 0) return 'The index is empty: add items, and search again.';
  if (found === 0) {
    return `Nothing found ${goal(at)}${body.where ? ', among the items with that metadata' : ''}.` + (explain.found_at_threshold < 1
      ? ` An item exactly at the ${borderName()} would be found with a probability of ${percent(explain.found_at_threshold)}.` : '') + work + early;
  }
  const full = body.limit > 0 && found === body.limit;
  const nearest = found === 1 ? 'The nearest neighbour ' : `The ${counted(found, 'nearest neighbour')} `;
  return (full ? nearest : counted(found, 'neighbour') + ' ') + goal(at) + (full ? '; there may be more.' : '.') + work + early;
}

function showHits(answer, asked, body) {
  const rows = answer.hits.slice(0, kMostRows).map(hit => hitRow(hit, asked));
  const rest = answer.hits.length - rows.length;
  say(by('asked'), answerWords(answer, body) + (rest > 0 ? ` The first ${whole(kMostRows)} are shown.` : ''));
  by('hits').replaceChildren(...(rows.length > 0 ? [make('ol', { class: 'pairs' }, ...rows)] : []));
}

function metadataWords(metadata) {
  const entries = Object.entries(metadata ?? {}).slice(0, 4).map(([field, value]) => field + ': ' + (typeof value === 'string' ? value : JSON.stringify(value)));
  return visible(shortened(entries.join(' · '), 160));
}

/// A row that opens: its body is made when it is first open, Escape closes it.
function row(id, plain, summary, makeBody) {
  const body = make('div');
  const details = make('details', { class: plain ? 'pair plain' : 'pair' }, summary, body);
  let made = false;
  details.addEventListener('toggle', async () => {
    if (!details.open || made) return;
    made = true;
    try {
      body.replaceChildren(make('p', { class: 'soft', role: 'status' }, 'Reading…'));
      body.replaceChildren(...await makeBody(details));
    } catch (error) {
      made = false;
      const trouble = make('p', { role: 'alert' });
      complain(trouble, error);
      body.replaceChildren(trouble);
    }
  });
  details.addEventListener('keydown', event => {
    if (event.key !== 'Escape' || !details.open) return;
    event.preventDefault();
    details.open = false;
    summary.focus();
  });
  const item = make('li', {}, details);
  item.itemId = id;
  return item;
}

function hitRow(hit, asked) {
  const value = hit.similarity ?? hit.distance;
  const places = Number(/\d+/.exec(index.vectors ?? '')?.[0] ?? 1);
  const share = isDistance() ? 1 - value / (border() * (isShare() ? places : 1) * 1.25 || 1) : value;  // a small distance fills much of the bar
  const bar = draw('svg', { class: 'across', 'aria-hidden': 'true' }, draw('rect', { width: Math.min(Math.max(share, 0), 1) * 100 + '%', height: '100%' }));
  const names = make('span', { class: 'names' }, named(hit.id));
  if (hit.metadata) names.append(make('span', { class: 'about', dir: 'auto' }, metadataWords(hit.metadata)));
  const summary = make('summary', {}, make('span', { class: 'value' }, measured(value)), bar, names);
  return row(hit.id, false, summary, async details => [...await pairParts(hit, asked), ...metadataParts(hit.metadata), stepsOf(hit, details)]);
}

const metadataLines = metadata => make('pre', { class: 'line' }, make('code', { dir: 'auto' }, visible(JSON.stringify(metadata, null, 2))));
const metadataParts = metadata => (metadata === undefined ? [] : [make('details', {}, make('summary', {}, 'Metadata'), metadataLines(metadata))]);

/// A neighbour and what was asked with, over the whole window.
const openPair = (hit, what) => openViewer(answered.hits, hit, answered.asked, (id, show) => remember(id === null ? answered.view : { ...answered.view, pair: id, show }), what);

function stepsOf(hit, details) {
  const step = by => () => {
    const rows = [...details.closest('ol').querySelectorAll(':scope>li>details')];
    const to = rows[rows.indexOf(details) + by];
    if (!to) return;
    details.open = false;
    to.open = true;
    to.firstChild.focus();
    to.firstChild.scrollIntoView({ block: 'start' });
  };
  const alone = details.closest('ol').children.length === 1;
  return make('div', { class: 'steps' }, showsTexts() ? button('Full window', () => openPair(hit)) : null, ...(alone ? [] : [button('Previous neighbour', step(-1)), button('Next neighbour', step(1))]), removeButton(hit.id));
}

// Adding and removing.

const removals = new Set();  // that can still be undone: each does its work at once

/// Asks once more before it removes, and leaves a moment in which it can be undone. Who leaves the page in that moment has not undone it.
function removeButton(id) {
  const place = make('span', { class: 'does' });
  const settle = () => place.replaceChildren(button('Remove it from the index', confirm));
  let soon = null;
  const end = () => { clearTimeout(soon); removals.delete(removeNow); };
  const back = () => { end(); settle(); place.firstChild.focus(); };
  const remove = () => {
    soon = setTimeout(removeNow, kUndo);
    removals.add(removeNow);
    const undo = button('Undo', back);
    place.replaceChildren(make('span', { role: 'status' }, 'Removing ', named(id), '…'), undo);
    undo.focus();
  };
  const removeNow = async () => {
    end();
    try {
      await request('DELETE', addressOf(id), undefined, undefined, true);
      dropRows(id);
      refresh();
    } catch (error) {
      const trouble = make('span', { role: 'alert' });
      complain(trouble, error);
      back();
      place.append(trouble);
    }
  };
  const confirm = () => {
    place.replaceChildren(make('span', {}, 'Remove ', named(id), ' from the index?'), button('Yes, remove it', remove), button('Keep it', back));
    place.children[1].focus();
  };
  place.addEventListener('keydown', event => {
    if (event.key !== 'Escape' || place.children.length < 2) return;
    event.stopPropagation();
    back();
  });
  settle();
  return place;
}

/// Says so wherever the item was listed, and leaves the keyboard there.
function dropRows(id) {
  for (const item of document.querySelectorAll('ol.pairs>li')) {
    if (item.itemId !== id) continue;
    const hadFocus = item.contains(document.activeElement);
    item.replaceChildren(make('p', { class: 'gone soft', role: 'status', tabindex: -1 }, named(id), ' was removed.'));
    if (hadFocus) item.firstChild.focus();
  }
}

/// What is put, as JSON: the metadata as it was typed, so that no digit of it is lost.
function bodyTyped() {
  const item = JSON.stringify(itemOf(subject().text)), typed = by('new-metadata').value.trim();
  if (typed === '') return item;
  try {
    JSON.parse(typed);
    return `${item.slice(0, -1)},"metadata":${typed}}`;
  } catch (error) {
    throw new Problem(0, 'Metadata', `this is not JSON (${error.message}); give an object, such as {"source": "desk"}`);
  }
}

async function isThere(id) {
  try {
    await request('GET', addressOf(id));
    return true;
  } catch (error) {
    if (error.status === 404) return false;
    throw error;
  }
}

async function put(id, body) {
  const answer = await request('PUT', addressOf(id), body);
  say(by('added'), answer.replaced ? 'Replaced ' : 'Added ', named(id), '.');
  by('add-form').reset();
  refresh();
  listItems();
}

async function add() {
  const id = by('new-id').value;
  try {
    if ((subject().text ?? '').trim() === '') throw new Problem(0, null, `There is no ${itemName()} in the box above yet; paste one, or choose a file.`);
    const body = bodyTyped();
    if (!await isThere(id)) return await put(id, body);
    const replace = button('Replace it', () => put(id, body).catch(error => complain(by('added'), error)));
    say(by('added'), make('p', {}, 'The index already has an item ', named(id), '.'),
      make('p', { class: 'does' }, replace, button('Leave it as it is', () => { say(by('added')); by('new-id').focus(); })));
    replace.focus();
  } catch (error) {
    complain(by('added'), error);
  }
}

// The items, in the order of their ids.

let next = null;  // the cursor of the next ones
let listing = 0;  // the number of the list that was asked for last
const kMostPages = 200;  // of a search, asked for one after the other until something is found

function itemRow({ id, metadata, begins }) {
  const about = metadataWords(metadata) || visible(shortened((begins ?? '').replace(/\s+/g, ' '), 80));
  const names = make('span', { class: 'names' }, named(id));
  if (about) names.append(make('span', { class: 'about', dir: 'auto' }, about));
  return row(id, true, make('summary', {}, names), async () => {
    remember({ item: id });
    const item = await request('GET', addressOf(id));
    const search = () => { hold(item.text ?? null, id, id); by('ask').scrollIntoView(); by('ask-button').focus({ preventScroll: true }); ask(); };
    const out = [make('p', { class: 'soft' }, counted(item.size, partName()) + '.')];
    if (item.metadata !== undefined) out.push(metadataLines(item.metadata));
    if (item.text !== undefined) {
      out.push(make('div', { class: isCode() ? 'text code' : 'text', role: 'region', tabindex: 0, dir: 'auto', 'aria-label': 'Text of ' + shortened(id, 200) }, visible(shortened(item.text, kShown))));
      if (item.text.length > kShown) out.push(make('p', { class: 'soft' }, counted(item.text.length - kShown, 'more character') + ' are not shown.'));
    }
    return [...out, make('div', { class: 'steps' }, button('Search with this item', search), removeButton(id))];
  });
}

/// Asks with an item of the index, to show what an answer looks like: with one that has a neighbour, if there is one soon.
async function showExample() {
  try {
    const { ids } = await request('GET', `v1/items?limit=${kExamples}`);
    let first = null;
    for (const id of ids) {
      const { hits, explain } = await request('POST', 'v1/query', { id, limit: 1, explain: true });
      if (hits.length > 0) return await askWithItem(id);
      if (explain.size > 0) first ??= id;  // others have nothing to compare
    }
    if (first !== null) await askWithItem(first);
  } catch (error) {
    complain(by('asked'), error);
  }
}

async function askWithItem(id) {
  const item = await request('GET', addressOf(id));
  hold(item.text ?? null, id, id);
  await ask();
}

/// A page of items from the cursor on. A search goes on until it has found some: the server looks at some thousand at a time.
async function pageOf(wanted, cursor, isCurrent) {
  let page = { items: [], next: cursor };
  for (let pages = 0; page.items.length === 0 && page.next !== null && pages < kMostPages && isCurrent(); ++pages) {
    page = await request('GET', `v1/items?details=true&limit=${kItemsAtOnce}` + (wanted === '' ? '' : '&contains=' + encodeURIComponent(wanted))
      + (page.next === undefined ? '' : '&cursor=' + encodeURIComponent(page.next)));
  }
  return page;
}

async function listItems(cursor) {
  const mine = ++listing, isCurrent = () => mine === listing, wanted = by('find').value.trim();
  const slow = setTimeout(() => say(by('listed'), 'Looking…'), 200);
  try {
    const page = await pageOf(wanted, cursor, isCurrent);
    if (!isCurrent()) return;
    if (cursor === undefined) by('item-list').replaceChildren(make('ol', { class: 'pairs' }));
    const rows = page.items.map(itemRow);
    by('item-list').firstChild.append(...rows);
    if (cursor !== undefined && rows.length > 0) rows[0].querySelector('summary').focus();
    next = page.next ?? null;
    by('more').hidden = next === null;
    const none = next !== null ? 'Nothing found so far. Press “More items” to search the rest.' : wanted === '' ? 'There are no items yet.' : 'Nothing found.';
    say(by('listed'), by('item-list').firstChild.children.length === 0 ? none : '');
  } catch (error) {
    if (isCurrent()) complain(by('listed'), error);
  } finally {
    clearTimeout(slow);
  }
}

function findItems() {
  remember({ find: by('find').value.trim() });
  return listItems();
}

const listedNow = () => by('item-list').firstChild?.children.length ?? 0;
async function moreItems() {
  await listItems(next);
  remember({ find: by('find').value.trim(), listed: String(listedNow()) });
}
/// As many items as an address says.
async function listAgain({ find = '', listed = '' }) {
  by('find').value = find;
  await listItems();
  const most = Math.min(Number(listed) || 0, kMostListed);
  for (let before = 0; next !== null && listedNow() < most && listedNow() > before;) {
    before = listedNow();
    await listItems(next);
  }
  by('items').scrollIntoView();
}

/// An item that an address names, wherever it is in the list.
function showItem(id) {
  ++listing;  // a list that is still under way must not replace it
  const found = itemRow({ id });
  by('item-list').replaceChildren(make('ol', { class: 'pairs' }, found));
  by('more').hidden = true;
  found.firstChild.open = true;
  found.querySelector('summary').focus();
}

/// What an address asks for: an item, a search for items, a question with the text of an item, or one with a text.
async function showAddress() {
  let view = null;
  try {
    view = await viewOf(location.hash);
  } catch (error) {
    complain(by('asked'), error);
  }
  if (view === null) return;
  by('border').value = view.border ?? border();
  by('limit').value = view.limit ?? by('limit').defaultValue;
  by('where').value = view.where ?? '';
  by('narrow').open ||= Boolean(view.border || view.limit || view.where);
  try {
    closeViewer();
    if (view.item) {
      showItem(view.item);
    } else if (view.find || view.listed) {
      await listAgain(view);
    } else if (view.ask) {
      await askWithItem(view.ask);
    } else {
      hold(view.text, view.text.length > kInBox ? 'Text from the address of this page' : null);
      await ask();
    }
    const hit = view.pair && showsTexts() && answered.hits.find(({ id }) => id === view.pair);
    if (hit) openPair(hit, view.show === 'differences' ? view.show : 'shared');
  } catch (error) {
    complain(by('asked'), error);
  }
}

/// The settings that differ from those of the index belong to the address of a question.
function remember(view) {
  const settings = { border: Number(by('border').value) === border() ? '' : by('border').value,
    limit: by('limit').value === by('limit').defaultValue ? '' : by('limit').value, where: by('where').value.trim() };
  showInAddress(view.text ?? view.ask ? { ...view, ...settings } : view);
}

/// False: the index cannot be read, or asks for a token.
async function start() {
  if (!await refresh()) return false;
  by('example').hidden = index.items === 0;
  listItems().then(() => { if (!isShown()) showAddress(); });  // someone may have asked meanwhile
  return true;
}

const submits = (form, action) => by(form).addEventListener('submit', event => { event.preventDefault(); action(); });
submits('ask-form', ask);
submits('add-form', add);
submits('find-form', findItems);
submits('token-form', async () => {
  token.set(by('token').value);
  if (!await start()) return;
  by('token-form').reset();
  by('token-form').hidden = true;
  by('box').focus();
});
by('forget').addEventListener('click', () => { token.forget(); location.reload(); });
by('example').addEventListener('click', showExample);
window.addEventListener('hashchange', () => { if (index !== null) showAddress(); });
by('more').addEventListener('click', moreItems);
by('let-go').addEventListener('click', () => { hold('', null); by('box').focus(); });
by('choose').addEventListener('click', () => by('file').click());
by('file').addEventListener('change', () => { if (by('file').files.length > 0) takeFile(by('file').files[0]); by('file').value = ''; });
by('box').addEventListener('keydown', event => { if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); ask(); } });
by('box').addEventListener('input', () => { fileName = itemId = null; });  // no longer what the file or the item has
by('box').addEventListener('paste', event => {
  const text = event.clipboardData.getData('text/plain');
  if (text.length <= kInBox) return;
  event.preventDefault();
  hold(text, 'Pasted text');
});
const dragsFile = event => event.dataTransfer?.types.includes('Files');
for (const kind of ['dragover', 'dragleave', 'drop']) {
  window.addEventListener(kind, event => {
    if (!dragsFile(event)) return;
    event.preventDefault();
    by('drop').classList.toggle('over', kind === 'dragover');
    if (kind === 'drop' && event.dataTransfer.files.length > 0) takeFile(event.dataTransfer.files[0]);
  });
}
by('copy').addEventListener('click', () => {
  const done = () => { by('copy').textContent = 'Copied'; };
  const select = () => { getSelection().selectAllChildren(by('plan-line')); by('copy').textContent = 'Selected: press Ctrl+C to copy'; };
  if (navigator.clipboard) navigator.clipboard.writeText(by('plan-line').textContent).then(done, select); else select();
});
addEventListener('pagehide', () => { for (const removeNow of removals) removeNow(); });
document.addEventListener('visibilitychange', () => { if (!document.hidden) refresh(); });
setInterval(() => { if (!document.hidden && refreshes === 0 && by('token-form').hidden) refresh(); }, kRefresh);
start();
