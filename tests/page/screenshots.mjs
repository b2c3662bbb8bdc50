// Makes the pictures of docs/report/ anew, of the page of a run and of that of the server. usage: node screenshots.mjs NEARKIN NODE_MODULES CHROMIUM FOLDER
// (NODE_MODULES as the test of the page leaves it: build/dev/tests/page/node_modules). The collection is made up here.
import { execFileSync, spawn } from 'node:child_process';
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

const PLACES = ['Aldermoor', 'Birk Bay', 'Calder', 'Dunmere', 'Eastwick', 'Fallow Hill', 'Garth', 'Holm'];
const MATTERS = ['harbour', 'library', 'railway bridge', 'market hall', 'reservoir', 'tram line', 'school', 'observatory', 'orchard', 'lighthouse'];
const SENTENCES = [
  (place, matter) => `The ${matter} of ${place} will be closed for repairs until the end of the season, the council said on Monday.`,
  (place, matter, n) => `The work on the ${matter} costs ${n}.${n % 10} million, and about half of it is paid by the region around ${place}.`,
  (place, matter, n) => `A survey of ${n * 40} households found that most people in ${place} want to keep the ${matter} as it is.`,
  (place, matter) => `Those who live near the ${matter} were told by letter, and a meeting is planned in the town hall of ${place}.`,
  (place, matter, n) => `In the storm of ${1950 + n} the ${matter} lost its roof, and ${place} was without power for three days.`,
  (place, matter) => `Engineers from ${place} looked at every part of the ${matter} and found rust where nobody had expected it.`,
  (place, matter, n) => `The plan has ${n} parts, of which the first, a new path around the ${matter}, is to be ready by spring.`,
  (place, matter) => `A group of pensioners in ${place} has collected old photographs of the ${matter} and shows them in a small exhibition.`,
];

// Stories of several sentences; every sixth is told again with small changes, some more than once.
function stories() {
  let state = 7;
  const draw = limit => (state = (state * 48271) % 2147483647) % limit;
  const told = [];
  for (let number = 0; number < 1200; number++) {
    const again = number > 20 && number % 6 === 0 ? told[number - 1 - draw(20)] : null;
    const place = PLACES[draw(PLACES.length)], matter = MATTERS[draw(MATTERS.length)];
    const text = again ? again.text.split(' ').map(word => draw(60) === 0 ? '' : draw(40) === 0 ? `${word} again` : word).filter(Boolean).join(' ')
      : SENTENCES.filter(() => draw(4) > 0).map(sentence => sentence(place, matter, 2 + draw(48))).join(' ');
    told.push({ id: `story-${number}`, text });
  }
  return told.map(story => JSON.stringify(story) + '\n').join('');
}

function makePages() {
  writeFileSync(path.join(work, 'stories.jsonl'), stories());
  run('dedup', 'stories.jsonl', '--threshold', '0.5', '--audit', '200', '-o', 'kept.jsonl', '--report', 'stories.html');
  writeFileSync(path.join(work, 'monday.txt'), FIRST);
  writeFileSync(path.join(work, 'wednesday.txt'), SECOND);
  run('compare', 'monday.txt', 'wednesday.txt', '--shingle', 'word:3', '--threshold', '0.5', '-o', 'compared.txt', '--report', 'compare.html');
}

/// A neighbour over the whole window of the server's page.
async function takeServed(name) {
  run('index', 'create', 'stories.nearkin', 'stories.jsonl', '--threshold', '0.4', '--store-texts');
  const server = spawn(tool, ['serve', 'stories.nearkin', '--listen', '127.0.0.1:0'], { cwd: work, stdio: ['ignore', 'ignore', 'pipe'] });
  const address = await new Promise(resolve => server.stderr.on('data', said => { const found = /http:\S+\d/.exec(said); if (found) resolve(found[0]); }));
  const tab = await (await browser.newContext({ viewport: { width: 1200, height: 760 } })).newPage();
  await tab.goto(address);
  await tab.locator('#example:not([hidden])').click();
  await tab.locator('#hits summary').nth(1).click();
  await tab.getByRole('button', { name: 'Full window' }).click();
  await tab.locator('#viewer .mapped').waitFor();
  await tab.screenshot({ path: path.join(folder, name) });
  await tab.context().close();
  server.kill();
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
await take('light.png', 'stories.html', { width: 1200, height: 900 });
await take('pair.png', 'stories.html', {
  width: 1200, height: 760,
  prepare: () => document.querySelectorAll('#rows button.row')[2].click(),
});
await take('clusters.png', 'stories.html', {
  width: 1200, height: 900,
  prepare: () => {
    [...document.querySelectorAll('.tools button')].find(part => part.textContent === 'Clusters').click();
    document.querySelector('#rows details').open = true;
  },
});
await take('dark.png', 'stories.html', {
  height: 1172, colorScheme: 'dark',
  prepare: () => {
    const slider = document.querySelector('#what-if-slider');
    slider.value = 10;
    slider.dispatchEvent(new Event('input'));
    document.getElementById('recall').closest('details').open = true;
    document.getElementById('recall').scrollIntoView();
  },
});
await take('phone.png', 'stories.html', { width: 390, height: 844, scale: 1.5 });
await take('compare.png', 'compare.html', { width: 1200, height: 1030 });
await takeServed('served.png');
await browser.close();
rmSync(work, { recursive: true });
