// The list of pairs and clusters: sorting, filters, search, keys.

const list = (() => {
  if (!data || data.single || !one('#list')) return null;
  const kAtOnce = 100;
  const rows = data.pairs.map(([a, b, value, shown], index) => ({ index, a: data.items[a], b: data.items[b], value, shown, aItem: a, bItem: b }));
  const byItems = new Map();
  for (const row of rows) byItems.set(row.a[0] + '\u0000' + row.b[0], row).set(row.b[0] + '\u0000' + row.a[0], row);
  // A member and its keeper are a pair of the list, or one of their own that can be marked, and opened where the page has both texts.
  const pairOf = (keeper, item, value) => byItems.get(keeper[0] + '\u0000' + item[0]) ?? { a: keeper, b: item, value, shown: -1 };
  const clusters = data.clusters.map(([keeper, size, least, members], index) => ({ index, size, least, keeper: data.items[keeper],
    members: members.map(([item, value]) => ({ item: data.items[item], value, pair: pairOf(data.items[keeper], data.items[item], value) })) }));
  const opens = member => member.pair.index !== undefined || bothShown(member.pair);
  const sign = data.distance ? -1 : 1;
  const similar = row => (row.value ?? 0) * sign;
  const orders = {
    least: [data.lengths ? 'Shortest first' : data.noun ? 'Smallest share first' : 'Least similar first', (x, y) => similar(x) - similar(y) || x.index - y.index],
    most: [data.lengths ? 'Longest first' : data.noun ? 'Largest share first' : 'Most similar first', (x, y) => similar(y) - similar(x) || x.index - y.index],
    input: ['In input order', (x, y) => x.index - y.index],
  };
  const clusterOrders = {
    size: ['Largest first', (x, y) => y.size - x.size || x.index - y.index],
    least: ['Least similar first', (x, y) => (x.least - y.least) * sign || x.index - y.index],
    most: ['Most similar first', (x, y) => (y.least - x.least) * sign || x.index - y.index],
  };
  const state = { view: 'pairs', clusterOrder: 'size', border: null, order: data.lengths ? 'most' : data.valued ? 'least' : 'input', words: '', mark: '', within: null, bin: null };
  let found = [], drawn = 0;

  // A search looks through items, which have an id and a beginning, and through the texts that the page has. Each is made ready when it is
  // first asked for, and looked through once for all rows that have it.
  const ready = new Map(), plain = text => text.replace(/\s+/g, ' ').toLowerCase();
  let answers = new Map();
  const has = part => {
    if (!ready.has(part)) ready.set(part, plain(Array.isArray(part) ? part[0] + '\n' + part[1] : textOf(part)));
    if (!answers.has(part)) answers.set(part, ready.get(part).includes(state.words));
    return answers.get(part);
  };
  const sideOf = item => itemsShown.get(itemKey(item))?.side;
  const sidesOf = row => { const shown = data.shown[row.shown]; return [[row.a, shown?.a ?? sideOf(row.a)], [row.b, shown?.b ?? sideOf(row.b)]]; };
  const sidesOfCluster = cluster => [cluster.keeper, ...cluster.members.map(member => member.item)].map(item => [item, sideOf(item)]);
  const matches = sides => sides.some(([item, side]) => has(item) || (side?.pieces.length && has(side)));
  const isCut = sides => sides.some(([item, side]) => !isWhole(item, side));
  const cut = {};  // of each view: how many of its parts are not searched in full
  const cutWords = () => {
    if (state.words === '') return '';
    const ofPairs = state.view === 'pairs';
    const many = cut[state.view] ??= ofPairs ? rows.filter(row => isCut(sidesOf(row))).length
      : clusters.filter(cluster => cluster.members.length < cluster.size - 1 || isCut(sidesOfCluster(cluster))).length;
    const what = ofPairs ? counted(many, 'row') : counted(many, 'cluster'), are = many === 1 ? 'is' : 'are';
    return many === 0 ? '' : ofPairs ? `. ${what} ${are} searched by the beginnings of texts only: this page does not hold more of them`
      : `. ${what} ${are} searched in part only: this page does not hold all of their members and texts`;
  };
  const passes = row => (state.within === null || row.value === null || state.within(row.value)) && (state.bin === null || (row.value !== null && state.bin(row.value)))
    && (state.mark === '' || (state.mark === 'none' ? marks.of(row) === '' : marks.of(row) === state.mark)) && (state.words === '' || matches(sidesOf(row)));

  const line = item => make('span', { class: 'line-of' }, item[2] === null ? null : make('span', { class: item[2] ? 'tag kept' : 'tag removed' }, item[2] ? 'kept' : 'removed'),
    make('code', { dir: 'auto' }, visible(shortId(item[0]))), ' ', make('span', { class: 'begins', dir: 'auto' }, visible(item[1])));
  /// The keepers of two items that were both removed.
  const keepersOf = row => (row.a[2] !== 0 || row.b[2] !== 0 ? null
    : make('span', { class: 'line-of soft' }, 'Kept instead of them: ', ...[...new Set([row.a[3], row.b[3]])].flatMap((id, i) => [i ? ' and ' : '', make('code', { dir: 'auto' }, visible(shortId(id)))])));
  const level = value => make('span', { class: 'measure' }, make('span', { class: 'value' }, valueText(value)), data.valued ? bar(value) : null);
  /// `among`: the pairs that Previous and Next step through.
  const open = (row, among = found.includes(row) ? found : rows) => viewer.open(row, among, (changed, closed) => {
    const part = parts.get(changed);
    if (part) one('.marked', part).textContent = markSign(marks.of(changed));
    tell();
    if (closed && part) part.focus();
  });
  // The parts of the list that stand for a pair, which the keys mark.
  const parts = new Map(), pairsOf = new WeakMap();
  function partOf(row, action, attributes, ...inner) {
    const part = button('', action, { class: 'row', ...attributes });
    part.append(level(row.value), make('span', { class: 'two' }, ...inner.filter(Boolean)), make('span', { class: 'marked' }, markSign(marks.of(row))));
    parts.set(row, part);
    pairsOf.set(part, row);
    return make('li', {}, part);
  }
  const rowPart = row => partOf(row, () => open(row), { 'data-index': row.index }, line(row.a), line(row.b), keepersOf(row));
  /// A cluster may have members that are not similar to its keeper.
  const beyond = value => data.border !== null && value !== null && (data.distance ? value > data.border * (1 + 1e-9) : value < data.border - 1e-9);
  const leastWords = (least, two) => {
    if (least === null) return '';
    if (least === (data.distance ? 0 : 1)) return 'the same as the keeper';
    const words = `${data.value} ${data.distance ? 'from' : 'with'} the keeper: ${valueText(least)}${two ? '' : data.distance ? ' or less' : ' or more'}`;
    return beyond(least) ? `${words}; ${two ? 'it is' : 'those'} ${data.distance ? 'beyond the radius' : 'below the threshold'}${two ? ', and belongs' : ' belong'} here by ${data.ties}` : words;
  };
  const reachesWords = () => (data.distance ? `within ${valueText(state.border)} of the keeper` : `whose similarity with the keeper is ${valueText(state.border)} or more`);
  const missesWords = one => (data.distance ? `${one ? 'is' : 'are'} farther than ${valueText(state.border)} from` : `${one ? 'has' : 'have'} a similarity below ${valueText(state.border)} with`) + ' the keeper';
  /// What the slider leaves of a cluster: the members that are similar enough to the keeper; null where none is.
  function withinBorder(cluster) {
    if (state.within === null) return cluster;
    const members = cluster.members.filter(member => member.value !== null && state.within(member.value));
    const least = members.reduce((far, { value }) => (far === null || (value - far) * sign < 0 ? value : far), null);
    return members.length ? { ...cluster, members, least, all: cluster.size, size: members.length + 1 } : null;
  }
  const opened = new Set();  // clusters that stay open while the list is made anew
  function clusterPart(cluster) {
    const inside = make('div', { class: 'cluster' });
    const fillIn = () => { if (!inside.firstChild) inside.append(...clusterBody(cluster)); };
    const toggled = () => {
      if (part.open) opened.add(cluster.index); else opened.delete(cluster.index);
      if (part.open) fillIn();
    };
    const part = make('details', { class: 'row-cluster', open: opened.has(cluster.index), ontoggle: toggled },
      make('summary', { class: 'row' }, make('span', { class: 'measure' }, make('span', { class: 'value' }, cluster.all > cluster.size ? `${whole(cluster.size)} of ${counted(cluster.all, 'item')}` : counted(cluster.size, 'item'))),
        make('span', { class: 'two' }, line([cluster.keeper[0], cluster.keeper[1], null]),
          make('span', { class: 'soft' }, leastWords(cluster.least, cluster.size === 2)))), inside);
    if (part.open) fillIn();
    return make('li', {}, part);
  }
  /// Pairs of the list within a cluster that has members which are not similar to its keeper.
  function linksOf(cluster) {
    const kMost = 1001, places = new Map([cluster.keeper, ...cluster.members.map(member => member.item)].map((item, i) => [item[0], i]));
    if (places.size > kMost || !cluster.members.some(member => beyond(member.value))) return [];
    const within = rows.filter(row => row.value !== null && places.has(row.a[0]) && places.has(row.b[0]));
    return within.map(row => [places.get(row.a[0]), places.get(row.b[0]), row.value]);
  }
  function clusterBody(cluster) {
    const among = cluster.members.filter(opens).map(member => member.pair), show = row => open(row, among);
    const part = member => {
      const of = line([member.item[0], member.item[1], null]);
      if (opens(member)) return partOf(member.pair, () => show(member.pair), {}, of);
      return partOf(member.pair, () => {}, { class: 'row shut', 'aria-disabled': 'true' }, of, make('span', { class: 'line-of soft' }, `Cannot be opened: ${data.vectors ? 'its numbers are' : 'the text is'} not on this page.`));
    };
    const all = cluster.all ?? cluster.size, known = clusters[cluster.index].members.length, far = known - cluster.members.length, more = all - 1 - known;
    const links = linksOf(cluster), caption = links.length ? 'The keeper is the dark dot. Lines join the pairs of the list; more similar items are nearer to each other.'
      : 'The keeper is in the middle; more similar items are nearer to it.';
    return [data.valued ? make('figure', {}, clusterGraph(cluster, show, opens, links), make('figcaption', {}, caption)) : null,
      make('div', {}, make('ol', { class: 'rows' }, ...cluster.members.map(part)),
        far > 0 ? make('p', { class: 'soft' }, `${counted(far, 'other member')} ${missesWords(far === 1)}.`) : null,
        more > 0 ? make('p', { class: 'soft' }, `${counted(more, 'more member')} ${more === 1 ? 'is' : 'are'} not on this page.`) : null)].filter(Boolean);
  }

  const ol = make('ol', { class: 'rows', id: 'rows' });
  const status = make('span', { id: 'found', role: 'status', class: 'soft' });
  const more = button('', () => grow());
  const save = button('Save the marks', saveMarks, { class: 'save' });
  function tell() {
    const names = state.view === 'pairs' ? [noun, rows.length] : ['cluster', clusters.length];
    const inAll = state.view === 'pairs' ? 0 : data.clustersInAll;
    const words = state.view === 'clusters' && state.within !== null ? `: those with a member ${reachesWords()}` : '';
    status.textContent = (found.length < names[1] || words ? `${whole(found.length)} of ${counted(names[1], names[0])}${words}`
      : inAll > names[1] ? `The ${counted(names[1], 'largest', 'largest')} of ${counted(inAll, 'cluster')}` : counted(names[1], names[0])) + cutWords();
    if (!data.marks) return;
    save.textContent = marks.count() ? `Save ${counted(marks.count(), 'mark')}` : 'Save the marks';
    save.disabled = marks.count() === 0;
  }
  function grow() {
    if (!found.length) ol.append(make('li', { class: 'none soft' }, `No ${state.view === 'pairs' ? noun : 'cluster'} matches the search and the filters.`));
    const next = found.slice(drawn, drawn + kAtOnce);
    ol.append(...next.map(state.view === 'pairs' ? rowPart : clusterPart));
    drawn += next.length;
    more.hidden = drawn >= found.length;
    more.textContent = `Show ${whole(Math.min(kAtOnce, found.length - drawn))} more`;
  }
  function update() {
    found = state.view === 'pairs' ? rows.filter(passes).sort(orders[state.order][1])
      : clusters.filter(cluster => state.words === '' || matches(sidesOfCluster(cluster))).map(withinBorder).filter(Boolean).sort(clusterOrders[state.clusterOrder][1]);
    ol.replaceChildren();
    parts.clear();
    drawn = 0;
    grow();
    tell();
  }

  const select = (id, label, choices, change, chosen) => make('label', { for: id }, make('span', { class: 'word' }, label + ' '), make('select', { id, onchange: event => { change(event.target.value); update(); } },
    ...choices.map(([value, text]) => make('option', { value, selected: value === chosen }, text))));
  const choicesOf = of => Object.entries(of).map(([value, [text]]) => [value, text]);
  const views = ['pairs', 'clusters'].map(view => button(view === 'pairs' ? 'Pairs' : 'Clusters', () => show(view), { 'aria-pressed': String(view === 'pairs') }));
  function show(view) {
    state.view = view;
    views.forEach((part, i) => part.setAttribute('aria-pressed', String(['pairs', 'clusters'][i] === view)));
    // The histogram, an SVG element, has no property `hidden`.
    for (const part of all('.of-pairs')) part.toggleAttribute('hidden', view !== 'pairs');
    for (const part of all('.of-clusters')) part.toggleAttribute('hidden', view !== 'clusters');
    chip.hidden = view !== 'pairs' || state.bin === null;
    update();
  }
  const search = make('input', { type: 'search', id: 'search', autocomplete: 'off', spellcheck: 'false', 'aria-label': 'Search', placeholder: data.vectors ? 'Search ids' : 'Search ids and texts',
    oninput: () => { state.words = plain(search.value.trim()); answers = new Map(); update(); } });
  const pairTools = [data.valued ? select('order', 'Order', choicesOf(orders), value => { state.order = value; }, state.order) : null,
    data.marks ? select('marked', 'Marks', [['', 'All'], ['none', 'Not marked'], ['accept', 'Accepted'], ['reject', 'Rejected']], value => { state.mark = value; }, state.mark) : null].filter(Boolean);
  for (const part of pairTools) part.classList.add('of-pairs');
  const clusterTools = clusters.length && data.valued ? [select('cluster-order', 'Order', choicesOf(clusterOrders), value => { state.clusterOrder = value; }, state.clusterOrder)] : [];
  for (const part of clusterTools) {
    part.classList.add('of-clusters');
    part.hidden = true;
  }

  const place = one('#list'), chip = button('Show all', () => spread.clear(), { class: 'chip', hidden: true });
  const spread = data.valued && !data.lengths && rows.length > 3 ? histogram(rows.map(row => row.value).filter(value => value !== null), (within, words) => {
    state.bin = within;
    chip.textContent = words ? `Only ${words} ✕` : 'Show all';
    chip.hidden = !words;
    update();
  }) : null;
  if (spread) spread.figure.classList.add('of-pairs');
  function limit(border) {
    state.within = border === null ? null : data.distance ? value => value <= border * (1 + 1e-9) : value => value >= border - 1e-9;
    state.border = border;
    spread?.dim(state.within);
    update();
  }
  /// For runs without figures for other thresholds: it filters the list alone, from the run's own threshold or radius on.
  function plainSlider() {
    if (!data.valued || !data.marks || data.border === null || rows.length < 2) return null;
    const whole = data.distance && Number.isInteger(data.border), steps = whole ? Math.min(data.border, 100) : 50;
    const stops = Array.from({ length: steps + 1 }, (_, i) => (data.distance ? data.border * i / steps : data.border + (1 - data.border) * i / steps))
      .map(stop => (whole ? Math.round(stop) : Number(stop.toPrecision(4))));
    if (!(stops[0] < stops[steps])) return null;
    const own = data.distance ? steps : 0, name = data.distance ? 'Radius' : 'Threshold';
    stops[own] = data.border;
    const said = make('output', { for: 'list-slider' }, String(Number(data.border.toPrecision(6))));
    const move = () => {
      const at = Number(slider.value);
      said.textContent = String(Number(stops[at].toPrecision(6)));
      slider.setAttribute('aria-valuetext', said.textContent);
      limit(at === own ? null : stops[at]);
    };
    const slider = make('input', { type: 'range', id: 'list-slider', min: 0, max: steps, step: 1, value: own, 'aria-valuetext': said.textContent, oninput: move });
    return make('div', { class: 'what-if' }, make('div', { class: 'told' }, make('p', {}, make('label', { for: 'list-slider' }, name + ' ', said))), make('div', { class: 'slider' }, slider));
  }
  const figured = one('.what-if'), range = figured ?? plainSlider();
  if (spread && range) one('.slider', range).prepend(spread.figure);
  place.append(...[figured ? null : range ?? spread?.figure, make('div', { class: 'tools' }, clusters.length ? make('div', { class: 'keys', role: 'group', 'aria-label': 'What is listed' }, ...views) : null, search, ...pairTools, ...clusterTools, chip, data.marks ? save : null, status,
    make('span', { class: 'soft keyboard' }, data.marks ? 'Keys: j next, k previous, Enter opens, a accepts a pair as similar, r rejects it. ‘Save the marks’ writes a file for dedup --decisions.' : 'Keys: j next, k previous, Enter opens.')), ol, make('p', {}, more)].filter(Boolean));
  one('#plain-pairs')?.remove();

  // Keys, wherever no field takes them.
  const step = by => {
    const shown = all('button.row,summary.row', ol).filter(part => part.checkVisibility()), at = shown.indexOf(document.activeElement);
    if (at === shown.length - 1 && by > 0 && !more.hidden) {
      grow();
      return step(by);
    }
    const next = shown[at < 0 ? 0 : at + by];
    if (!next) return;
    next.focus();
    next.scrollIntoView({ block: 'nearest' });
  };
  const markRow = what => {
    const part = document.activeElement, row = pairsOf.get(part);
    if (!row || !data.marks) return;
    marks.toggle(row, what);
    one('.marked', part).textContent = markSign(marks.of(row));
    tell();
  };
  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input,select,textarea,dialog')) return;
    const action = { j: () => step(1), k: () => step(-1), a: () => markRow('accept'), r: () => markRow('reject'), '/': () => search.focus() }[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
  update();
  return {
    /// Only pairs on this side of a threshold or radius; null: all.
    limit,
    openIndex(index) { if (rows[index]) open(rows[index]); },
  };
})();
