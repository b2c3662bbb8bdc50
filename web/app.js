// The server's page: asks the index, compares, adds and removes, over the same HTTP interface that anyone may use (openapi.json).
// All that the server or a person says is written as text, never as HTML. A pair looks as in the report (src/report/side_by_side.cc).
'use strict';
(() => {
  const kInBox = 200_000;          // characters; a longer text is held beside the box, which would grow slow
  const kShown = 200_000;          // characters of a stored text that are shown
  const kLargestFile = 64 << 20;   // bytes
  const kRefresh = 5_000;          // milliseconds between two looks at the counters
  const kItemsAtOnce = 10;
  const kMostRows = 1_000;         // neighbours shown
  const kTokenKey = 'nearkin-token';

  // Parts of the page.

  const by = id => document.getElementById(id);
  const fill = (part, attributes, children) => {
    for (const [name, value] of Object.entries(attributes)) part.setAttribute(name, value);
    part.append(...children);
    return part;
  };
  const make = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);
  const draw = (name, attributes = {}, ...children) => fill(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);
  const button = (text, action) => {
    const made = make('button', { type: 'button' }, text);
    made.addEventListener('click', () => action(made));
    return made;
  };
  const terms = (kind, pairs) => make('dl', { class: kind }, ...pairs.map(([term, text]) => make('div', {}, make('dt', {}, term), make('dd', {}, text))));
  /// Characters that cannot be seen are shown as replaced ones, as in the report.
  const visible = text => text.replace(/\r\n?/g, '\n').replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffe\uffff]/g, '\ufffd');
  const shortened = (text, most) => (text.length > most ? text.slice(0, most) + '…' : text);
  const named = id => make('code', { dir: 'auto' }, visible(shortened(id, 200)));
  const say = (part, ...words) => {
    part.classList.remove('note');
    part.replaceChildren(...words);
  };
  const complain = (part, error) => {
    if (part.classList.contains('note') && part.lastChild?.textContent === ' ' + visible(error.message)) return;  // said already
    part.classList.add('note');
    part.replaceChildren(make('strong', {}, error.title ? error.title + ':' : 'Note:'), ' ' + visible(error.message));
  };

  // Numbers and words, as the report writes them.

  const whole = number => number.toLocaleString('en-US');
  const counted = (number, one, many = one + 's') => whole(number) + ' ' + (number === 1 ? one : many);
  const threeDigits = value => String(Number(value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)));
  /// Cut, not rounded: nothing reads as if it reached what it does not.
  const decimals = value => String(Math.sign(value) * Math.floor(Math.abs(value) * 1e6 * (1 + 1e-12) + 1e-6) / 1e6);
  const measured = value => (isDistance() ? String(Number(value.toPrecision(6))) : decimals(value));
  const percent = share => {
    if (!(share > 0)) return '0\u00A0%';
    if (share >= 1) return '100\u00A0%';
    const scale = 10 ** (share < 1e-5 ? 5 : share < 0.01 || share >= 0.999 ? 3 : 1);
    return Math.floor(share * 100 * scale * (1 + 1e-12)) / scale + '\u00A0%';
  };
  const bytes = size => {
    if (size < 1000) return counted(size, 'byte');
    const names = ['kB', 'MB', 'GB', 'TB'];
    let value = size / 1000, i = 0;
    for (; value >= 999.5 && i + 1 < names.length; ++i) value /= 1000;
    return threeDigits(value) + '\u00A0' + names[i];
  };
  const duration = seconds => (seconds < 0.9995 ? threeDigits(seconds * 1000) + '\u00A0ms' : threeDigits(seconds) + '\u00A0s');
  const kMeasures = {
    jaccard: 'Jaccard similarity', 'weighted-jaccard': 'weighted Jaccard similarity', cosine: 'cosine similarity',
    hamming: 'Hamming distance', euclidean: 'Euclidean distance', manhattan: 'Manhattan distance',
  };

  // The server.

  class Problem extends Error {
    constructor(status, title, detail) {
      super(detail);
      Object.assign(this, { status, title });
    }
  }
  const token = {
    get: () => { try { return sessionStorage.getItem(kTokenKey); } catch { return null; } },
    set: value => { try { sessionStorage.setItem(kTokenKey, value); } catch { /* it will be asked for again */ } },
    forget: () => { try { sessionStorage.removeItem(kTokenKey); } catch { /* there was none */ } },
  };
  const problemOf = (answer, text) => {
    let said = {};
    try { said = JSON.parse(text); } catch { /* not the server's own words: those of something between */ }
    return new Problem(answer.status, said.title || 'Answer ' + answer.status, said.detail || answer.statusText || 'no more is known');
  };
  /// `body`: JSON as a text, or a value that becomes one.
  async function request(method, path, body, signal) {
    const headers = {};
    if (token.get()) headers.Authorization = 'Bearer ' + token.get();
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    let answer, text;
    try {
      answer = await fetch(path, { method, headers, body: typeof body === 'object' ? JSON.stringify(body) : body, signal, cache: 'no-store' });
      text = await answer.text();
    } catch (error) {
      if (error.name === 'AbortError') throw error;
      throw new Problem(0, 'No answer', 'the server cannot be reached; it may have been stopped. This page keeps trying.');
    }
    if (answer.status === 401) askForToken();
    if (!answer.ok) throw problemOf(answer, text);
    return (answer.headers.get('Content-Type') ?? '').includes('json') ? JSON.parse(text) : text;
  }
  /// A browser takes "." and ".." in an address as ways, however they are written.
  function addressOf(id) {
    if (id === '.' || id === '..') throw new Problem(0, 'Id', `"${id}" cannot be part of an address; use the command line for this item`);
    return 'v1/items/' + encodeURIComponent(id.toWellFormed?.() ?? id);
  }

  // The index: counters, its plan, its curve.

  let index = null;      // as GET v1/index last said
  let shownPlan = null;  // whose words and picture are on the page
  const isDistance = () => 'radius' in index;
  const border = () => (isDistance() ? index.radius : index.threshold);
  const borderName = () => (isDistance() ? 'radius' : 'threshold');
  const valueName = () => (isDistance() ? 'distance' : 'similarity');
  /// A Hamming radius below 1 is a share of the places.
  const isShare = () => index.measure === 'hamming' && index.radius < 1;
  const goal = value => (isDistance() ? `within a ${kMeasures[index.measure] ?? index.measure} of ${isShare() ? percent(value) + ' of the places' : value}`
    : `with a ${kMeasures[index.measure] ?? index.measure} of ${value}` + (value < 1 ? ' or more' : ''));
  const isBits = () => / features=bits( |$)/.test(index.plan) && !/ binarise=/.test(index.plan);
  const isVectors = () => Boolean(index.vectors) || / features=(numbers|bits)( |$)/.test(index.plan);
  const isCode = () => / shingle=(code|line):/.test(index.plan);
  const isSet = () => / shingle=element:/.test(index.plan);
  const partName = () => (isVectors() ? 'number' : isSet() ? 'element' : 'shingle');

  /// A number of Prometheus' text, for questions alone; absent: 0.
  function metric(text, name) {
    const start = `nearkin_request_seconds_${name}{route="POST /v1/query"} `;
    const line = text.split('\n').find(candidate => candidate.startsWith(start));
    return line === undefined ? 0 : Number(line.slice(start.length));
  }

  function showFigures(metrics) {
    const queries = metric(metrics ?? '', 'count'), seconds = metric(metrics ?? '', 'sum');
    const figures = [[index.empty > 0 ? `Items, ${whole(index.empty)} of them empty` : 'Items', whole(index.items)],
      [index.free_bytes > 0 ? `On disk, ${bytes(index.free_bytes)} free` : 'On disk', bytes(index.bytes)]];
    if (metrics !== null) figures.push(['Queries', whole(queries)], ['A query, HTTP included', queries > 0 ? duration(seconds / queries) : '–']);
    by('figures').replaceChildren(...terms('', figures).children);
    by('figures').hidden = false;
  }

  function showLead() {
    const what = index.vectors ? `vectors (${index.vectors})` : isVectors() ? 'vectors' : isSet() ? 'sets' : 'texts';
    const sure = index.recall >= 1 ? 'every one is found' : `each is found with a probability of ${percent(index.recall)} or more`;
    by('lead').textContent = index.items === 0 ? `This index is empty. Add ${what} below, and ask for those that are alike.`
      : `An index of ${what}: paste one, and see those ${goal(border())}; ${sure}.`;
  }

  function showPlan() {
    const texts = index.texts ? 'Kept, so that pairs can be shown side by side.' : 'Not kept; an index that is created with --store-texts shows pairs side by side.';
    const said = [['Looked for', `Items ${goal(border())}.`]];
    if (!isVectors()) said.push(['Texts', texts]);
    by('said').replaceChildren(...terms('', said).children);
    by('plan-line').textContent = index.plan;
    by('made').textContent = 'Served by nearkin ' + index.version;
    by('border-label').textContent = isDistance() ? `Radius, ${border()} at most` : `Threshold, ${border()} at least`;
    by('border').value = border();
    showBoxWords();
    showCurve();
  }

  function showBoxWords() {
    by('box-label').textContent = isVectors() ? 'Vector' : isSet() ? 'Set' : 'Text';
    by('how').textContent = isBits() ? 'Paste its bits, such as 010110' : isVectors() ? 'Paste its numbers as a JSON array, such as [0.25, 0.5]'
      : isSet() ? 'Paste its elements, separated by blanks' : 'Paste it';
    by('box').classList.toggle('code', isVectors() || isCode());
  }

  let refreshes = 0;  // under way
  async function refresh() {
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
      text(width, 14, 'muted end', width < 500 ? 'found' : 'found with probability'),
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

  const curveWords = points => `A curve over the ${valueName()} shows the probability to be found: ${percent(points[0][1])} at ${points[0][0]}, ` +
    `${percent(foundAt(points, border()))} at the ${borderName()} ${border()}, ${percent(points[points.length - 1][1])} at ${points[points.length - 1][0]}. The table below has the numbers.`;

  function curveTable(points) {
    const every = Math.max(1, Math.round(points.length / 20));
    const rows = points.filter((_, i) => i % every === 0).map(([value, found]) =>
      make('tr', {}, make('th', { scope: 'row' }, String(Number(value.toPrecision(6)))), make('td', {}, percent(found))));
    const head = [valueName()[0].toUpperCase() + valueName().slice(1), 'Found with probability'].map(words => make('th', { scope: 'col' }, words));
    const table = make('table', {}, make('thead', {}, make('tr', {}, ...head)), make('tbody', {}, ...rows));
    return make('details', {}, make('summary', {}, 'The numbers as a table'),
      make('div', { class: 'scroll', role: 'region', tabindex: 0, 'aria-label': 'The curve at some points' }, table));
  }

  function showCurve() {
    const points = (index.curve ?? []).map(point => [point.similarity ?? point.distance, point.found]);
    if (points.length < 2 || !(points[points.length - 1][0] > points[0][0])) {
      by('curve').replaceChildren(make('p', {}, 'Every item is looked at, so that nothing is missed.'));
      return;
    }
    const words = `The curve says how surely the index finds an item of that ${valueName()}: at the ${borderName()} with probability ${percent(foundAt(points, border()))}. ` +
      'What it finds is compared exactly before it counts.';
    const swatch = (kind, path) => draw('svg', { class: 'nk swatch', viewBox: '0 0 28 14', 'aria-hidden': 'true' }, draw('path', { class: kind, d: path }));
    const legend = make('ul', { class: 'legend' }, make('li', {}, swatch('curve', 'M0 12C10 12 14 2 28 2'), ' found by the plan'));
    if (index.recall > 0) legend.append(make('li', {}, swatch('promise', 'M0 7H28'), ' promised: ' + percent(index.recall)));
    by('curve').replaceChildren(make('p', {}, words),
      make('figure', {}, legend, curvePicture(points, 840, 'wide'), curvePicture(points, 340, 'narrow')), curveTable(points));
  }

  // What is asked with: in the box, or held beside it where it is long.

  let held = null;      // {text, name}
  let fileName = null;  // of what is in the box
  const subject = () => held ?? { text: by('box').value, name: fileName };

  function hold(text, name) {
    held = text.length > kInBox ? { text, name } : null;
    fileName = held ? null : name;
    by('box').value = held ? '' : text;
    by('box').hidden = held !== null;
    by('held').hidden = held === null;
    by('box-label').htmlFor = held ? 'held-text' : 'box';
    if (!held) return;
    by('held-name').replaceChildren(make('strong', { dir: 'auto' }, visible(name)), `, ${counted(text.length, 'character')}. It begins:`);
    by('held-text').textContent = visible(shortened(text, 2_000));
  }

  async function readFile(file) {
    if (file.size > kLargestFile) throw new Problem(0, 'File', `${file.name} has ${bytes(file.size)}; at most ${bytes(kLargestFile)} are read here`);
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
    if (isBits()) return { bits: text.replace(/\s+/g, '') };
    if (!/^\s*[[{]/.test(text)) text = '[' + text.trim().split(/[\s,;]+/).join(',') + ']';
    try {
      return { vector: JSON.parse(text) };
    } catch (error) {
      throw new Problem(0, 'Vector', `the numbers cannot be read (${error.message}); give them as a JSON array, such as [0.25, 0.5]`);
    }
  }

  // Asking.

  let asking = new AbortController();

  function question(text) {
    const body = { ...itemOf(text), limit: Number(by('limit').value), metadata: true, explain: true };
    const wanted = by('border').value;
    if (wanted !== '' && Number(wanted) !== border()) body[borderName()] = Number(wanted);
    if (by('where-field').value) body.where = { [by('where-field').value]: by('where-value').value };
    return body;
  }

  async function ask() {
    asking.abort();
    const mine = asking = new AbortController();
    const asked = { ...subject() };
    say(by('asked'));
    if (index === null || asked.text.trim() === '') {
      say(by('asked'), index === null ? 'The index could not be read yet.' : 'There is nothing to ask with yet: paste a text, or choose a file.');
      by('hits').replaceChildren();
      by('hits').removeAttribute('aria-busy');
      by('box').focus();
      return;
    }
    const slow = setTimeout(() => say(by('asked'), 'Asking…'), 200);
    by('hits').setAttribute('aria-busy', 'true');
    try {
      const body = question(asked.text);
      const answer = await request('POST', 'v1/query', body, mine.signal);
      showHits(answer, asked, body);
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
    if (explain.size === 0) return `This has no ${partName()}s that could be compared, so that nothing is like it.`;
    if (found === 0 && index.items === 0) return 'The index is empty: add items, and ask again.';
    if (found === 0) {
      return `Nothing found ${goal(at)}${body.where ? ' and that metadata' : ''}.` + (explain.found_at_threshold < 1
        ? ` One just at the ${borderName()} would be found with a probability of ${percent(explain.found_at_threshold)}.` : '') + work + early;
    }
    const full = body.limit > 0 && found === body.limit;
    return (full ? `The ${counted(found, 'nearest neighbour')} ` : counted(found, 'neighbour') + ' ') + goal(at) + (full ? '; there may be more.' : '.') + work + early;
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
    const share = isDistance() ? value / (border() * (isShare() ? places : 1) || 1) : value;
    const bar = draw('svg', { class: 'across', 'aria-hidden': 'true' }, draw('rect', { width: Math.min(Math.max(share, 0), 1) * 100 + '%', height: '100%' }));
    const names = make('span', { class: 'names' }, named(hit.id));
    if (hit.metadata) names.append(make('span', { class: 'about', dir: 'auto' }, metadataWords(hit.metadata)));
    const summary = make('summary', {}, make('span', { class: 'value' }, measured(value)), bar, names);
    return row(hit.id, false, summary, async details => [...await sideBySide(hit, asked), ...metadataParts(hit.metadata), stepsOf(hit.id, details)]);
  }

  const metadataLines = metadata => make('pre', { class: 'line' }, make('code', { dir: 'auto' }, visible(JSON.stringify(metadata, null, 2))));
  const metadataParts = metadata => (metadata === undefined ? [] : [make('details', {}, make('summary', {}, 'Metadata'), metadataLines(metadata))]);

  function stepsOf(id, details) {
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
    return make('div', { class: 'steps' }, ...(alone ? [] : [button('Previous neighbour', step(-1)), button('Next neighbour', step(1))]), removeButton(id));
  }

  // Side by side.

  async function sideBySide(hit, asked) {
    if (isVectors()) return [];
    if (!index.texts) {
      return [make('p', { class: 'note' }, 'This index does not keep the texts of its items; one that is created with ', make('code', { class: 'flag' }, '--store-texts'), ' shows both side by side.')];
    }
    const pair = await request('POST', 'v1/compare', { a: { text: asked.text }, b: { id: hit.id } });
    return [partsPicture(pair), terms('parts', partsOf(pair)),
      make('p', { class: 'soft' }, 'What both have is ', make('mark', {}, 'marked and underlined'), '.'),
      make('div', { class: 'sides' }, side(asked.name ?? 'Your text', asked.name === null, pair.a), side(hit.id, false, pair.b)),
      ...passagesOf(pair)];
  }

  const only = (size, shared) => Math.max(size - shared, 0);

  /// Only in the first, in both, only in the second: as long as they are many.
  function partsPicture(pair) {
    const [a, b] = [only(pair.a_size, pair.shared), only(pair.b_size, pair.shared)], all = a + pair.shared + b || 1;
    const piece = (kind, from, size) => draw('rect', { class: kind, x: 100 * from / all + '%', width: 100 * size / all + '%', height: '100%' });
    return draw('svg', { class: 'venn', 'aria-hidden': 'true' }, piece('one', 0, a), piece('both', a, pair.shared), piece('one', a + pair.shared, b));
  }

  function partsOf(pair) {
    const value = measured(pair.similarity ?? pair.distance), measure = kMeasures[index.measure] ?? index.measure;
    const out = [['Only in the first', `${whole(only(pair.a_size, pair.shared))} of its ${whole(pair.a_size)}`], ['In both', counted(pair.shared, partName())],
      ['Only in the second', `${whole(only(pair.b_size, pair.shared))} of its ${whole(pair.b_size)}`],
      [measure[0].toUpperCase() + measure.slice(1), isDistance() ? value : `${whole(pair.shared)} / ${whole(pair.total)} = ${value}`]];
    if (pair.estimate > 0) out.push(['Estimated by the sketch', pair.estimate.toFixed(3)]);
    if (/ sketch=/.test(index.plan)) {
      out.push(['Chance to be found', `${percent(pair.found)}; with this seed they ${pair.candidate ? 'meet' : 'do not meet'} in a bucket`]);
    }
    return out;
  }

  function side(name, own, marked) {
    const text = make('div', { class: isCode() ? 'text code' : 'text', role: 'region', tabindex: 0, dir: 'auto', 'aria-label': 'Text of ' + shortened(name, 200) },
      ...marked.parts.map(part => (part.shared ? make('mark', {}, visible(part.text)) : visible(part.text))));
    const out = make('div', { class: 'side' }, make('p', { class: 'id' }, own ? name : named(name)), text);
    if (marked.parts.length === 0) text.replaceWith(make('p', { class: 'soft' }, 'No text.'));
    if (marked.left_out > 0) out.append(make('p', { class: 'soft' }, `${counted(marked.left_out, 'byte')} more ${marked.left_out === 1 ? 'is' : 'are'} not shown.`));
    if (marked.normalised) out.append(make('p', { class: 'soft' }, 'Shown as it was compared, not as it was written.'));
    return out;
  }

  const passagesOf = pair => ((pair.passages ?? []).length === 0 ? [] : [make('details', {}, make('summary', {}, 'The longest passages in common, as compared'),
    make('ol', { class: 'passages' }, ...pair.passages.map(passage => make('li', { dir: 'auto' }, visible(passage)))))]);

  // Adding and removing.

  /// Asks once more before it removes.
  function removeButton(id) {
    const place = make('span', { class: 'does' });
    const settle = () => place.replaceChildren(button('Remove it from the index', confirm));
    const back = () => { settle(); place.firstChild.focus(); };
    const remove = async () => {
      try {
        await request('DELETE', addressOf(id));
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
      place.replaceChildren(make('span', {}, 'Remove ', named(id), ' for good?'), button('Yes, remove it', remove), button('Keep it', back));
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
      throw new Problem(0, 'Metadata', `this is no JSON (${error.message}); give an object, such as {"source": "desk"}`);
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
      if (subject().text.trim() === '') throw new Problem(0, 'Text', 'there is none above yet');
      const body = bodyTyped();
      if (!await isThere(id)) return await put(id, body);
      const replace = button('Replace it', () => put(id, body).catch(error => complain(by('added'), error)));
      say(by('added'), make('p', {}, 'There is an item ', named(id), ' already.'),
        make('p', { class: 'does' }, replace, button('Leave it as it is', () => { say(by('added')); by('new-id').focus(); })));
      replace.focus();
    } catch (error) {
      complain(by('added'), error);
    }
  }

  // The items, in the order of their ids.

  let next = null;  // the id behind which the next ones stand

  function itemRow(id) {
    return row(id, true, make('summary', {}, make('span', { class: 'names' }, named(id))), async () => {
      const item = await request('GET', addressOf(id));
      const does = make('div', { class: 'steps' }, removeButton(id));
      const out = [make('p', { class: 'soft' }, counted(item.size, partName()) + '.')];
      if (item.metadata !== undefined) out.push(metadataLines(item.metadata));
      if (item.text !== undefined) {
        out.push(make('div', { class: isCode() ? 'text code' : 'text', role: 'region', tabindex: 0, dir: 'auto', 'aria-label': 'Text of ' + shortened(id, 200) }, visible(shortened(item.text, kShown))));
        if (item.text.length > kShown) out.push(make('p', { class: 'soft' }, counted(item.text.length - kShown, 'character') + ' more are not shown.'));
        does.prepend(button('Ask with it', () => { hold(item.text, id); by('ask').scrollIntoView(); by('ask-button').focus({ preventScroll: true }); ask(); }));
      }
      return [...out, does];
    });
  }

  async function listItems(after) {
    try {
      const page = await request('GET', `v1/items?limit=${kItemsAtOnce}` + (after === undefined ? '' : '&after=' + encodeURIComponent(after)));
      if (after === undefined) by('item-list').replaceChildren(make('ol', { class: 'pairs' }));
      const rows = page.ids.map(itemRow);
      by('item-list').firstChild.append(...rows);
      if (after !== undefined && rows.length > 0) rows[0].querySelector('summary').focus();
      next = page.next ?? null;
      by('more').hidden = next === null;
      say(by('listed'), by('item-list').firstChild.children.length === 0 ? 'There are no items yet.' : '');
    } catch (error) {
      complain(by('listed'), error);
    }
  }

  function findItem() {
    const found = itemRow(by('find-id').value);
    by('found').replaceChildren(make('ol', { class: 'pairs' }, found));
    found.firstChild.open = true;
    found.querySelector('summary').focus();
  }

  // The token, where the server asks for one.

  function askForToken() {
    if (!by('token-form').hidden) return;
    by('token-form').hidden = false;
    by('token').focus();
  }

  async function start() {
    if (await refresh()) await listItems();
  }

  const submits = (form, action) => by(form).addEventListener('submit', event => { event.preventDefault(); action(); });
  submits('ask-form', ask);
  submits('add-form', add);
  submits('find-form', findItem);
  submits('token-form', async () => {
    token.set(by('token').value);
    if (!await refresh()) return;
    by('token-form').reset();
    by('token-form').hidden = true;
    by('box').focus();
    listItems();
  });
  by('forget').addEventListener('click', () => { token.forget(); location.reload(); });
  by('more').addEventListener('click', () => listItems(next));
  by('let-go').addEventListener('click', () => { hold('', null); by('box').focus(); });
  by('choose').addEventListener('click', () => by('file').click());
  by('file').addEventListener('change', () => { if (by('file').files.length > 0) takeFile(by('file').files[0]); by('file').value = ''; });
  by('box').addEventListener('keydown', event => { if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); ask(); } });
  by('box').addEventListener('input', () => { fileName = null; });  // no longer what the file has
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
    const select = () => { getSelection().selectAllChildren(by('plan-line')); by('copy').textContent = 'Selected: copy it now'; };
    if (navigator.clipboard) navigator.clipboard.writeText(by('plan-line').textContent).then(done, select); else select();
  });
  document.addEventListener('visibilitychange', () => { if (!document.hidden) refresh(); });
  setInterval(() => { if (!document.hidden && refreshes === 0 && by('token-form').hidden) refresh(); }, kRefresh);
  start();
})();
