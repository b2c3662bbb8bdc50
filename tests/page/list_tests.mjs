// The list of pairs and clusters, in a browser.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from '../browser/runner.mjs';

const values = page => page.locator('#rows button.row .value').allTextContents().then(texts => texts.map(Number));
const status = page => page.locator('#found').textContent();
const focusedRow = page => page.evaluate(() => document.activeElement.dataset?.index ?? null);

async function openClusters(open, name) {
  const page = await open(name);
  await page.getByRole('button', { name: 'Clusters', exact: true }).click();
  return page;
}
/// Opens the first cluster; its members are there when the browser has told of it.
async function openFirst(page) {
  await page.locator('#rows summary').first().click();
  await page.locator('#rows details').first().locator('ol .row').first().waitFor();
}
const moveSlider = (page, to) => page.evaluate(border => {
  const slider = document.querySelector('#what-if-slider'), rows = [...document.querySelectorAll('#what-if-table tbody tr')];
  slider.value = rows.findIndex(row => row.cells[0].textContent === border);
  slider.dispatchEvent(new Event('input'));
}, to);

/// A copy of a page that shows no pair of this item in full.
function withoutTextOf(folder, name, id) {
  const html = readFileSync(path.join(folder, name), 'utf8'), data = /(id="data">)([^]*?)(<\/script>)/;
  const changed = JSON.parse(data.exec(html)[2]);
  for (const pair of changed.pairs) {
    if (pair.slice(0, 2).some(item => changed.items[item][0] === id)) pair[3] = -1;
  }
  changed.texts = changed.texts.filter(([item]) => changed.items[item][0] !== id);
  writeFileSync(path.join(folder, 'cut-' + name), html.replace(data, (_, begin, __, end) => begin + JSON.stringify(changed) + end));
  return 'cut-' + name;
}

/// What a page keeps in the browser is written by another process, which may answer a page that is loaded at once with what was there before.
async function reloadUntil(page, holds) {
  for (let i = 0; i < 20; ++i) {
    await page.reload();
    if (await holds()) return;
  }
  assert.fail('what was marked is not there after 20 reloads');
}

export function testList(open, facts, folder) {
  test('the first screen has what was found and the first rows, at both widths', async () => {
    for (const [width, height] of [[1400, 900], [390, 844]]) {
      for (const name of ['pairs.html', 'hits.html', 'onetoone.html', 'decided.html', 'vectors.html']) {
        const page = await open(name, { viewport: { width, height } });
        const box = await page.locator('#rows .row').first().boundingBox();
        assert.ok(box.y + box.height < height, `${name}: the first row ends at ${box.y + box.height} of ${height}`);
        await page.context().close();
      }
      const name = 'dedup.html', page = await open(name, { viewport: { width, height } });
      const header = await page.locator('header').innerText();
      assert.match(header, /unusable records kept\s*2/i);
      assert.match(header, /nearkin dedup docs\.jsonl --threshold 0\.5/);
      assert.match(header, /\d{4}-\d\d-\d\d \d\d:\d\d UTC · nearkin \d/);
      const box = await page.locator('#rows .row').first().boundingBox();
      assert.ok(box.y + box.height < height * (width > 1000 ? 0.75 : 1), `${name}: the first row ends at ${box.y + box.height} of ${height}`);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
      const keys = page.locator('.keyboard');
      assert.equal(await keys.isVisible(), width > 1000, 'phones have no keys');
      if (width > 1000) assert.ok((await keys.boundingBox()).y < box.y, 'the keys are told above the list');
      await page.context().close();
    }
  });

  test('what is not the list is folded, and a link opens it', async () => {
    const page = await open('dedup.html');
    assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll('details.fold')].map(part => part.open)).then(all => new Set(all)), new Set([false]));
    await page.locator('nav a', { hasText: 'The plan' }).click();
    assert.ok(await page.locator('#plan-line').isVisible());
    await page.context().close();
  });

  test('rows are sorted as asked, each with both items and what was kept', async () => {
    const page = await open('dedup.html');
    const least = await values(page);
    assert.ok(least.length > 10);
    assert.deepEqual(least, [...least].sort((x, y) => x - y));
    await page.locator('#order').selectOption('most');
    const most = await values(page);
    assert.equal(most[0], 1);
    assert.deepEqual(most, [...most].sort((x, y) => y - x));
    const row = page.locator('#rows button.row', { hasText: 'news/again' }).first();
    assert.match(await row.innerText(), /kept\s*news\/0\/first/);
    assert.match(await row.innerText(), /removed\s*news\/again/);
    await page.context().close();
  });

  test('the search looks through ids and texts of all rows', async () => {
    const page = await open('dedup.html');
    const all = await status(page);
    await page.locator('#search').fill(facts.rare);
    const few = await values(page);
    assert.ok(few.length > 0);
    assert.equal(await status(page), `${few.length} of ${all}`);
    for (const text of await page.locator('#rows .two').allInnerTexts()) assert.match(text, /news\/3\//);
    await page.locator('#search').fill('no text has this');
    assert.equal((await values(page)).length, 0);
    assert.equal(await page.locator('#rows').innerText(), 'No pair matches the search and the filters.');
    await page.locator('#search').fill('');
    assert.equal(await status(page), all);
    await page.context().close();
  });

  test('rows whose texts are on the page in part alone are counted when it is searched', async () => {
    const page = await open(withoutTextOf(folder, 'long.html', 'price-a'));
    await page.locator('#search').fill('price');
    assert.match(await status(page), /^1 of 2 pairs\. 1 row is searched by the beginnings of texts only: this page does not hold more of them$/);
    await page.locator('#search').fill('');
    assert.equal(await status(page), '2 pairs');
    await page.context().close();
  });

  test('rows beyond those that the run marked have their texts, too: they are searched in full and open', async () => {
    const page = await open('short.html');
    const found = await page.evaluate(() => {
      const data = JSON.parse(document.querySelector('#data').textContent);
      return { rows: data.pairs.length, inFull: data.shown.length, last: data.pairs.findLastIndex(pair => pair[3] < 0) };
    });
    assert.ok(found.rows === facts.short && found.inFull < facts.short && found.last >= 0);
    const id = await page.evaluate(at => { const data = JSON.parse(document.querySelector('#data').textContent); return data.items[data.pairs[at][0]][0]; }, found.last);
    await page.locator('#search').fill('ending of ' + id.split('/')[1] + '.');
    assert.equal(await status(page), `1 of ${facts.short} pairs`);
    await page.locator('#rows .row').click();
    assert.equal(await page.locator('#viewer .text').count(), 2);
    assert.match(await page.locator('#viewer .text').first().innerText(), /ending of/);
    await page.context().close();
  });

  test('a page without figures for other thresholds has a slider that filters its list', async () => {
    const page = await open('onetoone.html');
    const before = await values(page);
    await page.locator('#list-slider').focus();
    for (let i = 0; i < 20; ++i) await page.keyboard.press('ArrowRight');
    const border = Number(await page.locator('output').textContent()), after = await values(page);
    assert.ok(border > 0.5 && after.length < before.length && after.length > 0);
    assert.deepEqual(after, before.filter(value => value >= border));
    await page.keyboard.press('Home');
    assert.deepEqual(await values(page), before);
    assert.deepEqual(page.trouble, []);
    await page.context().close();
  });

  test('the slider of the threshold filters the list', async () => {
    const page = await open('dedup.html');
    const before = await values(page);
    await page.locator('#what-if-slider').focus();
    for (let i = 0; i < 20; ++i) await page.keyboard.press('ArrowRight');
    const border = Number(await page.locator('output').textContent());
    const after = await values(page);
    assert.ok(border > 0.5 && after.length < before.length && after.length > 0);
    assert.ok(after.every(value => value >= border), String(after));
    await page.keyboard.press('Home');
    assert.equal((await values(page)).length, before.length);
    await page.context().close();
  });

  test('a bar of the histogram filters the list, by mouse and by keyboard', async () => {
    const page = await open('dedup.html');
    const before = (await values(page)).length;
    const bars = page.locator('.histogram .bin');
    await bars.last().click();
    const alike = await values(page);
    assert.ok(alike.length > 0 && alike.every(value => value >= 0.98));
    await page.locator('.chip').click();
    assert.equal((await values(page)).length, before);
    await page.locator('.histogram').focus();
    await page.keyboard.press('End');
    assert.deepEqual(await values(page), alike);
    assert.match(await page.locator('.histogram').getAttribute('aria-valuetext'), /pairs?$/);
    await page.keyboard.press('Escape');
    assert.equal((await values(page)).length, before);
    await page.context().close();
  });

  test('j, k, Enter, a and r go through the list without a mouse', async () => {
    const page = await open('dedup.html');
    await page.keyboard.press('j');
    const first = await focusedRow(page);
    await page.keyboard.press('j');
    const second = await focusedRow(page);
    assert.ok(first !== null && second !== null && first !== second);
    await page.keyboard.press('k');
    assert.equal(await focusedRow(page), first);
    await page.keyboard.press('r');
    assert.match(await page.locator('#rows .row').first().innerText(), /rejected/);
    await page.keyboard.press('a');
    assert.match(await page.locator('#rows .row').first().innerText(), /accepted/);
    await page.keyboard.press('a');
    assert.doesNotMatch(await page.locator('#rows .row').first().innerText(), /accepted|rejected/);
    await page.locator('#search').focus();
    await page.keyboard.type('jar');
    assert.equal(await page.locator('#search').inputValue(), 'jar', 'a field takes its letters itself');
    await page.context().close();
  });

  test('what cannot be marked has no marks', async () => {
    const page = await open('passages.html');
    await page.keyboard.press('j');
    await page.keyboard.press('a');
    assert.doesNotMatch(await page.locator('#rows .row').first().innerText(), /accepted/);
    assert.equal(await page.getByRole('button', { name: /^Save/ }).count() + await page.locator('#marked').count(), 0);
    await page.keyboard.press('Enter');
    await page.locator('#viewer .text').first().waitFor();
    assert.equal(await page.getByRole('button', { name: /Accept|Reject/ }).count(), 0);
    await page.context().close();
  });

  test('marks are kept in the browser under the run, and saved as a file', async () => {
    const page = await open('dedup.html');
    await page.keyboard.press('j');
    await page.keyboard.press('a');
    await page.keyboard.press('j');
    await page.keyboard.press('r');
    await reloadUntil(page, async () => /rejected/.test(await page.locator('#rows .row').nth(1).innerText()));
    assert.match(await page.locator('#rows .row').nth(0).innerText(), /accepted/);
    await page.locator('#marked').selectOption('reject');
    assert.equal((await values(page)).length, 1);
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save 2 marks' }).click()]);
    assert.equal(download.suggestedFilename(), 'decisions.tsv');
    const lines = readFileSync(await download.path(), 'utf8').trimEnd().split('\n').map(line => line.split('\t'));
    assert.deepEqual(lines.map(fields => [fields.length, fields[2]]), [[3, 'accept'], [3, 'reject']]);
    assert.deepEqual(page.trouble, []);
    await page.goto(page.url().replace('dedup.html', 'pairs.html'));
    assert.ok(await page.getByRole('button', { name: 'Save the marks' }).isDisabled(), 'another run has none');
    await page.context().close();
  });

  test('what was accepted before the run has its mark, which can be taken away', async () => {
    const page = await open('decided.html');
    const accepted = page.locator('#rows .row').filter({ hasText: 'price-a' });
    assert.equal(await page.locator('#rows .row').count(), 2, 'the rejected pair is not there');
    assert.match(await accepted.innerText(), /accepted/);
    await page.locator('#marked').selectOption('none');
    assert.equal((await values(page)).length, 1, 'one is still to be looked at');
    await page.locator('#marked').selectOption('');
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save 2 marks' }).click()]);
    assert.equal(readFileSync(await download.path(), 'utf8'), facts.decisions, 'with the rejected pair, so it can replace the file');
    await accepted.focus();
    await page.keyboard.press('a');
    assert.doesNotMatch(await accepted.innerText(), /accepted/);
    await reloadUntil(page, async () => !/accepted/.test(await accepted.innerText()));
    assert.deepEqual(page.trouble, []);
    await page.context().close();
  });

  test('clusters open into their members, with a picture of them', async () => {
    const page = await open('dedup.html');
    await page.getByRole('button', { name: 'Clusters', exact: true }).click();
    const first = page.locator('#rows details').first();
    assert.match(await first.locator('summary').innerText(), /10 items/);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await first.locator('ol .row').first().waitFor();
    assert.equal(await first.locator('ol .row').count(), 9);
    assert.equal(await first.locator('svg.graph .member').count(), 9);
    await first.locator('svg.graph .member').first().click();
    assert.ok(await page.locator('#viewer').isVisible());
    await page.keyboard.press('Escape');
    await page.locator('#search').fill(facts.rare);
    await page.locator('#search').fill('news/3/');
    assert.equal(await page.locator('#rows details').count(), 1);
    await page.context().close();
  });

  test('the slider of the threshold leaves the members that are similar enough to their keeper', async () => {
    const page = await openClusters(open, 'chain.html');
    assert.equal(await status(page), '2 clusters');
    assert.equal(await page.locator('.histogram').isVisible(), false, 'the histogram is one of pairs');
    assert.match(await page.locator('#rows summary').first().innerText(), /8 items[^]*0 or more; those below the threshold belong here by a chain of similar pairs/);
    await openFirst(page);
    await moveSlider(page, '0.7');
    assert.equal(await status(page), '2 of 2 clusters: those with a member whose similarity with the keeper is 0.7 or more');
    assert.match(await page.locator('#rows summary').first().innerText(), /2 of 8 items[^]*similarity with the keeper: 0\.7\d*$/);
    assert.deepEqual(await page.locator('#rows details').first().locator('ol .value').allInnerTexts().then(values => values.map(value => Number(value) >= 0.7)), [true]);
    assert.match(await page.locator('#rows details').first().innerText(), /6 other members have a similarity below 0\.7 with the keeper\./);
    await moveSlider(page, '0.9');
    assert.equal(await status(page), '0 of 2 clusters: those with a member whose similarity with the keeper is 0.9 or more');
    assert.equal(await page.locator('#rows details').count(), 0);
    await moveSlider(page, '0.6');
    assert.equal(await status(page), '2 clusters');
    assert.deepEqual(page.trouble, []);
    await page.context().close();
  });

  test('members that a chain of pairs joins are drawn along the chain', async () => {
    const page = await openClusters(open, 'chain.html');
    await openFirst(page);
    const graph = page.locator('#rows details').first().locator('svg.graph');
    assert.match(await graph.locator('desc').textContent(), /lines join the pairs of the list/);
    const far = await graph.evaluate(svg => {
      const at = new Map([...svg.querySelectorAll('.member')].map(dot => [dot.textContent.split(',')[0], [Number(dot.getAttribute('cx')), Number(dot.getAttribute('cy'))]]));
      at.set('link-0', ['cx', 'cy'].map(name => Number(svg.querySelector('.keeper').getAttribute(name))));
      const between = (i, j) => Math.hypot(at.get('link-' + i)[0] - at.get('link-' + j)[0], at.get('link-' + i)[1] - at.get('link-' + j)[1]);
      return { next: [0, 1, 2, 3, 4, 5, 6].map(i => between(i, i + 1)), ends: between(0, 7) };
    });
    assert.ok(far.next.every(one => one > 5 && one < far.ends / 2), JSON.stringify(far));
    await page.context().close();
  });

  test('clusters are sorted by size or by similarity', async () => {
    const page = await openClusters(open, 'dedup.html');
    const sizes = () => page.locator('#rows summary .value').allInnerTexts().then(texts => texts.map(text => parseInt(text, 10)));
    const least = () => page.locator('#rows summary').allInnerTexts().then(texts => texts.map(text => (/all the same/.test(text) ? 1 : Number(/keeper: (\S+)/.exec(text)[1]))));
    const bySize = await sizes();
    assert.ok(bySize.length > 5);
    assert.deepEqual(bySize, [...bySize].sort((x, y) => y - x));
    await page.locator('#cluster-order').selectOption('most');
    assert.deepEqual(await least(), (await least()).sort((x, y) => y - x));
    await page.locator('#cluster-order').selectOption('least');
    assert.deepEqual(await least(), (await least()).sort((x, y) => x - y));
    assert.equal(await page.locator('#order').isVisible(), false);
    await page.context().close();
  });

  test('a member whose pair is not listed opens beside its keeper, and the keys mark it', async () => {
    const page = await openClusters(open, 'chain.html');
    await openFirst(page);
    const member = page.locator('#rows details').first().locator('ol .row', { hasText: 'link-3' });
    await member.click();
    assert.match(await page.locator('#viewer').innerText(), /This pair is not in the list of pairs/);
    assert.match(await page.locator('#viewer .bar').innerText(), /3 of 7/);
    const texts = await page.locator('#viewer .text').allInnerTexts(), marked = await page.locator('#viewer mark').allInnerTexts();
    assert.equal(texts.length, 2);
    assert.ok(marked.length >= 2 && marked.every(words => texts.every(text => text.includes(words.trim()))), String(marked));
    await page.keyboard.press('a');
    await page.keyboard.press('Escape');
    assert.match(await member.innerText(), /accepted/);
    await page.keyboard.press('j');
    await page.keyboard.press('r');
    assert.match(await page.locator('#rows details').first().locator('ol .row', { hasText: 'link-4' }).innerText(), /rejected/);
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save 2 marks' }).click()]);
    assert.equal(readFileSync(await download.path(), 'utf8'), 'link-0\tlink-3\taccept\nlink-0\tlink-4\treject\n');
    await reloadUntil(page, async () => {
      await page.getByRole('button', { name: 'Clusters', exact: true }).click();
      await openFirst(page);
      return /accepted/.test(await member.innerText());
    });
    assert.deepEqual(page.trouble, []);
    await page.context().close();
  });

  test('a member whose text is not on the page says so and does not open', async () => {
    const page = await openClusters(open, withoutTextOf(folder, 'chain.html', 'link-5'));
    await openFirst(page);
    const shut = page.locator('#rows .row.shut');
    assert.equal(await shut.count(), 1);
    assert.match(await shut.innerText(), /link-5[^]*Cannot be opened: the text is not on this page\./);
    assert.equal(await shut.getAttribute('aria-disabled'), 'true');
    await shut.click({ force: true });  // it is not enabled
    assert.equal(await page.locator('#viewer').isVisible(), false);
    await page.keyboard.press('r');
    assert.match(await shut.innerText(), /rejected/, 'it can be marked');
    assert.equal(await page.locator('svg.graph .member:not(.open)').count(), 1);
    assert.deepEqual(page.trouble, []);
    await page.context().close();
  });

  test('of ten thousand pairs a search, an order and a filter draw only the first hundred, and read each text once', async () => {
    const page = await open('many.html');
    assert.equal(await status(page), `${facts.many.toLocaleString('en-US')} pairs`);
    // What each action does is counted, as its time depends on the machine and on what else runs there; the times are printed.
    const work = await page.evaluate(async () => {
      const done = [];
      let elements = 0, lowered = 0;
      const counting = (object, name, count) => {
        const original = object[name];
        object[name] = function (...values) { count(); return original.apply(this, values); };
      };
      counting(Document.prototype, 'createElement', () => ++elements);
      counting(String.prototype, 'toLowerCase', () => ++lowered);
      const act = (name, action) => {
        const begin = performance.now();
        elements = lowered = 0;
        action();
        document.body.getBoundingClientRect();  // with its layout
        done.push({ name, elements, lowered, milliseconds: performance.now() - begin });
      };
      const set = (id, value, event) => { const part = document.getElementById(id); part.value = value; part.dispatchEvent(new Event(event)); };
      act('first search', () => set('search', 'doc-77', 'input'));  // which makes what the others look through
      act('search', () => set('search', 'doc-7', 'input'));
      act('all', () => set('search', '', 'input'));
      act('order', () => set('order', 'most', 'change'));
      act('slider', () => set('what-if-slider', 30, 'input'));
      act('step', () => document.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true })));
      return done;
    });
    console.log('        ' + work.map(({ name, elements, lowered, milliseconds }) => `${name} ${elements} elements, ${lowered} texts, ${milliseconds.toFixed(0)} ms`).join('; '));
    const kPartsOfARow = 20;
    const parts = await page.evaluate(() => { const data = JSON.parse(document.querySelector('#data').textContent); return data.items.length + 2 * data.shown.length + data.texts.length; });
    for (const { name, elements, lowered } of work) {
      assert.ok(elements <= (name === 'step' ? 0 : 100 * kPartsOfARow), `${name} makes ${elements} elements`);
      // Each item and each text on the page is made ready once; the words that are looked for are one more.
      assert.ok(name === 'first search' ? lowered > facts.manyTexts : lowered <= 1, `${name} reads ${lowered} texts`);
      assert.ok(lowered <= parts + 1, `${name} reads ${lowered} of ${parts} texts`);
    }
    assert.equal(await page.locator('#rows .row').count(), 100);
    await page.context().close();
  });
}
