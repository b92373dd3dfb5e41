// The scheduling policy: chosen from the host page and by key, through the control plane, told in words.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useBrowser } from './harness/browser.mjs';
import { assertNoErrors, visitReady } from './harness/visit.mjs';

useBrowser();

const SECOND = 1e6;

/** A visit to a yard where jobs run and wait. */
async function busyYard(t) {
  const visited = await visitReady(t);
  await visited.page.evaluate((at) => window.wasmBindings.switchyard_seek(at), 1800 * SECOND);
  await visited.until('jobs run and wait', (state) => state.now_micros >= 1800 * SECOND && state.running > 10 && state.pending > 0);
  return visited;
}

const live = (visited) => visited.page.textContent('#live');

test('a policy that is asked for counts once it is committed, and the live region says so', async (t) => {
  const visited = await busyYard(t);
  await visited.act('pause');
  await visited.act({ set_policy: 'conservative' });
  const asked = await visited.until('it is asked for', (state) => state.policy_asked === 'conservative');
  assert.equal(asked.policy, 'easy-machine', 'time stands still: nobody can have committed it');
  assert.equal(asked.backfill, true);
  await visited.frames(6);
  await visited.shot('policy-asked');
  await visited.act('toggle_backfill');
  const off = await visited.until('without backfill it is another one', (state) => state.policy_asked === 'fcfs');
  assert.equal(off.backfill, true, 'the switch stands as it is committed');
  await visited.act({ set_speed: 1 });
  await visited.act('play');
  const set = await visited.until('both are committed', (state) => state.policy === 'fcfs');
  assert.equal(set.backfill, false);
  await visited.act({ set_policy: 'seed-lab-easy' });
  await visited.until('and the next one', (state) => state.policy === 'seed-lab-easy' && state.backfill);
  for (let tries = 0; tries < 60 && !(await live(visited)).includes('seed-lab-easy from now on'); tries += 1) await visited.frames(2);
  assert.equal(await live(visited), 'The scheduling policy is seed-lab-easy from now on.');
  await visited.act({ set_policy: 'eazy' });
  await visited.until('a refusal', (state) => state.notice.startsWith('There is no policy "eazy"; choose one of fcfs, '));
  await visited.act({ set_policy: 'seed-lab-easy' });
  await visited.until('another one', (state) => state.notice.includes('seed-lab-easy already'));
  assert.deepEqual((await visited.state()).violations, []);
  assertNoErrors(visited);
});

test('the keyboard opens the list, walks it and chooses', async (t) => {
  const visited = await busyYard(t);
  await visited.act('pause');
  const before = await visited.state();
  await visited.key('s');
  await visited.frames(4);
  await visited.shot('policy-list');
  await visited.key('Escape');
  await visited.key('s');
  await visited.frames(4);
  await visited.key('ArrowDown');
  await visited.key('Enter');
  const asked = await visited.until('the next in the list is asked for', (state) => state.policy_asked !== before.policy);
  assert.equal(asked.policy_asked, 'easy-aggregate');
  assert.equal(asked.selected, null, 'nothing behind the list was touched');
  await visited.key('b');
  await visited.until('keys are the page\'s again', (state) => state.policy_asked === 'fcfs');
  assertNoErrors(visited);
});
