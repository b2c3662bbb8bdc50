// The index that is served: requests to the server, counters, the plan and its curve.
import {
  by, make, draw, terms, capital, complain, whole, counted, decimals, percent, bytes, duration, kMeasures,
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
const valueName = () => (isDistance() ? 'distance' : 'similarity');
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

function showPlan() {
  const texts = index.texts ? 'Stored, so pairs can be shown side by side.' : 'Not stored. Create an index with --store-texts to see pairs side by side.';
  const said = [['Looked for', `Items ${goal(border())}.`]];
  if (!isVectors()) said.push([capital(itemName()) + 's', texts]);
  by('said').replaceChildren(...terms('', said).children);
  by('plan-line').textContent = index.plan;
  by('made').textContent = 'Served by nearkin ' + index.version;
  by('border-label').textContent = isDistance() ? `Radius (not above ${border()})` : `Threshold (not below ${border()})`;
  by('border').value = border();
  showBoxWords();
  showCurve();
}

function showBoxWords() {
  by('box-label').textContent = capital(itemName());
  by('how').textContent = isBits() ? 'Paste its bits, such as 010110' : isVectors() ? 'Paste its numbers as a JSON array, such as [0.25, 0.5]'
    : isSet() ? 'Paste its elements, separated by blanks' : 'Paste it';
  by('find-hint').textContent = `Searches the id${index.texts ? `, the metadata and the beginning of the ${itemName()}` : ' and the metadata'}`;
  by('add-words').textContent = `Adds the ${itemName()} in the box above to the index. Later queries will find it.`;
  by('box').classList.toggle('code', isVectors() || isCode());
}

export let refreshes = 0;  // under way
export async function refresh() {
  ++refreshes;
  try {
    index = await request('GET', 'v1/index');
    showFigures(await request('GET', 'metrics').catch(() => null));
    showLead();
    if (shownPlan !== index.plan + index.texts + index.vectors) showPlan();
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

// The curve: how surely a pair is found, as the report draws it.

function ticksBetween(low, high, most) {
  const rough = (high - low) / most, power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find(digit => power * digit >= rough * (1 - 1e-9));
  const places = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const out = [];
  for (let k = Math.ceil(low / step - 1e-6); k * step <= high + step * 1e-6; ++k) out.push({ value: k * step, label: k === 0 ? '0' : (k * step).toFixed(places) });
  return out;
}

function curvePicture(points, width, kind) {
  const [left, top, right, bottom] = [8, 52, width - 48, 52 + Math.min(Math.max(width * 0.42, 200), 340)];
  const [low, high] = [points[0][0], points[points.length - 1][0]];
  const x = value => Number((left + (value - low) / (high - low) * (right - left)).toFixed(2));
  const y = share => Number((bottom - share * (bottom - top)).toFixed(2));
  const text = (at, height, style, words) => draw('text', { x: at, y: height, class: style }, words);
  const shares = [0, 0.2, 0.4, 0.6, 0.8, 1];
  const marked = Math.min(Math.max(border(), low), high), name = `${borderName()} ${border()}`;
  const parts = [
    text(width, 14, 'muted end', width < 500 ? 'candidate' : 'probability of becoming a candidate'),
    draw('path', { class: 'grid', d: shares.map(share => `M${left} ${y(share)}H${right}`).join('') }),
    draw('path', { class: 'axis', d: `M${left} ${bottom}H${right}` }),
    ...shares.map(share => text(width, y(share) + 4, 'muted end', Math.round(share * 100) + '\u00A0%')),
    ...ticksBetween(low, high, width < 500 ? 6 : 11).map(tick => text(x(tick.value), bottom + 18, 'muted mid', tick.label)),
    draw('path', { class: 'border', d: `M${x(marked)} ${top - 4}V${bottom}` }),
    text(Math.min(Math.max(x(marked), 4 * name.length), width - 4 * name.length), top - 12, 'mid', name),
    draw('path', { class: 'curve', d: points.map(([value, found], i) => (i ? 'L' : 'M') + x(value) + ' ' + y(found)).join('') }),
    text((left + right) / 2, bottom + 38, 'muted mid', valueName()),
  ];
  if (index.recall > 0) parts.push(draw('path', { class: 'promise', d: `M${x(marked)} ${y(index.recall)}H${isDistance() ? x(low) : right}` }));
  return draw('svg', { class: 'nk ' + kind, viewBox: `0 0 ${width} ${bottom + 46}`, role: 'img', 'aria-labelledby': kind + '-title', 'aria-describedby': kind + '-words' },
    draw('title', { id: kind + '-title' }, 'The chance that a pair is found'), draw('desc', { id: kind + '-words' }, curveWords(points)), ...parts);
}

/// Between two points of the curve along a straight line.
function foundAt(points, value) {
  const beyond = points.findIndex(([at]) => at >= value), next = beyond < 0 ? points.length - 1 : Math.max(beyond, 1);
  const [[a, from], [b, to]] = [points[next - 1], points[next]];
  return from + (to - from) * Math.min(Math.max((value - a) / (b - a), 0), 1);
}

const curveWords = points => `A curve shows the probability of being found, by ${valueName()}: ${percent(points[0][1])} at ${points[0][0]}, ` +
  `${percent(foundAt(points, border()))} at the ${borderName()} ${border()}, ${percent(points[points.length - 1][1])} at ${points[points.length - 1][0]}. The table below has the numbers.`;

function curveTable(points) {
  const every = Math.max(1, Math.round(points.length / 20));
  const rows = points.filter((_, i) => i % every === 0).map(([value, found]) =>
    make('tr', {}, make('th', { scope: 'row' }, String(Number(value.toPrecision(6)))), make('td', {}, percent(found))));
  const head = [capital(valueName()), 'Candidate with probability'].map(words => make('th', { scope: 'col' }, words));
  const table = make('table', {}, make('thead', {}, make('tr', {}, ...head)), make('tbody', {}, ...rows));
  return make('details', {}, make('summary', {}, 'The numbers as a table'),
    make('div', { class: 'scroll', role: 'region', tabindex: 0, 'aria-label': 'The curve at some points' }, table));
}

function showCurve() {
  const points = (index.curve ?? []).map(point => [point.similarity ?? point.distance, point.found]);
  if (points.length < 2 || !(points[points.length - 1][0] > points[0][0])) {
    by('curve').replaceChildren(make('p', {}, 'Every item is compared, so nothing is missed.'));
    return;
  }
  const words = `The curve shows the probability that an item at a given ${valueName()} becomes a candidate, that is, gets compared exactly. At the ${borderName()} it is ${percent(foundAt(points, border()))}.`;
  const swatch = (kind, path) => draw('svg', { class: 'nk swatch', viewBox: '0 0 28 14', 'aria-hidden': 'true' }, draw('path', { class: kind, d: path }));
  const legend = make('ul', { class: 'legend' }, make('li', {}, swatch('curve', 'M0 12C10 12 14 2 28 2'), ' probability of becoming a candidate'));
  if (index.recall > 0) legend.append(make('li', {}, swatch('promise', 'M0 7H28'), ' promised recall: ' + percent(index.recall)));
  by('curve').replaceChildren(make('p', {}, words),
    make('figure', {}, legend, curvePicture(points, 840, 'wide'), curvePicture(points, 340, 'narrow')), curveTable(points));
}
