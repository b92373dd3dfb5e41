// What the page does around the app: it leaves the browser its keys, and takes files. The app is stood in for.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useBrowser } from './harness/browser.mjs';
import { visit } from './harness/visit.mjs';

useBrowser();

/** Opens the page with a module that never arrives; what the app would get is kept in `window.got`. */
async function visitWithStandIn(t) {
  const visited = await visit(t, { prepare: (page) => page.route('**/*.wasm', () => {}) });
  await visited.page.waitForFunction(() => window.switchyardShell !== undefined);
  await visited.page.evaluate(() => {
    window.got = [];
    window.wasmBindings = {
      switchyard_open_file: (name, bytes) => window.got.push({ name, text: new TextDecoder().decode(bytes), array: bytes instanceof Uint8Array }),
    };
    const canvas = document.getElementById('switchyard-canvas');
    canvas.tabIndex = 0;
    canvas.addEventListener('keydown', (event) => window.got.push(event.key));
    document.documentElement.dataset.ready = '1';
  });
  return visited;
}

function got({ page }) {
  return page.evaluate(() => window.got);
}

test('the browser keeps Tab, function keys and its shortcuts; the app gets the rest', async (t) => {
  const visited = await visitWithStandIn(t);
  const press = (init) => visited.page.evaluate((init) => {
    window.got = [];
    const event = new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...init });
    document.getElementById('switchyard-canvas').dispatchEvent(event);
    return window.got.length === 1;
  }, init);
  for (const kept of [{ key: 'Tab' }, { key: 'F5' }, { key: 'F12' }, { key: 'l', ctrlKey: true }, { key: 'R', metaKey: true }, { key: 'ArrowLeft', altKey: true }]) {
    assert.equal(await press(kept), false, JSON.stringify(kept));
  }
  for (const passed of [{ key: 'k' }, { key: 'f' }, { key: 'Escape' }, { key: 'Control', ctrlKey: true }, { key: 'C', ctrlKey: true }, { key: '@', ctrlKey: true, altKey: true, modifierAltGraph: true }]) {
    assert.equal(await press(passed), true, JSON.stringify(passed));
  }
});

test('the canvas has the keys as soon as the app runs', async (t) => {
  const visited = await visitWithStandIn(t);
  await visited.page.waitForFunction(() => document.activeElement.id === 'switchyard-canvas');
});

test('the page has no scrollbars and the canvas fills it', async (t) => {
  const visited = await visitWithStandIn(t);
  for (const size of [{ width: 1280, height: 720 }, { width: 390, height: 844 }]) {
    await visited.page.setViewportSize(size);
    const box = await visited.page.locator('#switchyard-canvas').boundingBox();
    assert.deepEqual(box, { x: 0, y: 0, ...size });
    const overflow = await visited.page.evaluate(() => document.documentElement.scrollHeight > innerHeight || document.documentElement.scrollWidth > innerWidth);
    assert.equal(overflow, false);
  }
});

test('a dropped file reaches the app with name and bytes, under a veil while it is dragged', async (t) => {
  const visited = await visitWithStandIn(t);
  const { page } = visited;
  await page.evaluate(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(['x'], 'x.swf'));
    document.body.dispatchEvent(new DragEvent('dragenter', { bubbles: true, cancelable: true, dataTransfer }));
  });
  assert.ok(await page.isVisible('#drop-veil'));
  await visited.shot('drop-veil');
  await visited.dropBytes('trace.swf', '; a trace\n1 0');
  await page.waitForFunction(() => window.got.length > 0);
  assert.deepEqual(await got(visited), [{ name: 'trace.swf', text: '; a trace\n1 0', array: true }]);
  assert.equal(await page.isVisible('#drop-veil'), false);
});

test('a picked file reaches the app, and the picker forgets it, so that it can be picked again', async (t) => {
  const visited = await visitWithStandIn(t);
  const { page } = visited;
  const chooser = page.waitForEvent('filechooser');
  await page.evaluate(() => window.switchyardShell.pickFile());
  await (await chooser).setFiles({ name: 'dump.txt', mimeType: 'text/plain', buffer: Buffer.from('JobID') });
  await page.waitForFunction(() => window.got.length === 1);
  assert.equal((await got(visited))[0].name, 'dump.txt');
  assert.equal(await page.inputValue('#file-picker'), '');
});

test('a file that is dropped while the app starts waits for it', async (t) => {
  const visited = await visit(t, { prepare: (page) => page.route('**/*.wasm', () => {}) });
  await visited.page.waitForFunction(() => window.switchyardShell !== undefined);
  await visited.dropBytes('early.swf', '1');
  await visited.page.evaluate(() => {
    window.got = [];
    window.wasmBindings = { switchyard_open_file: (name) => window.got.push(name) };
    document.documentElement.dataset.ready = '1';
  });
  await visited.page.waitForFunction(() => window.got[0] === 'early.swf');
});

test('a file that is too large is refused in a sentence', async (t) => {
  const visited = await visitWithStandIn(t);
  await visited.page.evaluate(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([new Uint8Array(257 * 2 ** 20)], 'huge.swf'));
    document.body.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer }));
  });
  await visited.page.waitForSelector('#notice', { state: 'visible' });
  assert.match(await visited.page.textContent('#notice'), /huge\.swf has 257 MB/);
  assert.deepEqual(await got(visited), []);
});
