// The page as a whole: it loads, says what it does while it loads, and runs.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useBrowser } from './harness/browser.mjs';
import { assertNoErrors, visit, visitReady } from './harness/visit.mjs';

useBrowser();

test('the page loads without errors and becomes ready', async (t) => {
  const visited = await visitReady(t);
  await visited.page.waitForSelector('#curtain', { state: 'hidden' });
  await visited.frames(3);
  await visited.shot('ready');
  assertNoErrors(visited);
});

test('while the module arrives, poster, title and true progress are there', async (t) => {
  let release;
  const held = new Promise((resolve) => { release = resolve; });
  const prepare = (page) => page.route('**/*.wasm', async (route) => {
    await held;
    await route.continue();
  });
  const visited = await visit(t, { prepare });
  const { page } = visited;
  await page.waitForFunction(() => window.switchyardShell !== undefined);
  assert.equal(await page.textContent('#title'), 'Switchyard');
  assert.ok(await page.isVisible('.poster'));
  assert.equal(await page.getAttribute('#progress', 'value'), '0');
  await page.evaluate(() => document.fonts.ready);
  await page.evaluate(() => window.switchyardShell.loading.progress({ current: 6e6, total: 24e6 }));
  assert.equal(await page.textContent('#progress-text'), 'Loading 6.0 of 24.0 MB');
  await visited.shot('loading');
  release();
  assertNoErrors(visited);
});
