// The same run has the same digest in the browser and on the command line, at any speed.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { useBrowser } from './harness/browser.mjs';
import { visitReady } from './harness/visit.mjs';

useBrowser();

const CHECKOUT = fileURLToPath(new URL('../../', import.meta.url));
const SECOND = 1e6;
const END_SECS = 900;

/** The run of the page's first screen, as a scenario file for the command line. */
function scenario(interventions) {
  const node = { cpus: 64, gpus: 8, memory_mib: 1 << 20 };
  return {
    version: 1,
    name: 'The yard',
    seed: 5,
    fleet: { name: 'yard', classes: [{ name: 'n', count: 32, node, nodes_per_rack: 4 }] },
    workload: { generate: { name: 'yard', jobs: 2000, seed: 5 } },
    policy: 'easy-machine',
    interventions,
  };
}

async function onTheCommandLine(interventions, untilSecs) {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-'));
  try {
    const file = join(folder, 'run.json');
    await writeFile(file, JSON.stringify(scenario(interventions)));
    const args = ['run', '--quiet', '-p', 'switchyard-cli', '--', 'run', file, '--until', String(untilSecs), '--json'];
    const { stdout } = await promisify(execFile)('cargo', args, { cwd: CHECKOUT });
    return JSON.parse(stdout).digest;
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function stopAt(visited, secs) {
  await visited.page.evaluate((at) => window.wasmBindings.switchyard_stop_at(at), secs * SECOND);
  await visited.act('play');
  return visited.until(`it stands still at ${secs} s`, (state) => !state.playing && state.now_micros === secs * SECOND);
}

/** The same deeds at the same moments, at these speeds. */
async function inTheBrowser(t, speeds) {
  const visited = await visitReady(t);
  // A run begins at the speed of the one before: slowly, so that the first stop is not missed.
  await visited.act({ set_speed: 0.01 });
  await visited.until('it creeps', (state) => state.speed === 0.01);
  await visited.act({ new_run: { seed: 5 } });
  await visited.until('a new run', (state) => state.now_micros < SECOND);
  await visited.act({ set_speed: speeds[0] });
  await stopAt(visited, 2);
  await visited.act({ set_speed: speeds[1] });
  await stopAt(visited, 12);
  await visited.act({ kill: { replica: 0 } });
  await visited.act({ kill: { node: 3 } });
  await visited.act('toggle_backfill');
  await visited.until('the deeds are done', (state) => !state.replicas[0].up && !state.nodes[3].up);
  await visited.act({ set_speed: speeds[2] });
  return (await stopAt(visited, END_SECS)).digest;
}

test('one run, three ways: command line, from 1x up, fast throughout', async (t) => {
  const at = 12 * SECOND;
  const deeds = [{ at, do: { crash_replica: 0 } }, { at, do: { crash_node: 3 } }, { at, do: { set_backfill: false } }];
  const native = await onTheCommandLine(deeds, END_SECS);
  assert.match(native, /^[0-9a-f]{16}$/);
  assert.equal(await inTheBrowser(t, [1, 30, 300]), native);
  assert.equal(await inTheBrowser(t, [3600, 3600, 3600]), native);
});
