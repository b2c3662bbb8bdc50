// The server's page in a real browser. usage: node web_test.mjs NODE_MODULES CHROMIUM FACTS
// FACTS (run_web.py): the addresses of served indexes, and what is in them.
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import { headings, leastContrast, sharedWords, similarity, wordsOf, wordsOfSides } from '../browser/checks.mjs';
import { runAll, test } from '../browser/runner.mjs';
import { testViewer } from './viewer_tests.mjs';
import { ASKED, NEIGHBOUR, answered, ask, browser, facts, figure, figureBecomes, isWell, open, openHit, pairPage, said, send } from './served_page.mjs';

test('the page opens without errors, refusals or requests to others, and says what the index is', async () => {
  const page = await open();
  assert.equal(await page.title(), 'Find similar items – nearkin');
  const about = await (await page.request.get(page.address + '/v1/index')).json();
  assert.equal(await page.locator('#plan-line').textContent(), about.plan);
  assert.match(await page.locator('#lead').textContent(), /Jaccard similarity of 0\.5 or more/);
  assert.equal(await figure(page, 'Items'), String(Object.keys(facts.docs).length));
  for (const [name, source] of Object.entries(facts.sources)) {
    assert.equal(await (await page.request.get(`${page.address}/${name === 'index.html' ? '' : name}`)).text(), source, name);
  }
  for (const [joined, parts] of Object.entries(facts.shared)) {
    const shared = await (await page.request.get(`${page.address}/${joined}`)).text();
    for (const [name, source] of Object.entries(parts)) assert.ok(shared.includes(source), name);
  }
  const policy = (await page.request.get(page.address + '/')).headers()['content-security-policy'];
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(policy, /unsafe/);
  isWell(page);
  await page.context().close();
});

test('headings are in order, ids are unique, every control has a name', async () => {
  const page = await pairPage();
  const found = await page.evaluate(headings);
  assert.deepEqual(found.landmarks, [1, 1, 1, 1]);
  assert.equal(found.levels.filter(level => level === 1).length, 1);
  found.levels.reduce((before, level) => { assert.ok(level <= before + 1); return level; });
  assert.equal(new Set(found.ids).size, found.ids.length);
  assert.deepEqual(found.unnamed, []);
  assert.ok(await page.locator('#asked[role=status]').count());
});

test('a pasted text shows its neighbours, best first, with their exact similarities', async () => {
  const page = await open();
  await ask(page, facts.docs[ASKED]);
  const shown = await page.evaluate(() => [...document.querySelectorAll('#hits .pair')].map(pair => ({
    id: pair.querySelector('.names code').textContent, value: Number(pair.querySelector('.value').textContent),
    bar: pair.querySelector('.across rect').getBoundingClientRect().width / pair.querySelector('.across').getBoundingClientRect().width,
  })));
  const words = id => wordsOf(facts.docs[id]);
  const expected = Object.keys(facts.docs).filter(id => similarity(words(ASKED), words(id), facts.shingle) >= facts.threshold);
  assert.ok(expected.length >= 4);
  assert.deepEqual(shown.map(hit => hit.id).sort(), expected.sort());
  assert.equal(shown[0].id, ASKED);
  shown.forEach(({ id, value, bar }, i) => {
    const exact = similarity(words(ASKED), words(id), facts.shingle);
    assert.ok(value <= exact + 1e-9 && exact - value < 2e-6, `${id}: ${value} for ${exact}`);
    assert.ok(Math.abs(bar - exact) < 0.01, `${id}: a bar of ${bar} for ${exact}`);
    assert.ok(i === 0 || value <= shown[i - 1].value);
  });
  assert.match(await page.locator('#asked').textContent(), new RegExp(`^${shown.length} neighbours with a Jaccard similarity of 0.5 or more.*Looked at \\d+ items in `));
  isWell(page);
  await page.context().close();
});

/// What a person sees of a pair: its parts in words, its marks, and how the parts look.
const seen = page => page.evaluate(() => {
  const root = document.querySelector('.sides').parentElement;
  const look = (selector, names) => names.map(name => getComputedStyle(root.querySelector(selector))[name]);
  return {
    terms: [...root.querySelectorAll('dl.parts>div')].map(part => part.textContent),
    marks: [...root.querySelectorAll('.sides mark')].map(mark => mark.textContent),
    texts: [...root.querySelectorAll('.sides .text')].map(text => text.textContent),
    bar: [...root.querySelectorAll('.venn rect')].map(part => [part.getAttribute('class'), Math.round(parseFloat(part.getAttribute('width')) * 10), getComputedStyle(part).fill]),
    look: [look('.sides mark', ['color', 'backgroundColor', 'textDecoration']), look('.text', ['color', 'backgroundColor', 'font', 'padding', 'borderRadius', 'maxHeight']),
      look('.sides', ['display', 'gap']), look('.parts dt', ['color', 'font'])],
    ground: getComputedStyle(document.body).backgroundColor,
  };
});

test('a pair is seen as in the report: the same words, marks, parts and colours, by day and by night', async () => {
  const page = await pairPage();
  const report = await (await browser.newContext({ viewport: { width: 1100, height: 900 } })).newPage();
  await report.goto(pathToFileURL(facts.report).href);
  for (const colorScheme of ['light', 'dark']) {
    await Promise.all([page, report].map(one => one.emulateMedia({ colorScheme })));
    assert.deepEqual(await seen(page), await seen(report), colorScheme);
  }
  await report.context().close();
});

test('the marks are the words that both texts have', async () => {
  const page = await pairPage();
  const [[mine, others]] = await page.evaluate(wordsOfSides);
  for (const [one, other] of [[mine, others], [others, mine]]) {
    const shared = sharedWords(one.map(word => word.word), other.map(word => word.word), facts.shingle);
    assert.ok(shared.some(Boolean) && !shared.every(Boolean));
    assert.deepEqual(one.map(word => word.marked), shared);
  }
});

test('the keyboard alone asks, opens a pair, closes it with Escape, and shows where it is', async () => {
  const page = await open();
  const tabUntil = async selector => {
    for (let i = 0; i < 40; ++i) {
      await page.keyboard.press('Tab');
      const at = await page.evaluate(wanted => ({ there: document.activeElement.matches(wanted), outline: getComputedStyle(document.activeElement).outlineStyle,
        what: document.activeElement.id || document.activeElement.tagName }), selector);
      assert.notEqual(at.outline, 'none', at.what);
      if (at.there) return;
    }
    assert.fail('the keyboard does not reach ' + selector);
  };
  await tabUntil('#box');
  await page.keyboard.insertText(facts.docs[ASKED]);
  await page.keyboard.press('Control+Enter');
  await page.locator('#hits summary').nth(1).waitFor();
  await tabUntil('#ask-button');
  await tabUntil('#hits summary');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  const pair = page.locator('#hits details.pair').nth(1);
  await pair.locator('.sides').waitFor();
  await tabUntil('.side .text');
  await page.keyboard.press('Escape');
  assert.equal(await pair.locator('.sides').isVisible(), false);
  assert.ok(await page.evaluate(() => document.activeElement === document.querySelectorAll('#hits summary')[1]));
  await page.keyboard.press('Enter');
  await pair.getByRole('button', { name: 'Next neighbour' }).press('Enter');
  assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll('#hits details.pair')].map(row => row.open)).then(all => all.slice(0, 3)), [false, false, true]);
  isWell(page);
  await page.context().close();
});

test('a file is read when it is dropped or chosen; a long one is held beside the box', async () => {
  const page = await open();
  await page.evaluate(text => {
    const carried = new DataTransfer();
    carried.items.add(new File([text], 'dropped.txt', { type: 'text/plain' }));
    document.querySelector('#drop').dispatchEvent(new DragEvent('drop', { dataTransfer: carried, bubbles: true, cancelable: true }));
  }, facts.docs[ASKED]);
  await page.locator('#hits summary').first().waitFor();
  assert.equal(await page.locator('#box').inputValue(), facts.docs[ASKED]);
  assert.equal(await page.locator('#new-id').inputValue(), 'dropped.txt');
  await openHit(page, NEIGHBOUR);
  assert.equal(await page.locator('.side .id').first().textContent(), 'dropped.txt');
  const long = (facts.docs[ASKED] + '\n').repeat(Math.ceil(1.2e6 / facts.docs[ASKED].length));
  await answered(page, () => page.locator('#file').setInputFiles({ name: 'long.txt', mimeType: 'text/plain', buffer: Buffer.from(long) }));
  await said(page, ['held-name', 'long.txt']);
  await openHit(page, NEIGHBOUR);
  assert.match(await page.locator('.side').first().locator('p.soft').textContent(), /more bytes are not shown/);
  await page.getByRole('button', { name: 'Use another text' }).click();
  assert.ok(await page.locator('#box').isVisible());
  isWell(page);
  await page.context().close();
});

test('a text is added under an id with metadata, found at once, and replaced only when one says so', async () => {
  const page = await open();
  const items = Number(await figure(page, 'Items')), id = 'new one/%2F?#ä', text = 'Nobody has seen a text like this one in the whole of the old collection of letters.';
  await page.locator('#box').fill(text);
  await page.locator('#new-id').fill(id);
  await page.locator('#new-metadata').fill('{"desk": ');
  await page.locator('#new-metadata').press('Enter');
  await said(page, ['added', 'not JSON']);
  isWell(page);
  await page.locator('#new-metadata').fill('{"desk": "city", "n": 7, "long": 12345678901234567890}');
  await page.locator('#new-metadata').press('Enter');
  await said(page, ['added', 'Added ' + id]);
  assert.deepEqual(page.refused.splice(0), [404]);  // whether it was there
  await figureBecomes(page, 'Items', String(items + 1));
  await ask(page, text);
  assert.equal(await page.locator('#hits .names code').first().textContent(), id);
  assert.match(await page.locator('#hits .about').first().textContent(), /desk: city · n: 7/);
  assert.match(await (await send(page, 'GET', id)).text(), /12345678901234567890/);

  await page.locator('#narrow summary').click();
  for (const [filter, count] of [['desk = country', 0], ['desk = city', 1], ['desk = "city"', 1], ['n = 7', 1], ['n = "7"', 0], ['n = 7.0', 0],
    ['long = 12345678901234567890', 1], ['long = 12345678901234567891', 0]]) {
    await page.locator('#where').fill(filter);
    await ask(page, text);
    assert.equal(await page.locator('#hits details.pair').count(), count, filter);
  }

  await page.locator('#new-id').fill(id);
  await page.getByRole('button', { name: 'Add it' }).click();
  await said(page, ['added', 'already']);
  assert.equal((await (await send(page, 'GET', id)).json()).metadata.desk, 'city');
  await page.getByRole('button', { name: 'Replace it' }).click();
  await said(page, ['added', 'Replaced ' + id]);
  assert.equal((await (await send(page, 'GET', id)).json()).metadata, undefined);
  isWell(page);
  await send(page, 'DELETE', id);
  await page.context().close();
});

test('a filter without a value says what it needs', async () => {
  const page = await open();
  await page.locator('#narrow summary').click();
  await page.locator('#where').fill('desk');
  await page.locator('#box').fill(facts.docs[ASKED]);
  await page.locator('#box').press('Control+Enter');
  await said(page, ['asked', 'such as desk = city']);
  isWell(page);
  await page.context().close();
});

test('an example can be asked with one click', async () => {
  const page = await open();
  await page.getByRole('button', { name: 'Try an example' }).click();
  await page.waitForFunction(() => location.hash.startsWith('#ask='));
  assert.ok(await page.locator('#hits details.pair').count() > 1, 'an item that has another neighbour than itself');
  assert.match(page.url(), /#ask=/);
  isWell(page);
  await page.context().close();
});

test('an item and a question have addresses that can be sent to someone', async () => {
  const page = await open();
  await page.locator('#narrow summary').click();
  await page.locator('#border').fill('0.6');
  await ask(page, facts.docs[ASKED]);
  const hits = await page.locator('#hits .names code').allTextContents();
  const question = page.url();
  assert.match(question, /#text=.*border=0\.6/);
  const other = await open();
  await answered(other, () => other.evaluate(address => { location.href = address; }, question));
  assert.deepEqual(await other.locator('#hits .names code').allTextContents(), hits);
  assert.equal(await other.locator('#border').inputValue(), '0.6');
  await other.evaluate(id => { location.hash = '#item=' + encodeURIComponent(id); }, NEIGHBOUR);
  await other.locator('#item-list .text').waitFor();
  assert.equal(await other.locator('#item-list .names code').textContent(), NEIGHBOUR);
  await other.evaluate(() => { location.hash = '#find=news%2F3%2Fcopy'; });
  await other.waitForFunction(() => document.querySelectorAll('#item-list .names code').length > 1);
  assert.ok((await other.locator('#item-list .names code').allTextContents()).every(id => id.startsWith('news/3/copy')));
  assert.equal(await other.locator('#find').inputValue(), 'news/3/copy');
  isWell(other);
  await other.context().close();
  await page.context().close();
});

test('a long text has an address, too; one that is cut off is said to be', async () => {
  const page = await open();
  const long = Array.from({ length: 1_000 }, (_, number) => `wörd ${number} of a long text`).join(' ') + ' ' + facts.docs[ASKED];
  await ask(page, long);
  await page.waitForFunction(() => location.hash.startsWith('#packed='));
  const question = page.url();
  const other = await open();
  await answered(other, () => other.evaluate(address => { location.href = address; }, question));
  assert.equal(await other.locator('#box').inputValue(), long);
  assert.deepEqual(await other.locator('#hits .names code').allTextContents(), await page.locator('#hits .names code').allTextContents());
  await other.evaluate(() => { location.hash = location.hash.slice(0, 400); });
  await said(other, ['asked', 'incomplete']);
  const unlike = Array.from({ length: 60_000 }, (_, number) => (number * 2654435761 % 4294967296).toString(36)).join(' ');
  await ask(page, unlike);
  await page.waitForTimeout(300);
  assert.equal(new URL(page.url()).hash, '');
  isWell(other);
  await other.context().close();
  await page.context().close();
});

test('a question asked while the items are still being listed is asked once, and its open pair stays', async () => {
  let release, asked = 0;
  const released = new Promise(resolve => { release = resolve; });
  const page = await open('texts', {}, async opened => {
    await opened.route('**/v1/items?details*', async route => { await released; await route.continue(); });
    opened.on('request', request => { asked += request.url().endsWith('/v1/query'); });
  });
  await ask(page, facts.docs[ASKED]);
  const row = await openHit(page, NEIGHBOUR);
  release();
  await page.locator('#item-list .names').first().waitFor();
  await page.waitForLoadState('networkidle');
  assert.ok(await row.locator('.steps').isVisible());
  assert.equal(asked, 1);
  isWell(page);
  await page.context().close();
});

/// Looks for items, and expects these.
async function find(page, wanted, ids) {
  await page.locator('#find').fill(wanted);
  await page.locator('#find').press('Enter');
  await page.waitForFunction(expected => [...document.querySelectorAll('#item-list .names code')].map(part => part.textContent).join('\n') === expected, ids.join('\n'));
}

test('an item is removed after one more question, and no longer found', async () => {
  const page = await open(), id = 'short-lived', text = 'A short life had this text, which was put here only to be taken away again.';
  await send(page, 'PUT', id, { text });
  await ask(page, text);
  const row = await openHit(page, id);
  await row.getByRole('button', { name: 'Remove it from the index' }).press('Enter');
  await page.keyboard.press('Escape');
  assert.ok(await row.locator('.sides').isVisible());  // Escape took back the question alone
  assert.equal((await send(page, 'GET', id)).status(), 200);
  const items = Number(await figure(page, 'Items'));
  await row.getByRole('button', { name: 'Remove it from the index' }).press('Enter');
  await row.getByRole('button', { name: 'Yes, remove it' }).press('Enter');
  await row.getByRole('button', { name: 'Undo' }).press('Enter');
  await row.getByRole('button', { name: 'Remove it from the index' }).press('Enter');
  await row.getByRole('button', { name: 'Yes, remove it' }).press('Enter');
  assert.equal((await send(page, 'GET', id)).status(), 200, 'there is a moment to undo it');
  await page.locator('#hits .gone').waitFor();
  assert.equal((await send(page, 'GET', id)).status(), 404);
  await figureBecomes(page, 'Items', String(items - 1));
  await ask(page, text);
  await said(page, ['asked', 'Nothing found']);
  isWell(page);
  await page.context().close();
});

test('a removal that was said yes to is done when the page is left; Escape undoes it before', async () => {
  const page = await open('texts', { clock: true }), id = 'left-behind';
  await send(page, 'PUT', id, { text: 'A text that is to be taken away while the page is being left.' });
  await find(page, id, [id]);
  await page.locator('#item-list summary').first().press('Enter');
  const remove = async () => {
    await page.locator('#item-list').getByRole('button', { name: 'Remove it from the index' }).press('Enter');
    await page.locator('#item-list').getByRole('button', { name: 'Yes, remove it' }).press('Enter');
    await page.locator('#item-list').getByRole('button', { name: 'Undo' }).waitFor();
  };
  await remove();
  await page.keyboard.press('Escape');
  await page.clock.runFor(60_000);
  assert.equal((await send(page, 'GET', id)).status(), 200, 'it was undone');
  await remove();
  const asked = page.context().waitForEvent('request', request => request.method() === 'DELETE');
  await page.goto('about:blank');
  await asked;
  for (const end = Date.now() + 60_000; (await send(page, 'GET', id)).status() !== 404;) assert.ok(Date.now() < end, 'it is still there');
  await page.context().close();
});

test('more items have an address', async () => {
  const page = await open();
  await page.locator('#item-list .names').first().waitFor();
  await page.locator('#more').click();
  await page.waitForFunction(() => location.hash.includes('listed='));
  const ids = await page.locator('#item-list .names code').allTextContents(), address = page.url(), other = await open();
  await other.evaluate(to => { location.href = to; }, address);
  await other.waitForFunction(count => document.querySelectorAll('#item-list .names code').length === count, ids.length);
  assert.deepEqual(await other.locator('#item-list .names code').allTextContents(), ids);
  isWell(other);
  await other.context().close();
  await page.context().close();
});

test('an item is asked with, and an example shown, where the index has no texts and where it has vectors', async () => {
  for (const name of ['vectors', 'bare']) {
    const page = await open(name);
    await page.locator('#item-list summary').first().press('Enter');
    const id = await page.locator('#item-list .names code').first().textContent();
    await answered(page, () => page.getByRole('button', { name: 'Search with this item' }).first().click());
    const own = await page.locator('#hits .names code').allTextContents();
    assert.ok(!own.includes(id), 'an item is not its own neighbour');
    const { hits } = await (await page.request.post(page.address + '/v1/query', { data: { id, limit: 10 } })).json();
    assert.deepEqual(own, hits.map(hit => hit.id));
    assert.equal(await page.locator('#held-name').innerText(), `${id}, an item of this index.`);
    assert.ok(await page.locator('#box').isHidden() && await page.locator('#held-text').isHidden());
    assert.match(page.url(), new RegExp(`#ask=${encodeURIComponent(id)}$`));
    await page.getByRole('button', { name: /^Use another / }).click();
    assert.ok(await page.locator('#box').isVisible());
    await page.locator('#example').click();
    await page.locator('#held-name').waitFor();
    await page.waitForFunction(() => !document.querySelector('#hits').hasAttribute('aria-busy'));
    assert.ok(await page.locator('#hits .value').count() > 0, 'the example has a neighbour');
    isWell(page);
    await page.context().close();
  }
});

test('the items are listed page by page; one is found by its id and asked with', async () => {
  const page = await open();
  const ids = Object.keys(facts.docs).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const listed = () => page.locator('#item-list .names code').count();
  await page.locator('#item-list .names').first().waitFor();
  const first = await listed();
  assert.ok(first > 0 && first < ids.length);
  while (await page.locator('#more').isVisible()) {
    const before = await listed();
    await page.locator('#more').click();
    await page.waitForFunction(count => document.querySelectorAll('#item-list .names code').length > count, before);
  }
  const shown = await page.evaluate(() => [...document.querySelectorAll('#item-list .names code')].map(part => part.textContent));
  assert.deepEqual(shown.filter(id => !id.startsWith('hostile')), ids.filter(id => !id.startsWith('hostile')));
  assert.equal(shown.length, ids.length);
  await find(page, ASKED.toUpperCase(), [ASKED]);
  assert.match(page.url(), /#find=NEWS/);
  const about = await page.locator('#item-list .about').textContent();
  assert.ok(facts.docs[ASKED].replace(/\s+/g, ' ').startsWith(about.replace(/…$/, '')), about);
  await page.locator('#item-list summary').first().press('Enter');
  await page.locator('#item-list .text').waitFor();
  assert.equal(await page.locator('#item-list .text').textContent(), facts.docs[ASKED]);
  await page.locator('#item-list').getByRole('button', { name: 'Search with this item' }).press('Enter');
  await page.locator('#hits summary').first().waitFor();
  await find(page, 'no item has this anywhere', []);
  await said(page, ['listed', 'Nothing found.']);
  isWell(page);
  await page.context().close();
});

test('items are found by their metadata and by the beginning of their text', async () => {
  const page = await open();
  await send(page, 'PUT', 'titled', { text: 'Words that begin this text alone, and more of them.', metadata: { title: 'Über die Brücke', tags: ['été', 7041] } });
  for (const wanted of ['über die', 'ÉTÉ', '7041', 'begin  this TEXT']) await find(page, wanted, ['titled']);
  assert.equal(await page.locator('#item-list .about').textContent(), 'title: Über die Brücke · tags: ["été",7041]');
  await find(page, 'tags', []);  // a name is not a value
  await send(page, 'DELETE', 'titled');
  isWell(page);
  await page.context().close();
});

test('the counters are refreshed by themselves', async () => {
  const page = await open('texts', { clock: true });
  const [items, queries] = [Number(await figure(page, 'Items')), Number(await figure(page, 'Queries'))];
  await send(page, 'PUT', 'counted', { text: 'one more text to be counted by whoever looks at the page' });
  await page.request.post(page.address + '/v1/query', { data: { text: 'who counts' } });
  await page.clock.runFor(6000);
  await figureBecomes(page, 'Items', String(items + 1));
  await figureBecomes(page, 'Queries', String(queries + 1));
  assert.match(await figure(page, 'Time per query'), /^[\d.]+\sm?s$/);
  assert.match(await figure(page, 'Size on disk'), /^[\d.]+\s(kB|MB)( \([\d.]+\s(B|kB|MB) reusable\))?$/);
  await send(page, 'DELETE', 'counted');
  await page.context().close();
});

test('the curve is that of the plan, with the threshold marked and its numbers in a table', async () => {
  const page = await open();
  const about = await (await page.request.get(page.address + '/v1/index')).json();
  const drawn = await page.evaluate(() => {
    const svg = document.querySelector('#curve svg.wide'), path = kind => svg.querySelector('path.' + kind).getAttribute('d').match(/-?[\d.]+/g).map(Number);
    const numbers = path('curve'), points = numbers.filter((_, i) => i % 2 === 0).map((x, i) => [x, numbers[2 * i + 1]]);
    const [left, right] = [points[0][0], points.at(-1)[0]], heights = points.map(([, y]) => y), [top, bottom] = [Math.min(...heights), Math.max(...heights)];
    return {
      points: points.map(([x, y]) => [(x - left) / (right - left), (bottom - y) / (bottom - top)]),
      borders: [...svg.querySelectorAll('path.border')].map(part => (Number(/-?[\d.]+/.exec(part.getAttribute('d'))[0]) - left) / (right - left)),
      words: svg.textContent,
    };
  });
  for (const { similarity: x, found } of about.curve) {
    const next = Math.max(1, drawn.points.findIndex(([at]) => at >= x - 1e-6)), [[a, from], [b, to]] = [drawn.points[next - 1], drawn.points[next]];
    const shown = from + (to - from) * (x - a) / (b - a);
    assert.ok(Math.abs(shown - found) < 0.01, `${found} at ${x} is drawn as ${shown}`);
  }
  assert.ok(drawn.borders.some(border => Math.abs(border - facts.threshold) < 1e-3));
  const report = await page.context().newPage();
  await report.goto(pathToFileURL(facts.report).href);
  const figure = tab => tab.evaluate(() => document.querySelector('path.curve').closest('svg').querySelector('path.curve').getAttribute('d'));
  assert.equal(await figure(page), await figure(report), 'one picture for both pages');
  assert.match(drawn.words, /threshold 0\.5/);
  await page.locator('#curve summary').click();
  assert.ok(await page.locator('#curve tbody tr').count() > 10);
  await page.context().close();
});

test('what cannot be asked is refused in the words of the server; without a server the page says so, and goes on when it is back', async () => {
  const page = await open();
  await page.locator('#ask-button').click();
  await said(page, ['asked', 'Nothing to search for']);
  await ask(page, ' ... ');
  await said(page, ['asked', 'nothing is similar to it']);
  await page.locator('#narrow summary').click();
  await page.locator('#border').fill('0.1');
  await page.locator('#box').fill(facts.docs[ASKED]);
  await page.locator('#ask-button').click();
  await said(page, ['asked', 'Threshold 0.1 is below 0.5, the lowest that this index can search.']);
  assert.ok(await page.locator('#asked.note').isVisible());
  assert.equal(await page.locator('#hits details').count(), 0);
  await page.locator('#border').fill('1.3');
  await ask(page, facts.docs[ASKED]);
  await said(page, ['asked', 'Threshold: 1.3 is not between 0 and 1']);
  assert.doesNotMatch(await page.locator('#asked').textContent(), /Unprocessable/);
  await page.locator('#border').fill(String(facts.threshold));
  await page.context().setOffline(true);
  await page.locator('#ask-button').click();
  await said(page, ['asked', 'cannot be reached']);
  await page.context().setOffline(false);
  await ask(page, facts.docs[ASKED]);
  assert.equal(await page.locator('#asked.note').count(), 0);
  assert.ok(await page.locator('#hits details').count() > 0);
  assert.deepEqual(page.trouble, []);
  await page.context().close();
});

test('a hostile text, id and metadata are shown as text', async () => {
  const page = await open();
  const metadata = { '<b>field</b>': '<script>window.hacked=5</script>', __proto__x: ['\u202e', 'y'.repeat(2000)] };
  await send(page, 'PUT', facts.hostile.id, { text: facts.hostile.text, metadata });
  await ask(page, facts.hostile.text + ' And a little more.');
  const row = page.locator('#hits details.pair').first();
  await row.locator('summary').first().press('Enter');
  await row.locator('.sides').waitFor();
  await row.locator('summary', { hasText: 'Metadata' }).click();
  await page.locator('#find').fill('hostile/');
  await page.locator('#find').press('Enter');
  await page.waitForFunction(() => document.querySelectorAll('#item-list summary').length === 1);
  await page.locator('#item-list summary').press('Enter');
  await page.locator('#item-list .text').waitFor();
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(await page.evaluate(() => document.querySelectorAll('main script, main img, main b, iframe').length), 0);
  const shown = facts.hostile.text.replace(/[\0\u202a-\u202e\u2066-\u2069]/g, '\ufffd');  // what turns the writing direction is not obeyed
  assert.deepEqual([await row.locator('.side .text').nth(1).textContent(), await page.locator('#item-list .text').textContent()], [shown, shown]);
  assert.match(await row.locator('summary .names').textContent(), /^hostile\/<img src=x onerror="window\.hacked=4"> /);
  for (const width of [360, 1100]) {
    await page.setViewportSize({ width, height: 740 });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
  }
  isWell(page);
  await page.context().close();
});

test('every text has a contrast of 4.5 at least, by day and by night', async () => {
  const page = await open();
  await ask(page, facts.docs[ASKED]);
  await openHit(page, NEIGHBOUR);
  await page.evaluate(() => { for (const part of document.querySelectorAll('details')) part.open = true; });
  await page.locator('#item-list .text').first().waitFor();
  await page.locator('#new-id').fill('x');
  await page.locator('#new-metadata').fill('{');
  await page.locator('#new-metadata').press('Enter');
  await page.locator('#added.note').waitFor();
  const grounds = new Set();
  for (const colorScheme of ['dark', 'light']) {
    await page.emulateMedia({ colorScheme });
    const found = await page.evaluate(leastContrast);
    assert.ok(found.texts > 100);
    assert.ok(found.ratio >= 4.5, `${colorScheme}: ${found.ratio.toFixed(2)} for ${found.text}`);
    grounds.add(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
  }
  assert.equal(grounds.size, 2);
  await page.context().close();
});

test('on a phone nothing is wider than the screen, and the two texts stand under one another', async () => {
  const page = await open('texts', { viewport: { width: 360, height: 740 } });
  await ask(page, facts.docs[ASKED]);
  const row = await openHit(page, NEIGHBOUR);
  await page.evaluate(() => { for (const part of document.querySelectorAll('details')) part.open = true; });
  await page.locator('#item-list .text').first().waitFor();
  const found = await page.evaluate(() => ({
    page: document.documentElement.scrollWidth,
    beyond: [...document.querySelectorAll('body *')].filter(part => part.checkVisibility() && !part.closest('.scroll,.text,svg') &&
      part.getBoundingClientRect().right > innerWidth + 1).map(part => part.outerHTML.slice(0, 100)),
    small: [...document.querySelectorAll('button,summary')].filter(part => part.checkVisibility() && part.getBoundingClientRect().height < 32).map(part => part.outerHTML.slice(0, 100)),
  }));
  assert.deepEqual(found, { page: 360, beyond: [], small: [] });
  const [first, second] = await Promise.all([0, 1].map(side => row.locator('.side').nth(side).boundingBox()));
  assert.ok(second.y >= first.y + first.height && Math.abs(first.x - second.x) < 1);
  await page.context().close();
});

test('an index that keeps no texts says what would show both side by side', async () => {
  const page = await open('bare');
  await ask(page, facts.docs[ASKED]);
  const row = await openHit(page, NEIGHBOUR);
  assert.match(await row.textContent(), /--store-texts/);
  assert.equal(await row.locator('.sides').count(), 0);
  isWell(page);
  await page.context().close();
});

test('an empty index says so, and takes its first item', async () => {
  const page = await open('empty');
  assert.match(await page.locator('#lead').textContent(), /empty/);
  await said(page, ['listed', 'no items yet']);
  await ask(page, 'the very first text of all that will ever be here');
  await said(page, ['asked', 'The index is empty']);
  await page.locator('#new-id').fill('first');
  await page.locator('#new-id').press('Enter');
  await page.locator('#item-list .names').waitFor();
  await figureBecomes(page, 'Items', '1');
  await page.context().close();
});

test('an index of vectors is asked with numbers', async () => {
  const page = await open('vectors');
  assert.equal(await page.locator('label[for=box]').textContent(), 'Vector');
  for (const typed of ['[1, 0, 0]', '1, 0, 0']) {
    await ask(page, typed);
    assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll('#hits .value')].map(part => part.textContent)), ['0', '0.141421', '0.374166']);
  }
  await page.locator('#hits summary').first().press('Enter');
  await page.locator('#hits .steps').first().waitFor();
  assert.match(await page.locator('#hits dl.parts').first().textContent(), /Euclidean distance/);
  assert.equal(await page.locator('.sides').count(), 0);
  assert.match(await page.locator('#lead').textContent(), /^An index of vectors of 3 numbers\. Paste a vector/);
  assert.match(await page.locator('#curve svg.wide').textContent(), /radius 0\.5/);
  isWell(page);
  await page.locator('#box').fill('one, two');
  await page.locator('#ask-button').click();
  await said(page, ['asked', 'JSON array']);
  await page.locator('#box').fill('1, 2');
  await page.locator('#ask-button').click();
  await said(page, ['asked', 'This vector has 2 numbers; the vectors of this index have 3.']);
  await page.context().close();
});

test('an index of bits calls them so, draws whole distances, and one that misses nothing draws no curve', async () => {
  const page = await open('bits');
  assert.match(await page.locator('#lead').textContent(), /^An index of bit strings of 16 bits\. Paste a bit string/);
  assert.equal(await page.locator('label[for=box]').textContent(), 'Bit string');
  await page.locator('#recall ~ #curve details summary').click();
  const distances = await page.locator('#curve tbody th').allTextContents();
  assert.ok(distances.length >= 5);
  for (const distance of distances) assert.match(distance, /^\d+$/);
  await page.locator('#box').fill('0101');
  await page.locator('#ask-button').click();
  await said(page, ['asked', 'This bit string has 4 bits; the bit strings of this index have 16.']);
  await page.context().close();
  const sure = await open('sure');
  assert.match(await sure.locator('#curve').textContent(), /finds every pair/);
  assert.equal(await sure.locator('#curve svg').count(), 0);
  await sure.context().close();
});

test('a server with a token asks for it, refuses a wrong one, and takes the right one until it is forgotten', async () => {
  const page = await open('token');
  await page.locator('#token').waitFor();
  assert.equal(await page.locator('main').isVisible(), false);
  await page.locator('#token').fill('not-the-right-token-at-all');
  await page.locator('#token').press('Enter');
  await said(page, ['trouble', 'Token: wrong; the right one is']);
  await page.locator('#token').fill(facts.token);
  await page.locator('#token').press('Enter');
  await page.locator('#box').waitFor();
  assert.equal(await page.locator('#trouble').isVisible(), false);
  await ask(page, facts.docs[ASKED]);
  assert.ok(await page.locator('#hits details').count() > 0);
  const hits = await page.locator('#hits .names code').allTextContents();
  await page.reload();
  await page.locator('#box').waitFor();
  await page.locator('#forget').click();
  await page.locator('#token').waitFor();
  await page.locator('#token').fill(facts.token);
  await answered(page, () => page.locator('#token').press('Enter'));  // the question is still in the address
  assert.deepEqual(await page.locator('#hits .names code').allTextContents(), hits);
  assert.ok(page.refused.every(status => status === 401));
  assert.deepEqual(page.trouble, []);
  await page.context().close();
});

testViewer();
await runAll(browser);
