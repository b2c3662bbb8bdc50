// The report's pages in a real browser. usage: node page_test.mjs NODE_MODULES CHROMIUM FOLDER
// FOLDER has the pages, made by the tool itself, and facts.json with what they have to say (run_page.py).
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { assertMarks, leastContrast, wordsOfSides } from '../browser/checks.mjs';
import { launch, runAll, test } from '../browser/runner.mjs';
import { testList } from './list_tests.mjs';
import { testViewer } from './viewer_tests.mjs';

const [modules, executablePath, folder] = process.argv.slice(2);
const facts = JSON.parse(readFileSync(path.join(folder, 'facts.json'), 'utf8'));
const pages = readdirSync(folder).filter(name => name.endsWith('.html')).sort();
const browser = await launch(modules, executablePath);

/// A page that has been watched while it loaded: whatever it asks for, says or breaks is in `trouble`.
async function open(name, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1100, height: 900 }, ...options });
  const page = await context.newPage();
  const address = pathToFileURL(path.join(folder, name)).href;
  page.trouble = [];
  page.on('request', request => {
    if (request.url() !== address && !request.url().startsWith('data:')) page.trouble.push('request ' + request.url());
  });
  page.on('console', message => page.trouble.push(message.type() + ' ' + message.text()));
  page.on('pageerror', error => page.trouble.push('error ' + error.message));
  page.on('dialog', dialog => page.trouble.push('dialog ' + dialog.message()));
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', event => console.error('refused ' + event.violatedDirective));
  });
  await page.goto(address);
  return page;
}

const openAll = page => page.evaluate(() => { for (const part of document.querySelectorAll('details')) part.open = true; });

/// Each page, opened once for all that is asked of every page, with everything in it open.
const opened = new Map();
async function everyPage(check) {
  await Promise.all(pages.filter(name => !opened.has(name)).map(async name => {
    const page = await open(name);
    await openAll(page);
    opened.set(name, page);
  }));
  for (const name of pages) await check(opened.get(name), name);
}

test('every page opens without errors, refusals or requests', () => everyPage(async (page, name) => {
  assert.deepEqual(page.trouble, [], name);
  assert.ok((await page.title()).endsWith(' – nearkin'), name);
}));

test('the headings of every page are in order, ids are unique, parts are named', () => everyPage(async (page, name) => {
  const found = await page.evaluate(() => ({
    levels: [...document.querySelectorAll('h1,h2,h3,h4,h5,h6')].map(heading => Number(heading.tagName[1])),
    empty: [...document.querySelectorAll('h1,h2,h3')].filter(heading => !heading.textContent.trim()).length,
    ids: [...document.querySelectorAll('[id]')].map(part => part.id),
    language: document.documentElement.lang,
    landmarks: ['header', 'main', 'footer'].map(tag => document.querySelectorAll('body>' + tag).length),
    unlabelled: [...document.querySelectorAll('input,button,select,[role=region],[role=slider],[role=group]')].filter(part =>
      !(part.labels?.length || part.textContent.trim() || part.getAttribute('aria-label'))).length,
    pictures: [...document.querySelectorAll('svg')].filter(svg => svg.getAttribute('aria-hidden') !== 'true' && svg.getAttribute('role') !== 'slider' && !(svg.getAttribute('role') === 'img' &&
      document.getElementById(svg.getAttribute('aria-labelledby'))?.textContent && document.getElementById(svg.getAttribute('aria-describedby'))?.textContent)).length,
    images: document.querySelectorAll('img,canvas,video,iframe,object').length,
    headless: [...document.querySelectorAll('table')].filter(table => !table.querySelector('thead th[scope=col]')).length,
  }));
  assert.equal(found.language, 'en', name);
  assert.deepEqual(found.landmarks, [1, 1, 1], name);
  assert.equal(found.levels[0], 1, name);
  assert.equal(found.levels.filter(level => level === 1).length, 1, name);
  found.levels.reduce((before, level) => { assert.ok(level <= before + 1, name + ': h' + level + ' after h' + before); return level; });
  assert.equal(new Set(found.ids).size, found.ids.length, name);
  for (const what of ['empty', 'unlabelled', 'pictures', 'images', 'headless']) assert.equal(found[what], 0, name + ' ' + what);
}));

test('every text has a contrast of 4.5 at least, by day and by night', () => everyPage(async (page, name) => {
  const grounds = new Set();
  for (const colorScheme of ['dark', 'light']) {
    await page.emulateMedia({ colorScheme });
    const found = await page.evaluate(leastContrast);
    assert.ok(found.texts > 20, name);
    assert.ok(found.ratio >= 4.5, `${name} ${colorScheme}: ${found.ratio.toFixed(2)} for ${found.text}`);
    grounds.add(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
  }
  assert.equal(grounds.size, 2, name);
}));

test('no page is wider than a phone, whatever is open', () => everyPage(async (page, name) => {
  await page.setViewportSize({ width: 360, height: 740 });
  const found = await page.evaluate(() => ({
    page: document.documentElement.scrollWidth,
    beyond: [...document.querySelectorAll('body *')].filter(part => part.checkVisibility() && !part.closest('.scroll,.text,svg') &&
      part.getBoundingClientRect().right > innerWidth + 1).map(part => part.outerHTML.slice(0, 100)),
  }));
  assert.equal(found.page, 360, name);
  assert.deepEqual(found.beyond, [], name);
}));

test('printing shows whole texts and no controls', async () => {
  const page = await open('compare.html', { colorScheme: 'dark' });
  await openAll(page);
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
  assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector('.text')).maxHeight), 'none');
  assert.ok((await page.evaluate(leastContrast)).ratio >= 4.5);
  await page.context().close();
  const listed = await open('dedup.html');
  await listed.emulateMedia({ media: 'print' });
  for (const control of ['#what-if-slider', '#search', '.histogram']) assert.equal(await listed.locator(control).isVisible(), false, control);
  assert.ok(await listed.locator('.row').first().isVisible());
  await listed.context().close();
});

/// What the slider shows, and what the table has for where it stands.
const whatIf = page => page.evaluate(() => {
  const slider = document.querySelector('#what-if-slider');
  const row = document.querySelectorAll('#what-if-table tbody tr')[slider.value];
  return {
    value: Number(slider.value), last: Number(slider.max), said: slider.getAttribute('aria-valuetext'),
    shown: [...document.querySelectorAll('[data-cell]')].map(part => part.textContent),
    row: [...row.cells].map(cell => cell.textContent),
    bars: [...document.querySelectorAll('.choice.on')].map(bar => bar.dataset.row),
  };
});
function agrees(state) {
  assert.deepEqual(state.shown, state.row);
  assert.deepEqual(state.bars, [String(state.value), String(state.value)]);
  assert.equal(state.said, `${state.row[0]}: ${state.row[1]} items removed`);
}

test('the slider shows what each threshold would remove, by mouse and by keyboard', async () => {
  const page = await open('dedup.html');
  const slider = page.locator('#what-if-slider');
  const before = await whatIf(page);
  agrees(before);
  assert.equal(before.row[0], facts.threshold);
  assert.equal(before.row[1], String(facts.removed));

  await slider.scrollIntoViewIfNeeded();
  const box = await slider.boundingBox();
  await page.mouse.click(box.x + box.width - 2, box.y + box.height / 2);
  const end = await whatIf(page);
  agrees(end);
  assert.equal(end.value, end.last);
  assert.notDeepEqual(end.shown, before.shown);

  await slider.focus();
  await page.keyboard.press('Home');
  const start = await whatIf(page);
  agrees(start);
  assert.equal(start.value, 0);
  await page.keyboard.press('ArrowRight');
  const next = await whatIf(page);
  agrees(next);
  assert.equal(next.value, 1);

  await openAll(page);
  await page.locator('svg.wide .choice').nth(3).click();
  const clicked = await whatIf(page);
  agrees(clicked);
  assert.equal(clicked.value, 3);
  await page.context().close();
});

test('on a phone the two texts stand under one another', async () => {
  const page = await open('compare.html', { viewport: { width: 360, height: 740 } });
  const [first, second] = await Promise.all([0, 1].map(side => page.locator('.side').nth(side).boundingBox()));
  assert.ok(second.y >= first.y + first.height && Math.abs(first.x - second.x) < 1);
  await page.context().close();
});

test('a comparison is open at once, and first', async () => {
  const page = await open('compare.html');
  assert.equal(await page.locator('.sides.mapped').isVisible(), true);
  assert.equal(await page.locator('h2').first().textContent(), 'Side by side');
  assertMarks((await page.evaluate(wordsOfSides))[0], facts.shingle);
  await page.context().close();
});

test('a run that found nothing says so on the first screen, in the layout of the others', async () => {
  for (const [width, height] of [[1400, 900], [390, 844]]) {
    const page = await open('none.html', { viewport: { width, height } });
    const said = page.getByText(/^No pair with a Jaccard similarity of 0\.75 or more was found; the closest candidate had 0\.7\d*\. A lower --threshold may find some\.$/);
    const box = await said.boundingBox();
    assert.ok(box.y + box.height < height, `it ends at ${box.y + box.height}`);
    assert.ok(await page.evaluate(() => document.documentElement.scrollHeight) < 1300);
    assert.equal(await page.locator('main section details.fold[open]').count(), 0);
    assert.equal(await page.locator('dl.figures').count(), 0, 'the figures are on one line');
    assert.equal(await page.locator('dl.inline.numbers').count(), 1);
    assert.deepEqual(page.trouble, []);
    await page.context().close();
  }
});

test('a command line breaks between words, and a wide table shows that it scrolls', async () => {
  const page = await open('evaluate.html', { viewport: { width: 390, height: 844 } });
  const words = await page.evaluate(() => [...document.querySelectorAll('.command span')].map(part => [part.textContent, part.getBoundingClientRect().height]));
  assert.ok(words.some(([word]) => word === '--sweep'));
  for (const [word, height] of words) assert.ok(height < 30, word);
  assert.match(await page.locator('.command').innerText(), /^nearkin evaluate vectors\.csv --format dense --measure cosine/, 'it is copied as it was typed');
  const table = page.locator('.scroll').first();
  assert.ok(await table.evaluate(part => part.scrollWidth > part.clientWidth));
  assert.equal(await table.evaluate(part => getComputedStyle(part).backgroundAttachment), 'local, local, scroll, scroll');
  await page.context().close();
});

test('labels are plain words', async () => {
  const page = await open('dedup.html');
  const labels = await page.locator('dt').allTextContents();
  assert.ok(labels.includes('Empty'));
  assert.deepEqual(labels.filter(label => /^[A-Z]{3,}$/.test(label)), []);
  await page.context().close();
});

test('a hostile document stays text', async () => {
  const page = await open('dedup.html');
  await openAll(page);
  for (let more = page.getByRole('button', { name: /^Show \d+ more$/ }); await more.isVisible();) await more.click();
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  const text = await page.locator('body').innerText();
  for (const hostile of facts.hostile) assert.ok(text.includes(hostile), hostile);
  assert.deepEqual(await page.evaluate(() => Array.from(document.querySelectorAll('script'), script => script.type)), ['application/json', '']);
  assert.equal(await page.evaluate(() => document.querySelectorAll('img,b,iframe').length), 0);
  // Even what found its way into the page could not run.
  assert.deepEqual(page.trouble, []);
  await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.hacked = 1';
    document.body.append(script);
    document.body.insertAdjacentHTML('beforeend', '<b onclick="window.hacked = 1">x</b>');
    document.body.lastElementChild.click();
  });
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  await page.context().close();
});

test('the plan line is copied, or at least selected', async () => {
  const page = await open('dedup.html');
  await openAll(page);
  await page.getByRole('button', { name: 'Copy the line' }).click();
  await page.waitForFunction(() => /Copied|Selected/.test(document.querySelector('#plan-line + button').textContent));
  await page.context().close();
});

test('the keyboard alone leads through the page, and shows where it is', async () => {
  const page = await open('dedup.html');
  const seen = new Set();
  for (let i = 0; i < 40; ++i) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate(() => ({ what: document.activeElement.id || document.activeElement.tagName, outline: getComputedStyle(document.activeElement).outlineStyle }));
    assert.notEqual(at.outline, 'none', at.what);
    seen.add(at.what);
  }
  for (const what of ['A', 'BUTTON', 'search', 'order', 'what-if-slider']) assert.ok(seen.has(what), what);
  await page.context().close();
});

test('without JavaScript everything can be reached', async () => {
  const page = await open('dedup.html', { javaScriptEnabled: false });
  assert.equal(await page.locator('#what-if-slider').isVisible(), false);
  assert.equal(await page.locator('.unscripted').first().isVisible(), true);
  const table = page.locator('#what-if-table');
  assert.equal(await table.isVisible(), false);
  await page.locator('details.fold', { has: table }).locator('> summary').click();
  await page.locator('details:not(.fold)', { has: table }).locator('summary').click();
  assert.equal(await table.isVisible(), true);
  const pair = page.locator('details.pair').first();
  await pair.locator('summary').first().press('Enter');
  assert.equal(await pair.locator('.sides').isVisible(), true);
  assert.deepEqual(page.trouble, []);
  await page.context().close();
});

testList(open, facts, folder);
testViewer(open, facts, folder);

await runAll(browser);
