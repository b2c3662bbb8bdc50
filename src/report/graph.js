// The members of a cluster as dots: around the item that stays, or, where a chain of pairs joins them, by the pairs of the list.

/// Places on a disc of radius 1, by the pairs that the list has of these items: similar items attract each other, and all keep apart from all
/// (after Fruchterman and Reingold, "Graph drawing by force-directed placement", 1991). `links`: [i, j, value].
function placedByLinks(count, links) {
  const kRounds = Math.max(Math.min(150, Math.round(3e7 / (count * count))), 30), ideal = 1 / Math.sqrt(count);
  const [x, y, dx, dy] = Array.from({ length: 4 }, () => new Float64Array(count));
  for (let i = 0; i < count; ++i) {
    const angle = i * 2.399963229728653, far = Math.sqrt(i / count);
    [x[i], y[i]] = [far * Math.cos(angle), far * Math.sin(angle)];
  }
  for (let round = 0; round < kRounds; ++round) {
    const most = 0.2 * (1 - round / kRounds);
    dx.fill(0);
    dy.fill(0);
    for (let i = 0; i < count; ++i) {
      for (let j = 0; j < i; ++j) {
        const toX = x[i] - x[j], toY = y[i] - y[j], apart = ideal * ideal / Math.max(toX * toX + toY * toY, 1e-8);
        dx[i] += apart * toX; dy[i] += apart * toY;
        dx[j] -= apart * toX; dy[j] -= apart * toY;
      }
    }
    for (const [i, j, value] of links) {
      const toX = x[i] - x[j], toY = y[i] - y[j], together = Math.hypot(toX, toY) / (ideal * (0.5 + 1.5 * (1 - share(value))));
      dx[i] -= together * toX; dy[i] -= together * toY;
      dx[j] += together * toX; dy[j] += together * toY;
    }
    for (let i = 0; i < count; ++i) {
      const length = Math.hypot(dx[i], dy[i]) || 1, step = Math.min(length, most) / length;
      x[i] += dx[i] * step;
      y[i] += dy[i] * step;
    }
  }
  const centre = values => (Math.min(...values) + Math.max(...values)) / 2, x0 = centre(x), y0 = centre(y);
  const far = Math.max(...x.map((at, i) => Math.hypot(at - x0, y[i] - y0)), 1e-9);
  return Array.from(x, (at, i) => [(at - x0) / far, (y[i] - y0) / far]);
}

/// The keeper is in the middle, and members are around it: the more similar to it, the nearer to the middle.
function placedAroundKeeper(members, least) {
  const far = Math.max(...members.map(member => 1 - share(member.value)), 1e-9);
  return [[0, 0], ...members.map((member, i) => {
    const angle = i * 2.399963229728653, distance = least + (1 - least) * (1 - share(member.value)) / far;
    return [distance * Math.cos(angle), distance * Math.sin(angle)];
  })];
}

/// `open` shows a pair; `opens` says whether the page can show a member beside the keeper. `links`: pairs of the list among the keeper, 0, and
/// the members from 1 on; empty: the members stand around the keeper.
function clusterGraph(cluster, open, opens, links) {
  const size = 340, middle = size / 2, most = middle - 14, least = 34, linked = links.length > 0;
  const places = (linked ? placedByLinks(cluster.members.length + 1, links) : placedAroundKeeper(cluster.members, least / most))
    .map(([x, y]) => ({ x: (middle + most * x).toFixed(1), y: (middle + most * y).toFixed(1) }));
  const dots = cluster.members.map((member, i) => ({ member, ...places[i + 1] }));
  const title = visible(shortId(cluster.keeper[0])), radius = dots.length > 100 ? 3.5 : dots.length > 30 ? 5 : 7;
  const rings = linked ? [] : [0.5, 1].map(part => draw('circle', { class: 'ring', cx: middle, cy: middle, r: least + (most - least) * part }));
  const parts = dots.map(({ member, x, y }) => {
    const dot = draw('circle', { class: opens(member) ? 'member open' : 'member', cx: x, cy: y, r: radius },
      draw('title', {}, visible(shortId(member.item[0])) + (member.value === null ? '' : ', ' + valueText(member.value))));
    if (opens(member)) dot.addEventListener('click', () => open(member.pair));
    return dot;
  });
  const id = 'graph-' + cluster.index, placeOf = i => `${places[i].x} ${places[i].y}`;
  const lines = linked ? links : dots.map((_, i) => [0, i + 1]);
  const words = linked ? 'lines join the pairs of the list, and more similar items are nearer to each other.' : 'more similar ones are nearer to it.';
  return draw('svg', { class: 'graph', viewBox: `0 0 ${size} ${size}`, role: 'img', 'aria-labelledby': id + '-title', 'aria-describedby': id + '-words' },
    draw('title', { id: id + '-title' }, 'The cluster of ' + title),
    draw('desc', { id: id + '-words' }, `${counted(dots.length, 'member')} are drawn ${linked ? 'with' : 'around'} the keeper; ${words} The list beside it has all of them.`),
    ...rings, draw('path', { class: linked ? 'edges links' : 'edges', d: lines.map(([i, j]) => `M${placeOf(i)}L${placeOf(j)}`).join('') }),
    ...parts, draw('circle', { class: 'keeper', cx: places[0].x, cy: places[0].y, r: linked ? Math.max(radius + 2, 6) : 9 }, draw('title', {}, title + ', the keeper')));
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
  const caption = make('figcaption', { class: 'soft' }, make('span', {}, String(edge(0))), make('span', {}, `Listed ${noun}s by ${data.value}`, make('span', { class: 'how' }, '; click a bar to list only its ' + noun + 's')), make('span', {}, String(whole ? bins - 1 : edge(bins))));
  return { figure: make('figure', { class: 'spread' }, svg, caption), dim, clear: () => set(-1) };
}
