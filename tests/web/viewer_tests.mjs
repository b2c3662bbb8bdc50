// A neighbour over the whole window of the server's page.
import assert from 'node:assert/strict';
import { leastContrast, wordsOf } from '../browser/checks.mjs';
import { test } from '../browser/runner.mjs';
import { ASKED, NEIGHBOUR, answered, ask, facts, isWell, open, openHit } from './served_page.mjs';

const shownIn = page => page.locator('#viewer .names .id').allTextContents();
const isShown = page => page.locator('#viewer .text').first().waitFor();

async function openViewer(page, id = NEIGHBOUR) {
  await ask(page, facts.docs[ASKED]);
  const row = await openHit(page, id);
  await row.getByRole('button', { name: 'Full window' }).click();
  await isShown(page);
  return row;
}

export function testViewer() {
  test('a neighbour is seen over the whole window: both texts in full, a colour for each passage, a click that leads to its partner', async () => {
    const page = await open('texts', { viewport: { width: 1400, height: 900 } });
    await openViewer(page);
    const box = await page.locator('#viewer').boundingBox();
    assert.deepEqual([box.width, box.height], [1400, 900]);
    assert.deepEqual(await shownIn(page), ['Your text', NEIGHBOUR]);
    const texts = await page.locator('#viewer .text').allTextContents();
    assert.deepEqual(texts.map(text => wordsOf(text).join(' ')), [ASKED, NEIGHBOUR].map(id => wordsOf(facts.docs[id]).join(' ')));
    const passages = await page.evaluate(() => [...document.querySelectorAll('#viewer .text')].map(text => [...new Set([...text.querySelectorAll('mark')].map(mark => mark.dataset.passage))].sort()));
    assert.ok(passages[0].length > 0);
    assert.deepEqual(passages[0], passages[1]);
    const last = page.locator('#viewer .text').first().locator('mark').last();
    await last.click({ position: { x: 8, y: 8 } });
    const chosen = await page.evaluate(() => [...document.querySelectorAll('#viewer mark.chosen')].map(mark => mark.dataset.passage));
    assert.ok(chosen.length >= 2 && chosen.every(number => number === chosen[0]));
    assert.ok(await page.locator('#viewer .map rect').count() > 4);
    assert.match(await page.locator('#viewer .inline').innerText(), /In both/);
    isWell(page);
    await page.context().close();
  });

  test('the keyboard steps through the neighbours, shows differences only, and Escape leads back to the row', async () => {
    const page = await open();
    await openViewer(page);
    const ids = await page.locator('#hits .names code').allTextContents(), from = ids.indexOf(NEIGHBOUR);
    const back = from + 1 < ids.length ? 'j' : 'k', to = ids[from + (back === 'j' ? 1 : -1)];
    await page.keyboard.press(back);
    await page.waitForFunction(id => document.querySelector('#viewer .names').lastChild.textContent === id, to);
    await page.keyboard.press(back === 'j' ? 'k' : 'j');
    await page.waitForFunction(id => document.querySelector('#viewer .names').lastChild.textContent === id, NEIGHBOUR);
    await isShown(page);
    await page.keyboard.press('d');
    await page.locator('#viewer .hunks').waitFor();
    const differing = await page.locator('#viewer .hunks .differs').allTextContents();
    const own = [ASKED, NEIGHBOUR].map(id => new Set(wordsOf(facts.docs[id])));
    for (const word of differing.flatMap(text => wordsOf(text))) assert.ok(own.some(words => words.has(word)), word);
    assert.ok(differing.length > 0);
    await page.keyboard.press('d');
    await isShown(page);
    await page.keyboard.press('Escape');
    await page.locator('#viewer').waitFor({ state: 'hidden' });
    assert.ok(await page.locator('#hits .sides').first().isVisible());
    isWell(page);
    await page.context().close();
  });

  test('a neighbour over the whole window has an address', async () => {
    const page = await open();
    await openViewer(page);
    const address = await page.evaluate(() => location.href);
    assert.match(address, /pair=news%2F3%2Fcopy-0/);
    const other = await open();
    await answered(other, () => other.evaluate(to => { location.href = to; }, address));
    await isShown(other);
    assert.deepEqual(await shownIn(other), ['Your text', NEIGHBOUR]);
    await other.getByRole('button', { name: 'Close' }).click();
    await other.waitForFunction(() => !location.hash.includes('pair='));
    assert.match(await other.evaluate(() => location.hash), /^#text=/);
    isWell(other);
    await other.context().close();
    await page.context().close();
  });

  test('what is shown of a neighbour belongs to its address', async () => {
    const page = await open();
    await openViewer(page);
    await page.keyboard.press('d');
    await page.locator('#viewer .hunks').waitFor();
    const address = await page.evaluate(() => location.href);
    assert.match(address, /show=differences/);
    await page.keyboard.press('d');
    await page.waitForFunction(() => !location.hash.includes('show='));
    const other = await open();
    await answered(other, () => other.evaluate(to => { location.href = to; }, address));
    await other.locator('#viewer .hunks').waitFor();
    isWell(other);
    await other.context().close();
    await page.context().close();
  });

  test('texts that are shown in part are never called the same, and it says what is not compared', async () => {
    const page = await open();
    await page.route('**/v1/compare', async route => {
      const response = await route.fetch(), pair = await response.json();
      pair.a.left_out = pair.b.left_out = 59_999;
      await route.fulfill({ response, json: pair });
    });
    await openViewer(page, ASKED);
    assert.equal(await page.locator('#viewer .body').getByText('59,999 more bytes are not shown.').count(), 2);
    await page.keyboard.press('d');
    await page.locator('#viewer .body').getByText('The texts are not compared in full: 59,999 more bytes of the first text and 59,999 more bytes of the second text are neither shown nor compared.').waitFor();
    assert.doesNotMatch(await page.locator('#viewer .body').innerText(), /the two texts are the same/);
    isWell(page);
    await page.context().close();
  });

  test('over the whole window nothing is wider than the screen, and every text has a contrast of 4.5, by day and by night', async () => {
    for (const viewport of [{ width: 1400, height: 900 }, { width: 390, height: 844 }]) {
      for (const colorScheme of ['light', 'dark']) {
        const page = await open('texts', { viewport, colorScheme });
        await openViewer(page);
        for (const mode of ['Shared passages', 'Differences only']) {
          await page.locator('#viewer').getByRole('button', { name: mode }).click();
          await page.locator(mode === 'Differences only' ? '#viewer .hunks' : '#viewer .mapped').waitFor();
          assert.equal(await page.evaluate(() => document.querySelector('#viewer').scrollWidth), viewport.width, mode);
          assert.deepEqual(await page.locator('#viewer .side .id').allInnerTexts().then(names => names.slice(0, 2)), ['Your text', NEIGHBOUR]);
          assert.equal(await page.locator('#viewer .side .id').first().isVisible(), viewport.width < 1000, 'on a phone each text has its name above it');
          assert.equal(await page.locator('#viewer .names').isVisible(), viewport.width > 1000);
          const contrast = await page.evaluate(leastContrast);
          assert.ok(contrast.ratio >= 4.5, JSON.stringify(contrast));
        }
        await page.context().close();
      }
    }
  });

  test('a server that cannot compare says so in the window, and the next neighbour can be tried', async () => {
    const page = await open();
    await ask(page, facts.docs[ASKED]);
    const row = await openHit(page, NEIGHBOUR);
    await page.route('**/v1/compare', route => route.fulfill({ status: 503, contentType: 'application/problem+json', body: '{"title":"Busy","detail":"try again"}' }));
    await row.getByRole('button', { name: 'Full window' }).click();
    await isShown(page);  // it was compared before
    await page.keyboard.press(await page.getByRole('button', { name: 'Next', exact: true }).isEnabled() ? 'j' : 'k');
    await page.locator('#viewer [role=alert]').waitFor();
    assert.match(await page.locator('#viewer [role=alert]').textContent(), /^Note: try again/);
    await page.unroute('**/v1/compare');
    await page.keyboard.press('d');
    await page.locator('#viewer .hunks, #viewer .body p').first().waitFor();
    await page.waitForFunction(() => !document.querySelector('#viewer [role=alert]'));
    await page.context().close();
  });
}
