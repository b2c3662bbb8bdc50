// The members of a cluster as dots around the item that stays: the nearer, the more similar.

/// `open` shows a pair; `opens` says whether the page can show a member beside the keeper.
function clusterGraph(cluster, open, opens) {
  const size = 340, middle = size / 2, least = 34, most = middle - 14;
  const far = Math.max(...cluster.members.map(member => 1 - share(member.value)), 1e-9);
  const dots = cluster.members.map((member, i) => {
    const angle = i * 2.399963229728653, distance = least + (most - least) * (1 - share(member.value)) / far;
    return { member, x: middle + distance * Math.cos(angle), y: middle + distance * Math.sin(angle) };
  });
  const title = visible(shortId(cluster.keeper[0])), radius = dots.length > 100 ? 3.5 : dots.length > 30 ? 5 : 7;
  const rings = [0.5, 1].map(part => draw('circle', { class: 'ring', cx: middle, cy: middle, r: least + (most - least) * part }));
  const parts = dots.map(({ member, x, y }) => {
    const dot = draw('circle', { class: opens(member) ? 'member open' : 'member', cx: x.toFixed(1), cy: y.toFixed(1), r: radius },
      draw('title', {}, visible(shortId(member.item[0])) + (member.value === null ? '' : ', ' + valueText(member.value))));
    if (opens(member)) dot.addEventListener('click', () => open(member.pair));
    return dot;
  });
  const id = 'graph-' + cluster.index;
  return draw('svg', { class: 'graph', viewBox: `0 0 ${size} ${size}`, role: 'img', 'aria-labelledby': id + '-title', 'aria-describedby': id + '-words' },
    draw('title', { id: id + '-title' }, 'The cluster of ' + title),
    draw('desc', { id: id + '-words' }, `${counted(dots.length, 'member')} are drawn around the keeper; more similar ones are nearer to it. The list beside it has all of them.`),
    ...rings, draw('path', { class: 'edges', d: dots.map(({ x, y }) => `M${middle} ${middle}L${x.toFixed(1)} ${y.toFixed(1)}`).join('') }),
    ...parts, draw('circle', { class: 'keeper', cx: middle, cy: middle, r: 9 }, draw('title', {}, title + ', the keeper')));
}

/// How many of the listed pairs have which similarity. A bar that is chosen filters the list; arrow keys choose, Escape lets go.
function histogram(values, choose) {
  const whole = data.distance && [data.border, ...values].every(Number.isInteger) && data.border < 100;  // a bar for each distance
  const low = data.distance ? 0 : Math.min(data.border ?? 0, ...values.slice(0, 1)), high = whole ? data.border + 1 : data.distance ? data.border || 1 : 1;
  const bins = whole ? data.border + 1 : 40, counts = new Array(bins).fill(0), width = 640, height = 64;
  const binOf = value => Math.min(Math.max(Math.floor((value - low) / (high - low || 1) * bins + 1e-9), 0), bins - 1);
  for (const value of values) ++counts[binOf(value)];
  const most = Math.max(...counts, 1), edge = bin => Number((low + (high - low) * bin / bins).toPrecision(6));
  const range = bin => (whole ? String(bin) : `${edge(bin)} to ${edge(bin + 1)}`), words = bin => `${range(bin)}: ${counted(counts[bin], noun)}`;
  let chosen = -1;
  const bars = counts.map((count, bin) => {
    const tall = count ? Math.max(height * Math.sqrt(count / most), 3) : 0;
    return draw('g', { class: 'bin', onclick: () => set(chosen === bin ? -1 : bin) }, draw('rect', { class: 'room', x: bin * width / bins, width: width / bins, height }),
      draw('rect', { class: 'count', x: bin * width / bins + 1, y: height - tall, width: width / bins - 2, height: tall }),
      draw('title', {}, words(bin)));
  });
  const svg = draw('svg', { class: 'histogram', viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', role: 'slider', tabindex: 0,
    'aria-label': `Listed ${noun}s by ${data.value}`, 'aria-valuemin': 0, 'aria-valuemax': bins, 'aria-valuenow': 0, 'aria-valuetext': 'all' }, ...bars);
  const set = bin => {
    chosen = bin;
    bars.forEach((part, i) => part.classList.toggle('on', i === bin));
    svg.setAttribute('aria-valuenow', bin + 1);
    svg.setAttribute('aria-valuetext', bin < 0 ? 'all' : words(bin));
    choose(bin < 0 ? null : value => binOf(value) === bin, bin < 0 ? '' : range(bin));
  };
  svg.addEventListener('keydown', event => {
    const to = { ArrowLeft: Math.max(chosen - 1, 0), ArrowRight: Math.min(chosen + 1, bins - 1), Home: 0, End: bins - 1, Escape: -1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    set(to);
  });
  /// `within`: which values pass another filter; null: all.
  const dim = within => bars.forEach((part, bin) => part.classList.toggle('out', within !== null && !within(whole ? bin : (edge(bin) + edge(bin + 1)) / 2)));
  const caption = make('figcaption', { class: 'soft' }, make('span', {}, String(edge(0))), make('span', {}, `Listed ${noun}s by ${data.value}; click a bar to list only those`), make('span', {}, String(whole ? bins - 1 : edge(bins))));
  return { figure: make('figure', { class: 'spread' }, svg, caption), dim, clear: () => set(-1) };
}
