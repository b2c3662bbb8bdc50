// Makes the pictures of docs/report/ anew. usage: node screenshots.mjs NEARKIN NODE_MODULES CHROMIUM FOLDER
// (NODE_MODULES as the test of the page leaves it: build/dev/tests/page/node_modules). The collection is the licence files of this machine.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [tool, modules, executablePath, folder] = process.argv.slice(2).map(argument => path.resolve(argument));
const { chromium } = createRequire(path.join(modules, 'here.js'))('playwright-core');
const work = mkdtempSync(path.join(tmpdir(), 'nearkin-screenshots-'));
const run = (...command) => execFileSync(tool, command, { cwd: work, stdio: ['ignore', 'ignore', 'inherit'] });

const FIRST = `The harbour was closed on Tuesday after the storm had torn two ships from their moorings. The ferry to the island did not run, and \
the market on the quay was put off until the end of the week.

The harbour master said that nobody had been hurt. The repairs will take about ten days; until then large ships are sent to the southern quay.`;
const SECOND = `The harbour was closed on Tuesday after the storm had torn two ships from their moorings. All ferries stayed in port, and the \
market on the quay was put off until the end of the week.

The harbour master said that nobody had been hurt, but three cars were lost. The repairs will take about ten days; until then large ships are \
sent to the southern quay.`;

function makePages() {
  run('dedup', '/usr/share/doc/*/copyright', '--threshold', '0.5', '--audit', '200', '-o', 'kept.txt', '--report', 'licences.html');
  writeFileSync(path.join(work, 'monday.txt'), FIRST);
  writeFileSync(path.join(work, 'wednesday.txt'), SECOND);
  run('compare', 'monday.txt', 'wednesday.txt', '--shingle', 'word:3', '--threshold', '0.5', '-o', 'compared.txt', '--report', 'compare.html');
}

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
async function take(name, page, { width = 1000, height, colorScheme = 'light', scale = 1, prepare = () => {} }) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, deviceScaleFactor: scale });
  const tab = await context.newPage();
  await tab.goto(pathToFileURL(path.join(work, page)).href);
  await tab.evaluate(prepare);
  await tab.waitForTimeout(300);  // pictures that follow the layout
  await tab.screenshot({ path: path.join(folder, name) });
  await context.close();
}

makePages();
await take('light.png', 'licences.html', { width: 1200, height: 900 });
await take('pair.png', 'licences.html', {
  width: 1200, height: 760,
  prepare: () => document.querySelectorAll('#rows button.row')[2].click(),
});
await take('clusters.png', 'licences.html', {
  width: 1200, height: 900,
  prepare: () => {
    [...document.querySelectorAll('.tools button')].find(part => part.textContent === 'Clusters').click();
    document.querySelector('#rows details').open = true;
  },
});
await take('dark.png', 'licences.html', {
  height: 1172, colorScheme: 'dark',
  prepare: () => {
    const slider = document.querySelector('#what-if-slider');
    slider.value = 10;
    slider.dispatchEvent(new Event('input'));
    document.getElementById('recall').closest('details').open = true;
    document.getElementById('recall').scrollIntoView();
  },
});
await take('phone.png', 'licences.html', { width: 390, height: 844, scale: 1.5 });
await take('compare.png', 'compare.html', { width: 1200, height: 1030 });
await browser.close();
rmSync(work, { recursive: true });
