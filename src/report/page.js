// The rest of the page: parts that need a script, the slider, the plan to copy, links to what is folded.

for (const part of all('.scripted')) part.hidden = false;
for (const part of all('.unscripted')) part.hidden = true;

const slider = one('#what-if-slider');
if (slider) {
  const lines = all('#what-if-table tbody tr');
  const own = slider.value;
  const show = () => {
    const cells = Array.from(lines[slider.value].cells, cell => cell.textContent);
    for (const place of all('[data-cell]')) place.textContent = cells[place.dataset.cell];
    slider.setAttribute('aria-valuetext', cells[0] + ': ' + cells[1] + ' ' + slider.dataset.words);
    for (const part of all('[data-row]')) part.classList.toggle('on', part.dataset.row === slider.value);
    lines.forEach((line, i) => line.classList.toggle('on', String(i) === slider.value));
    list?.limit(slider.value === own ? null : Number(cells[0].replace(/,/g, '')));
  };
  slider.addEventListener('input', show);
  for (const part of all('[data-row]')) part.addEventListener('click', () => { slider.value = part.dataset.row; show(); });
  show();
}

const planLine = one('#plan-line');
if (planLine) {
  planLine.after(button('Copy the line', made => {
    const done = () => { made.textContent = 'Copied'; };
    const selected = () => { getSelection().selectAllChildren(planLine); made.textContent = 'Selected: press Ctrl+C to copy'; };
    if (navigator.clipboard) navigator.clipboard.writeText(planLine.textContent).then(done, selected); else selected();
  }));
}

// The one pair of a comparison, in its place.
if (data?.single && all('.sides .text').length === 2) {
  const sideOn = side => ({ pieces: Array.from(one('.text', side).childNodes).flatMap(node => [node.textContent, Number(node.dataset?.passage ?? -1)]),
    more: Number(side.dataset.more ?? 0), normalised: 'normalised' in side.dataset });
  const [a, b] = all('.sides .side').map(sideOn), shown = { a, b }, place = make('div', { class: 'alone' }), together = () => true;
  const names = data.pairs[0].slice(0, 2).map(item => shortId(data.items[item][0]));
  const views = [['Shared passages', () => sideBySide(shown, names, together)], ['Differences only', () => differencesOnly(shown, names)]];
  const buttons = views.map(([text, view], i) => button(text, () => {
    buttons.forEach((part, j) => part.setAttribute('aria-pressed', String(i === j)));
    place.replaceChildren(view());
    above.classList.toggle('over-map', i === 0);
  }));
  const above = make('div', { class: 'names sides' }, ...names.map(name => make('p', { class: 'id' }, make('code', { dir: 'auto' }, visible(name)))));
  one('.sides').replaceWith(make('div', { class: 'keys', role: 'group', 'aria-label': 'What is shown' }, ...buttons), above, place);
  buttons[0].click();
}

/// A link to a section that is folded opens it; one to a pair shows it.
const follow = () => {
  const pair = /^#pair-(\d+)$/.exec(location.hash);
  if (pair && list) list.openIndex(Number(pair[1]));
  const fold = location.hash.length > 1 && !pair && document.getElementById(location.hash.slice(1))?.closest('details.fold');
  if (fold) fold.open = true;
};
addEventListener('hashchange', follow);
follow();
