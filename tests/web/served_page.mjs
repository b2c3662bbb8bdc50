// The server's page as the tests use it. The arguments of the process: NODE_MODULES CHROMIUM FACTS (run_web.py).
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { launch } from '../browser/runner.mjs';

const [modules, executablePath, factsPath] = process.argv.slice(2);
export const facts = JSON.parse(readFileSync(factsPath, 'utf8'));
export const browser = await launch(modules, executablePath);
export const ASKED = 'news/3/first', NEIGHBOUR = 'news/3/copy-0';

/// The page of an index; `prepare` may do something with it before it is read. What it asks of others, says or breaks is in `trouble`; answers that are no success are in `refused`.
export async function open(index = 'texts', options = {}, prepare = async () => {}) {
  const context = await browser.newContext({ viewport: { width: 1100, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);  // no test depends on how busy the machine is
  page.address = facts.servers[index];
  page.trouble = [];
  page.refused = [];
  page.on('request', request => { if (!request.url().startsWith(page.address + '/') && !request.url().startsWith('data:')) page.trouble.push('request ' + request.url()); });
  page.on('response', response => { if (!response.ok()) page.refused.push(response.status()); });
  page.on('console', message => {
    if (!/^Failed to load resource/.test(message.text())) page.trouble.push(message.type() + ' ' + message.text());  // the browser's word for what `refused` has
  });
  page.on('pageerror', error => page.trouble.push('error ' + error.message));
  page.on('dialog', dialog => page.trouble.push('dialog ' + dialog.message()));
  await page.addInitScript(() => document.addEventListener('securitypolicyviolation', event => console.error('refused ' + event.violatedDirective)));
  if (options.clock) await page.clock.install();
  await prepare(page);
  await page.goto(page.address + '/');
  if (index !== 'token') await page.waitForFunction(() => document.querySelector('#curve').childElementCount > 0);
  return page;
}

export const isWell = page => assert.deepEqual([page.trouble, page.refused], [[], []]);
export const figure = (page, name) => page.evaluate(wanted => [...document.querySelectorAll('#figures div')]
  .find(part => part.querySelector('dt').textContent.startsWith(wanted))?.querySelector('dd').textContent, name);
export const figureBecomes = (page, name, value) => page.waitForFunction(([wanted, text]) => [...document.querySelectorAll('#figures div')]
  .some(part => part.querySelector('dt').textContent.startsWith(wanted) && part.querySelector('dd').textContent === text), [name, value]);
export const said = (page, words) => page.waitForFunction(([id, text]) => document.getElementById(id).textContent.includes(text), words);
export const send = (page, method, id, data) => page.request.fetch(`${page.address}/v1/items/${encodeURIComponent(id)}`, { method, data });

/// Does what makes the page ask, and waits until it has shown the answer.
export async function answered(page, action) {
  const answer = page.waitForResponse('**/v1/query');
  await action();
  await answer;
  await page.waitForFunction(() => !document.querySelector('#hits').hasAttribute('aria-busy'));
}
export async function ask(page, text) {
  await page.locator('#box').fill(text);
  await answered(page, () => page.locator('#box').press('Control+Enter'));
}
/// By the keyboard: the figures above are read anew after an answer, and where they then need another line, a row may move under the pointer
/// between its button's going down and up.
export async function openHit(page, id) {
  const row = page.locator('#hits details.pair').filter({ has: page.getByText(id, { exact: true }) });
  await row.locator('summary').first().press('Enter');
  await row.locator('.steps').first().waitFor().catch(async error => { throw new Error(`${await row.innerText()}\n${page.trouble} ${page.refused}\n${error.stack}`); });
  return row;
}

/// A page with a pair open, for tests that only look.
let looked;
export async function pairPage() {
  if (looked) return looked;
  looked = await open();
  await ask(looked, facts.docs[ASKED]);
  await openHit(looked, NEIGHBOUR);
  return looked;
}
