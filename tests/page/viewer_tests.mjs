// One pair over the whole window, in a browser.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { assertMarks, leastContrast, wordsOfSides } from '../browser/checks.mjs';
import { test } from '../browser/runner.mjs';

async function openPair(open, name, words, options = {}) {
  const page = await open(name, options);
  if (words) await page.locator('#search').fill(words);
  await page.locator('#rows button.row').first().click();
  return page;
}

export function testViewer(open, facts, folder) {
  test('the focus is back in the list before the next key, which marks the row that it leads to', async () => {
    const page = await open('dedup.html');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    // All in one go, as fast fingers or a busy machine have it: the browser has no time to tell that the window is closed.
    const focused = await page.evaluate(() => {
      for (const key of ['j', 'Escape', 'j', 'r']) document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
      return [...document.querySelectorAll('#rows .row')].indexOf(document.activeElement);
    });
    assert.equal(focused, 2);
    await page.waitForFunction(() => !document.querySelector('#viewer').open);
    assert.match(await page.locator('#rows .row').nth(2).innerText(), /rejected/);
    await page.context().close();
  });

  test('a pair opens by keyboard over the whole window, and Escape leads back to its row', async () => {
    const page = await open('dedup.html', { viewport: { width: 1400, height: 900 } });
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    const box = await page.locator('#viewer').boundingBox();
    assert.deepEqual([box.x, box.y, Math.round(box.width), Math.round(box.height)], [0, 0, 1400, 900]);
    const [left, right] = await Promise.all([0, 1].map(side => page.locator('#viewer .side').nth(side).boundingBox()));
    assert.ok(left.x + left.width <= right.x && Math.abs(left.y - right.y) < 1 && left.height > 500);
    assert.match(await page.locator('#viewer .bar').innerText(), /2 of \d+/);
    assert.match(page.url(), /#pair-\d+$/);
    await page.keyboard.press('j');
    assert.match(await page.locator('#viewer .bar').innerText(), /3 of \d+/);
    await page.keyboard.press('k');
    await page.keyboard.press('r');
    assert.equal(await page.locator('#viewer .mark-reject').getAttribute('aria-pressed'), 'true');
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('#viewer').isVisible(), false);
    assert.equal(await page.evaluate(() => [...document.querySelectorAll('#rows .row')].indexOf(document.activeElement)), 1);
    assert.match(await page.locator('#rows .row').nth(1).innerText(), /rejected/);
    await page.context().close();
  });

  test('the address of a pair opens it', async () => {
    const page = await open('dedup.html');
    await page.goto(page.url() + '#pair-3');
    await page.reload();
    assert.ok(await page.locator('#viewer').isVisible());
    await page.context().close();
  });

  test('a listed pair that the run did not mark opens with the texts of its items', async () => {
    const page = await open('many.html');
    const index = await page.evaluate(() => JSON.parse(document.querySelector('#data').textContent).pairs.findIndex(pair => pair[3] < 0));
    assert.ok(index >= 0);
    await page.goto(page.url() + '#pair-' + index);
    await page.reload();
    assert.equal(await page.locator('#viewer .text').count(), 2);
    assert.ok(await page.locator('#viewer mark').count() >= 2);
    assert.match(await page.locator('#viewer').innerText(), /Marked: runs of five or more words/);
    assert.doesNotMatch(await page.locator('#viewer').innerText(), /not in the list of pairs/);
    await page.context().close();
  });

  test('the marks are the words that both texts have, and are underlined', async () => {
    const page = await openPair(open, 'dedup.html', 'news/');
    let seen = 0, different = false;
    for (; seen < 15; ++seen) {
      const [pair] = await page.evaluate(wordsOfSides);
      assertMarks(pair, facts.shingle);
      different ||= pair[0].some(word => !word.marked);
      await page.keyboard.press('j');
    }
    assert.ok(different, 'no pair has words that are not shared');
    assert.deepEqual(await page.evaluate(() => [...new Set(Array.from(document.querySelectorAll('mark'), mark => getComputedStyle(mark).textDecorationLine))]), ['underline']);
    await page.context().close();
  });

  test('a passage has one colour on both sides, and a click leads to its partner', async () => {
    const page = await openPair(open, 'long.html', 'forth', { viewport: { width: 1000, height: 600 } });
    const passages = await page.evaluate(() => [...document.querySelectorAll('#viewer .text')].map(text => [...text.querySelectorAll('mark')].map(mark => [mark.dataset.passage, getComputedStyle(mark).backgroundColor])));
    assert.ok(passages[0].length >= 2, JSON.stringify(passages));
    assert.ok(new Set(passages[0].map(([, colour]) => colour)).size > 1);
    for (const [passage, colour] of passages[0]) assert.deepEqual(passages[1].find(other => other[0] === passage)?.[1], colour, passage);
    await page.getByLabel('Scroll together').uncheck();
    const right = page.locator('#viewer .text').nth(1);
    assert.equal(await right.evaluate(part => part.scrollTop), 0);
    await page.locator('#viewer .text').first().locator('mark').first().click({ position: { x: 30, y: 10 } });  // the first half of the one is the second of the other
    assert.ok(await right.evaluate(part => part.scrollTop) > 200);
    assert.equal(await page.locator('#viewer mark.chosen').count(), 2);
    await page.context().close();
  });

  test('both texts scroll together, by what they share', async () => {
    const page = await openPair(open, 'long.html', 'forth', { viewport: { width: 1000, height: 600 } });
    const texts = page.locator('#viewer .text');
    const partnerOffset = () => page.evaluate(() => {
      const [left, right] = document.querySelectorAll('#viewer .text');
      const top = (mark, part) => mark.offsetTop - part.offsetTop - part.scrollTop;
      const mark = [...left.querySelectorAll('mark')].find(one => top(one, left) + one.offsetHeight > 0);
      return top(mark, left) - top(right.querySelector(`mark[data-passage="${mark.dataset.passage}"]`), right);
    });
    await texts.first().evaluate(part => { part.scrollTop = 300; });
    await page.waitForFunction(() => document.querySelectorAll('#viewer .text')[1].scrollTop > 0);
    assert.ok(Math.abs(await partnerOffset()) <= 2, String(await partnerOffset()));
    const before = await texts.nth(1).evaluate(part => part.scrollTop);
    await page.getByLabel('Scroll together').uncheck();
    await texts.first().evaluate(part => { part.scrollTop = 20; });
    await page.waitForTimeout(100);
    assert.equal(await texts.nth(1).evaluate(part => part.scrollTop), before);
    await page.context().close();
  });

  test('differences only shows what was changed and little more', async () => {
    const page = await openPair(open, 'long.html', 'price');
    await page.keyboard.press('d');
    const [left, right] = await page.evaluate(() => [0, 1].map(side => [...document.querySelectorAll('#viewer .hunks li')].map(hunk => [...hunk.children[side].querySelectorAll('.differs')].map(part => part.textContent.trim()))));
    assert.deepEqual(left, [['66.00']]);
    assert.deepEqual(right, [['65.75']]);
    assert.ok((await page.locator('#viewer .hunks').innerText()).length < 600);
    assert.match(await page.locator('#viewer .body').innerText(), /1 place differs\./);
    await page.context().close();
  });

  test('texts that the page holds in part are never called the same, and it says what is not compared', async () => {
    const cutCompare = path.join(folder, 'cut-compare.html');
    writeFileSync(cutCompare, readFileSync(path.join(folder, 'same.html'), 'utf8').replaceAll('<div class="side">', `<div class="side" data-more="${facts.bigLeftOut.replace(',', '')}">`));
    for (const name of ['big.html', 'cut-compare.html']) {
      const page = await (name === 'big.html' ? openPair(open, name) : open(name));
      const body = page.locator(name === 'big.html' ? '#viewer .body' : '.alone');
      assert.match(await body.innerText(), new RegExp(`${facts.bigLeftOut} more bytes are not shown\\.`), name);
      await page.getByRole('button', { name: 'Differences only' }).click();
      const words = await body.innerText();
      assert.match(words, new RegExp(`The texts are not compared in full: ${facts.bigLeftOut} more bytes of the first text and ${facts.bigLeftOut} more bytes of the second text are neither shown nor compared\\.`), name);
      assert.match(words, /Word for word what is compared here is the same; there may be differences in white space\./, name);
      assert.doesNotMatch(words, /the two texts are the same/, name);
      await page.context().close();
    }
  });

  test('a pair of vectors without its numbers on the page is told as one of vectors', async () => {
    const page = await open('vectors.html');
    const index = await page.evaluate(() => JSON.parse(document.querySelector('#data').textContent).pairs.findIndex(pair => pair[3] < 0));
    if (index >= 0) {
      await page.goto(page.url() + '#pair-' + index);
      await page.reload();
      assert.doesNotMatch(await page.locator('#viewer').innerText(), /text/i);
    }
    assert.equal(await page.locator('#search').getAttribute('placeholder'), 'Search ids');
    await page.context().close();
  });

  test('vectors show their largest differences, and pictures where they are pictures', async () => {
    const page = await openPair(open, 'vectors.html');
    const rows = await page.locator('#viewer tbody tr').allInnerTexts();
    const gaps = rows.map(row => Math.abs(Number(row.split('\t')[3])));
    assert.ok(gaps.length >= 10);
    assert.deepEqual(gaps, [...gaps].sort((x, y) => y - x));
    assert.equal(await page.locator('#viewer canvas').count(), 0);
    await page.context().close();
    const images = await openPair(open, 'images.html');
    assert.equal(await images.locator('#viewer canvas').count(), 3);
    assert.match(await images.locator('#viewer tbody th').first().innerText(), /^row \d+, column \d+$/);
    const bright = await images.evaluate(() => Math.max(...document.querySelector('#viewer canvas').getContext('2d').getImageData(0, 0, 5, 4).data.filter((_, i) => i % 4 < 3)));
    assert.equal(bright, 255);
    await images.context().close();
  });

  test('on a phone each text has its own name above it', async () => {
    const page = await openPair(open, 'dedup.html', 'news/', { viewport: { width: 390, height: 844 } });
    for (const mode of ['shared', 'differences']) {
      assert.equal(await page.locator('#viewer .names').isVisible(), false, mode);
      for (const i of [0, 1]) {
        const side = page.locator('#viewer .side').nth(i), name = await side.locator('.id').boundingBox(), text = await side.locator('.text').boundingBox();
        assert.ok(name.height > 0 && name.y + name.height <= text.y && text.y - name.y < 60, mode + i);
      }
      const names = await page.locator('#viewer .side .id code').allInnerTexts();
      assert.notEqual(names[0], names[1]);
      await page.keyboard.press('d');
    }
    await page.context().close();
  });

  test('the names of two vectors stand side by side above their one table', async () => {
    const page = await openPair(open, 'vectors.html', '', { viewport: { width: 1400, height: 900 } });
    const names = page.locator('#viewer .names .id');
    assert.deepEqual(await names.allInnerTexts().then(texts => texts.map(text => text.split(':')[0])), ['First', 'Second']);
    const [first, second] = await Promise.all([0, 1].map(i => names.nth(i).boundingBox()));
    assert.ok(second.x > first.x && second.x < first.x + first.width + 100);
    await page.context().close();
  });

  test('a pair can be read on a phone, by day and by night', async () => {
    for (const colorScheme of ['light', 'dark']) {
      for (const viewport of [{ width: 390, height: 844 }, { width: 1400, height: 900 }]) {
        const page = await openPair(open, 'dedup.html', 'news/', { viewport, colorScheme });
        for (const mode of ['shared', 'differences']) {
          assert.ok((await page.evaluate(leastContrast)).ratio >= 4.5, colorScheme + mode);
          assert.equal(await page.evaluate(() => document.querySelector('#viewer').scrollWidth), viewport.width);
          await page.keyboard.press('d');
        }
        const [first, second] = await Promise.all([0, 1].map(side => page.locator('#viewer .side').nth(side).boundingBox()));
        assert.ok(viewport.width > 1000 ? second.x > first.x : second.y >= first.y + first.height);
        assert.deepEqual(page.trouble, []);
        await page.context().close();
      }
    }
  });
}
