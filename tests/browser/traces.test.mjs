// Real input: dropped traces play to the end, bad ones are answered with a sentence.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { useBrowser } from './harness/browser.mjs';
import { assertNoErrors, visitReady } from './harness/visit.mjs';

useBrowser();

const TRACES = fileURLToPath(new URL('../../../shared/traces/', import.meta.url));
const FOR_EVER = 4e15;
const PLAY_MS = 900_000;

for (const [file, jobs, skipped] of [['KTH-SP2-1996-head1000.swf', 1000, 0], ['sacct_xdmod_phillips.txt', 4046, 239]]) {
  const skip = existsSync(TRACES + file) ? false : `${file} is not beside the checkout`;
  test(`${file} plays to the end`, { skip }, async (t) => {
    const visited = await visitReady(t);
    await visited.drop(TRACES + file);
    const read = await visited.until('the report', (state) => state.import !== null);
    assert.ok('Read' in read.import || 'read' in read.import, JSON.stringify(read.import));
    await visited.frames(3);
    await visited.shot(`import-${jobs}`);
    if (skipped > 0) assert.match(JSON.stringify(read.import), new RegExp(`"${skipped}"`));
    await visited.act({ run_imported: { fleet: 'derived' } });
    const started = await visited.until('the run', (state) => state.scenario === file);
    assert.equal(started.jobs, jobs);
    await visited.act({ set_speed: 3600 });
    await visited.until('jobs run', (state) => state.running > 0);
    await visited.shot(`playing-${jobs}`);
    await visited.page.evaluate((end) => window.wasmBindings.switchyard_seek(end), FOR_EVER);
    const done = await visited.until('the end', (state) => state.done, PLAY_MS);
    assert.equal(done.finished, jobs);
    assert.deepEqual(done.violations, []);
    await visited.frames(3);
    await visited.shot(`played-${jobs}`);
    assertNoErrors(visited);
  });
}

test('bad files are answered with file, line, what was expected and what stood there', async (t) => {
  const visited = await visitReady(t);
  const text = '; MaxProcs: 4\n1 0 -1 10 1 -1 -1 1 60 -1 1 1 1 -1 -1 -1 -1 -1\n2 5 -1 ten 1 -1 -1 1 60 -1 1 1 1 -1 -1 -1 -1 -1\n';
  await visited.dropBytes('bad.swf', Buffer.from(text));
  const state = await visited.until('the sentence', (state) => state.notice.includes('bad.swf'));
  assert.match(state.notice, /bad\.swf, line 3/);
  assert.match(state.notice, /ten/);
  await visited.frames(3);
  await visited.shot('import-failed');
  for (const [name, bytes] of [['empty.swf', ''], ['noise.bin', '\x00\x01\x02\xff'.repeat(500)], ['text.txt', 'hello\nworld\n']]) {
    await visited.dropBytes(name, Buffer.from(bytes, 'latin1'));
    await visited.until(`an answer to ${name}`, (state) => state.notice.includes(name));
  }
  await visited.act({ run_imported: { fleet: 'derived' } });
  await visited.until('a refusal', (state) => !state.notice.includes('text.txt'));
  const after = await visited.state();
  assert.equal(after.scenario, 'The yard', 'the run goes on');
  assertNoErrors(visited);
});
