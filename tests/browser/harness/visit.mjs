// A visit to the page: open it, wait until it is ready, touch it, read its state.

import assert from 'node:assert/strict';
import { mkdir, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newTab, siteAddress } from './browser.mjs';

/** Without a graphics card the first picture takes its time. */
export const READY_MS = 120_000;

const ARTEFACTS = new URL('../../../artefacts/', import.meta.url);
const CANVAS = '#switchyard-canvas';

/**
 * Opens the page in a fresh tab. Options: `hash`, the part of the address after `#`; `prepare(page)`, run before anything is loaded;
 * `settings` of the browser context.
 */
export async function visit(t, { hash = '', prepare, settings } = {}) {
  const page = await newTab(t, settings);
  const errors = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(String(error)));
  await prepare?.(page);
  await page.goto(siteAddress() + (hash && `#${hash}`));
  return new Visit(page, errors);
}

/** Opens the page and waits until the app has drawn its first picture. */
export async function visitReady(t, options) {
  const visited = await visit(t, options);
  await visited.ready();
  return visited;
}

class Visit {
  constructor(page, errors) {
    this.page = page;
    /** What the page printed as errors, and exceptions that nobody caught. */
    this.errors = errors;
  }

  /** Waits for the first picture; a failure page ends the wait with its text. */
  async ready() {
    await this.page.waitForSelector(':root[data-ready="1"], :root[data-failed]', { state: 'attached', timeout: READY_MS });
    const failed = await this.page.evaluate(() => 'failed' in document.documentElement.dataset && document.getElementById('report').textContent);
    assert.equal(failed, false, `the page failed: ${failed}\n${this.errors.join('\n')}`);
  }

  /** What the app says about itself, as of its last frame. */
  state() {
    return this.page.evaluate(async () => {
      // Nobody asked before: it begins to keep its state with the next frame.
      while (window.wasmBindings.switchyard_state() === '') await new Promise(requestAnimationFrame);
      return JSON.parse(window.wasmBindings.switchyard_state());
    });
  }

  /** Hands the app an intent, as a button or a key would. */
  act(intent) {
    return this.page.evaluate((json) => window.wasmBindings.switchyard_act(json), JSON.stringify(intent));
  }

  /** Waits until `holds(state)`, and answers that state; `what` names it should it never come. */
  async until(what, holds, withinMs = 60_000) {
    const end = Date.now() + withinMs;
    for (;;) {
      const state = await this.state();
      if (holds(state)) return state;
      assert.ok(Date.now() < end, `waited ${withinMs / 1000} s in vain: ${what}; last state ${JSON.stringify(state)}`);
      await this.frames(2);
    }
  }

  /** Presses and releases a key, each seen by a frame of its own. */
  async key(name) {
    await this.page.focus(CANVAS);
    await this.page.keyboard.down(name);
    await this.frames(2);
    await this.page.keyboard.up(name);
    await this.frames(2);
  }

  /** Clicks on the canvas, each part seen by a frame of its own. */
  async click(x, y) {
    await this.page.mouse.move(x, y);
    await this.frames(2);
    await this.page.mouse.down();
    await this.frames(2);
    await this.page.mouse.up();
    await this.frames(2);
  }

  /** Drops a file of this machine on the page. */
  async drop(path) {
    await this.dropBytes(basename(path), await readFile(path));
  }

  /** Drops a file that exists for this test alone. */
  async dropBytes(name, bytes) {
    const base64 = Buffer.from(bytes).toString('base64');
    await this.page.evaluate(
      async ({ canvas, name, base64 }) => {
        const blob = await (await fetch(`data:application/octet-stream;base64,${base64}`)).blob();
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([blob], name));
        for (const kind of ['dragenter', 'dragover', 'drop']) {
          document.querySelector(canvas).dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer }));
        }
      },
      { canvas: CANVAS, name, base64 },
    );
  }

  /** Waits until the page has drawn so many frames. */
  frames(count) {
    return this.page.evaluate(async (count) => {
      for (let frame = 0; frame < count; frame += 1) await new Promise(requestAnimationFrame);
    }, count);
  }

  /** Keeps a picture of the page in artefacts/. */
  async shot(name) {
    await mkdir(ARTEFACTS, { recursive: true });
    await this.page.screenshot({ path: fileURLToPath(new URL(`${name}.png`, ARTEFACTS)) });
  }
}

/** Asserts that nothing went wrong that a visitor could find in the console. */
export function assertNoErrors(visited) {
  assert.deepEqual(visited.errors, []);
}
