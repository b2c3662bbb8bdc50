// Tests in a real browser, one after another.
import { createRequire } from 'node:module';
import path from 'node:path';

/// A headless browser, driven by the playwright-core of `modules`.
export function launch(modules, executablePath) {
  const { chromium } = createRequire(path.join(modules, 'here.js'))('playwright-core');
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

const tests = [];
export const test = (name, run) => tests.push({ name, run });

/// Runs all tests, says how each ended, and ends the process: with 1 where one failed.
export async function runAll(browser) {
  let failed = 0;
  for (const { name, run } of tests) {
    const begin = performance.now();
    try {
      await run();
      console.log(`ok      ${name} (${Math.round(performance.now() - begin)} ms)`);
    } catch (error) {
      ++failed;
      console.log(`FAILED  ${name}\n${error.stack}`);
    }
  }
  await browser.close();
  console.log(`${tests.length} tests, ${failed} failed`);
  process.exit(failed ? 1 : 0);
}
