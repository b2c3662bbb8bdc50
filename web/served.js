// The index that is served: requests to the server, counters, the plan and its curve.
import {
  by, terms, capital, complain, whole, counted, decimals, percent, bytes, duration, kMeasures,
} from './parts.js';

const kTokenKey = 'nearkin-token';

// The server.

export class Problem extends Error {
  constructor(status, title, detail) {
    super(detail);
    Object.assign(this, { status, title });  // no title: the detail says all
  }
}
export const token = {
  get: () => { try { return sessionStorage.getItem(kTokenKey); } catch { return null; } },
  set: value => { try { sessionStorage.setItem(kTokenKey, value); } catch { /* it will be asked for again */ } },
  forget: () => { try { sessionStorage.removeItem(kTokenKey); } catch { /* there was none */ } },
};
/// Where the server asks for one.
function askForToken() {
  if (!by('token-form').hidden) return;
  by('token-form').hidden = false;
  by('token').focus();
}
const problemOf = (answer, text) => {
  let said = null;
  try { said = JSON.parse(text); } catch { /* not the server's own words: those of something between */ }
  if (!said?.detail) return new Problem(answer.status, 'HTTP status ' + answer.status, answer.statusText || 'the server gave no reason');
  const [, field, words] = /^([a-z]\w*): ([^]*)$/.exec(said.detail) ?? [];  // "threshold: 2 is not between 0 and 1"
  return new Problem(answer.status, field ? capital(field) : null, words ?? said.detail);
};
/// `body`: JSON as a text, or a value that becomes one. `keepalive`: it is sent even if the page is left.
export async function request(method, path, body, signal, keepalive = false) {
  const headers = {};
  if (token.get()) headers.Authorization = 'Bearer ' + token.get();
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  let answer, text;
  try {
    answer = await fetch(path, { method, headers, body: typeof body === 'object' ? JSON.stringify(body) : body, signal, keepalive, cache: 'no-store' });
    text = await answer.text();
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Problem(0, 'No answer', 'the server cannot be reached; it may have been stopped. This page keeps trying.');
  }
  if (answer.status === 401) {
    askForToken();
    throw new Problem(401, 'Token', token.get() ? 'wrong; the right one is the content of the server’s token file' : 'the server asks for one');
  }
  if (!answer.ok) throw problemOf(answer, text);
  return (answer.headers.get('Content-Type') ?? '').includes('json') ? JSON.parse(text) : text;
}
/// A browser takes "." and ".." in an address as ways, however they are written.
export function addressOf(id) {
  if (id === '.' || id === '..') throw new Problem(0, 'Id', `"${id}" cannot be part of a web address (URL); use the command line for this item`);
  return 'v1/items/' + encodeURIComponent(id.toWellFormed?.() ?? id);
}

// The index: counters, its plan, its curve.

export let index = null;      // as GET v1/index last said
let shownPlan = null;  // whose words and picture are on the page
export const isDistance = () => 'radius' in index;
export const border = () => (isDistance() ? index.radius : index.threshold);
export const borderName = () => (isDistance() ? 'radius' : 'threshold');
/// A Hamming radius below 1 is a share of the places.
export const isShare = () => index.measure === 'hamming' && index.radius < 1;
export const goal = value => (isDistance() ? `within a ${kMeasures[index.measure] ?? index.measure} of ${isShare() ? percent(value) + ' of the places' : value}`
  : `with a ${kMeasures[index.measure] ?? index.measure} of ${value}` + (value < 1 ? ' or more' : ''));
/// Bits or numbers of an item: "dense 16", "bits 64"; 0 where they may have any length.
const places = () => Number(/\d+/.exec(index.vectors ?? '')?.[0] ?? 0);
const kindOfVectors = () => (isBits() ? 'bit string' : index.vectors === 'sparse' ? 'sparse vector' : 'vector');
export const isBits = () => / features=bits( |$)/.test(index.plan) && !/ binarise=/.test(index.plan);
export const isVectors = () => Boolean(index.vectors) || / features=(numbers|bits)( |$)/.test(index.plan);
export const isCode = () => / shingle=(code|line):/.test(index.plan);
const isSet = () => / shingle=element:/.test(index.plan);
export const partName = () => (isBits() ? 'bit' : isVectors() ? 'number' : isSet() ? 'element' : 'shingle');
/// What an item of the index is called.
export const itemName = () => (isVectors() ? kindOfVectors() : isSet() ? 'set' : 'text');
/// Says what is wrong with a vector or a string of bits that this index cannot be asked with.
export function requirePlaces(many) {
  if (places() === 0 || many === places() || / binarise=/.test(index.plan)) return;
  throw new Problem(0, null, `This ${itemName()} has ${counted(many, partName())}; the ${itemName()}s of this index have ${whole(places())}.`);
}
export const measured = value => (isDistance() ? String(Number(value.toPrecision(6))) : decimals(value));

/// A number of Prometheus' text, for questions alone; absent: 0.
function metric(text, name) {
  const start = `nearkin_request_seconds_${name}{route="POST /v1/query"} `;
  const line = text.split('\n').find(candidate => candidate.startsWith(start));
  return line === undefined ? 0 : Number(line.slice(start.length));
}

function showFigures(metrics) {
  const queries = metric(metrics ?? '', 'count'), seconds = metric(metrics ?? '', 'sum');
  const figures = [[index.empty > 0 ? `Items, ${whole(index.empty)} of them empty` : 'Items', whole(index.items)],
    ['Size on disk', bytes(index.bytes) + (index.free_bytes > 0 ? ` (${bytes(index.free_bytes)} reusable)` : '')]];
  if (metrics !== null) figures.push(['Queries', whole(queries)], ['Time per query, with HTTP', queries > 0 ? duration(seconds / queries) : '–']);
  by('figures').replaceChildren(...terms('', figures).children);
  by('figures').hidden = false;
}

function showLead() {
  const one = itemName();
  const what = one + 's' + (places() > 0 ? ` of ${counted(places(), partName())}` : '');
  const sure = index.recall >= 1 ? 'all of them are found' : `each is found with a probability of ${percent(index.recall)} or more`;
  by('lead').textContent = index.items === 0 ? `This index is empty. Paste a ${one}, give it an id under “Add”, and search for similar ones. The command “nearkin index add” adds many at once.`
    : `An index of ${what}. Paste a ${one} to find the items ${goal(border())}; ${sure}.`;
}

async function showPlan() {
  const texts = index.texts ? 'Stored, so pairs can be shown side by side.' : 'Not stored. Create an index with --store-texts to see pairs side by side.';
  const said = [['Looked for', `Items ${goal(border())}.`]];
  if (!isVectors()) said.push([capital(itemName()) + 's', texts]);
  by('said').replaceChildren(...terms('', said).children);
  by('plan-line').textContent = index.plan;
  by('made').textContent = 'Served by nearkin ' + index.version;
  by('border-label').textContent = isDistance() ? `Radius (not above ${border()})` : `Threshold (not below ${border()})`;
  by('border').value = border();
  showBoxWords();
  await showCurve();
}

function showBoxWords() {
  by('box-label').textContent = capital(itemName());
  by('how').textContent = isBits() ? 'Paste its bits, such as 010110' : isVectors() ? 'Paste its numbers as a JSON array, such as [0.25, 0.5]'
    : isSet() ? 'Paste its elements, separated by blanks' : 'Paste it';
  by('find-hint').textContent = `Searches the id${index.texts ? `, the metadata and the beginning of the ${itemName()}` : ' and the metadata'}`;
  by('add-words').textContent = `Adds the ${itemName()} in the box above to the index. Later queries will find it.`;
  by('box').classList.toggle('code', isVectors() || isCode());
  by('let-go').textContent = `Use another ${itemName()}`;
}

export let refreshes = 0;  // under way
export async function refresh() {
  ++refreshes;
  try {
    index = await request('GET', 'v1/index');
    showFigures(await request('GET', 'metrics').catch(() => null));
    showLead();
    if (shownPlan !== index.plan + index.texts + index.vectors) await showPlan();
    shownPlan = index.plan + index.texts + index.vectors;
    by('trouble').hidden = true;
    document.body.classList.remove('locked');
    by('forget').hidden = !token.get();
    return true;
  } catch (error) {
    const locked = error.status === 401;
    if (index === null) by('lead').textContent = locked ? 'This index asks for a token.' : 'The index could not be read.';
    if (index === null) document.body.classList.toggle('locked', locked);
    if (!locked || token.get()) complain(by('trouble'), error);
    by('trouble').hidden = locked && !token.get();
    return false;
  } finally {
    --refreshes;
  }
}

/// The server draws it as it does for the page of a run.
async function showCurve() { by('curve').innerHTML = await request('GET', 'v1/index/curve'); }
