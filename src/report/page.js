
'use strict';
(() => {
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
  const one = selector => document.querySelector(selector);
  for (const part of all('.scripted')) part.hidden = false;
  for (const part of all('.unscripted')) part.hidden = true;

  const button = (text, action) => {
    const made = document.createElement('button');
    made.type = 'button';
    made.textContent = text;
    made.addEventListener('click', () => action(made));
    return made;
  };

  const slider = one('#what-if-slider');
  if (slider) {
    const rows = all('#what-if-table tbody tr');
    const show = () => {
      const cells = Array.from(rows[slider.value].cells, cell => cell.textContent);
      for (const place of all('[data-cell]')) place.textContent = cells[place.dataset.cell];
      slider.setAttribute('aria-valuetext', cells[0] + ': ' + cells[1] + ' removed');
      for (const bar of all('[data-row]')) bar.classList.toggle('on', bar.dataset.row === slider.value);
      rows.forEach((row, i) => row.classList.toggle('on', String(i) === slider.value));
    };
    slider.addEventListener('input', show);
    for (const bar of all('[data-row]')) {
      bar.addEventListener('click', () => { slider.value = bar.dataset.row; show(); });
    }
    show();
  }

  const line = one('#plan-line');
  if (line) {
    const select = () => getSelection().selectAllChildren(line);
    line.after(button('Copy the line', made => {
      const done = () => { made.textContent = 'Copied'; };
      const selected = () => { select(); made.textContent = 'Selected: copy it now'; };
      if (navigator.clipboard) navigator.clipboard.writeText(line.textContent).then(done, selected); else selected();
    }));
  }

  const pairs = all('details.pair');
  const step = (from, by) => {
    const shown = pairs.filter(pair => !pair.hidden);
    const to = shown[shown.indexOf(from) + by];
    if (!to) return;
    from.open = false;
    to.open = true;
    const summary = to.querySelector('summary');
    summary.focus();
    summary.scrollIntoView({block: 'start'});
  };
  if (pairs.length > 1) {
    for (const pair of pairs) {
      const steps = document.createElement('p');
      steps.className = 'steps';
      steps.append(button('Previous pair', () => step(pair, -1)), ' ', button('Next pair', () => step(pair, 1)));
      pair.append(steps);
    }
  }

  const search = one('#search');
  if (search) {
    const texts = pairs.map(pair => pair.textContent.toLowerCase());
    search.addEventListener('input', () => {
      const wanted = search.value.trim().toLowerCase();
      pairs.forEach((pair, i) => { pair.hidden = !texts[i].includes(wanted); });
      for (const group of all('.group')) group.hidden = !group.querySelector('details.pair:not([hidden])');
      const shown = pairs.filter(pair => !pair.hidden).length;
      one('#found').textContent = wanted ? shown + ' of ' + pairs.length : '';
    });
  }
})();
