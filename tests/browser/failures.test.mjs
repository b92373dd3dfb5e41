// The pages that say what went wrong. None of these tests needs the app.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useBrowser } from './harness/browser.mjs';
import { assertNoErrors, visit } from './harness/visit.mjs';

useBrowser();

/** Opens the page with a module that never arrives. */
async function visitWithoutApp(t) {
  const visited = await visit(t, { prepare: (page) => page.route('**/*.wasm', () => {}) });
  await visited.page.waitForFunction(() => window.switchyardShell !== undefined);
  return visited;
}

async function failure({ page }) {
  await page.waitForSelector('#failure', { state: 'visible' });
  return { title: await page.textContent('#failure-title'), report: await page.textContent('#report') };
}

test('without WebGL2 the page says so and starts nothing', async (t) => {
  const visited = await visit(t, {
    prepare: (page) => page.addInitScript(() => {
      const getContext = HTMLCanvasElement.prototype.getContext;
      HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
        return kind === 'webgl2' ? null : getContext.call(this, kind, ...rest);
      };
    }),
  });
  const { title } = await failure(visited);
  assert.match(title, /no WebGL2/);
  await visited.page.waitForTimeout(500);
  assert.equal(await visited.page.evaluate(() => typeof window.wasmBindings), 'undefined');
  await visited.shot('failure-no-webgl2');
  assertNoErrors(visited);
});

test('a panic gives a page with a report that can be copied', async (t) => {
  const visited = await visitWithoutApp(t);
  await visited.page.evaluate(() => {
    window.wasmBindings = { switchyard_report: () => 'seed 5' };
    console.error('panicked at src/scene.rs:7:9:\nno such rack');
  });
  const { title, report } = await failure(visited);
  assert.match(title, /fault of its own/);
  for (const part of [/^Switchyard \d+\.\d+\.\d+/, /failure: panic/, /browser: .*Chrome/, /src\/scene\.rs:7:9/, /no such rack/, /seed 5/]) {
    assert.match(report, part);
  }
  await visited.page.click('#copy-report');
  await visited.page.waitForFunction(() => document.getElementById('copy-report').textContent === 'Copied');
  assert.equal(await visited.page.evaluate(() => navigator.clipboard.readText()), report);
  await visited.shot('failure-panic');
});

test('what follows a panic does not hide it', async (t) => {
  const visited = await visitWithoutApp(t);
  await visited.page.evaluate(() => {
    window.switchyardShell.fail('panic', 'panicked at the first');
    setTimeout(() => { throw new WebAssembly.RuntimeError('unreachable'); });
  });
  await visited.page.waitForFunction(() => document.getElementById('report').textContent.includes('unreachable'));
  const { title, report } = await failure(visited);
  assert.match(title, /fault of its own/);
  assert.match(report, /the first/);
});

test('a lost context gives a page, and its button reloads', async (t) => {
  const visited = await visitWithoutApp(t);
  await visited.page.evaluate(() => {
    document.getElementById('switchyard-canvas').dispatchEvent(new Event('webglcontextlost', { cancelable: true }));
  });
  assert.match((await failure(visited)).title, /graphics card/);
  await Promise.all([visited.page.waitForEvent('load'), visited.page.click('#reload')]);
  await visited.page.waitForSelector('#loading', { state: 'visible' });
});

for (const [what, answer] of [
  ['that does not arrive', (route) => route.abort()],
  ['that is missing', (route) => route.fulfill({ status: 404 })],
  ['that is no module', (route) => route.fulfill({ contentType: 'application/wasm', body: 'no module' })],
]) {
  test(`a module ${what} gives a page`, async (t) => {
    const visited = await visit(t, { prepare: (page) => page.route('**/*.wasm', answer) });
    assert.match((await failure(visited)).title, /could not be started/);
  });
}

test('what a browser denies to the running app is not a failure', async (t) => {
  const visited = await visitWithoutApp(t);
  await visited.page.evaluate(async () => {
    document.documentElement.dataset.ready = '1';
    Promise.reject(new DOMException('no clipboard here', 'NotAllowedError'));
    await new Promise((resolve) => { setTimeout(resolve, 100); });
  });
  assert.equal(await visited.page.isVisible('#failure'), false);
});
