// What a visitor can do to the cluster, each deed asserted on the state that the app exposes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useBrowser } from './harness/browser.mjs';
import { assertNoErrors, visitReady } from './harness/visit.mjs';

useBrowser();

const SECOND = 1e6;

/** A visit to a yard that has been busy for a while, at a speed at which elections can be followed. */
async function busyYard(t, settings) {
  const visited = await visitReady(t, { settings });
  await visited.page.evaluate((at) => window.wasmBindings.switchyard_seek(at), 1800 * SECOND);
  await visited.until('jobs run and wait', (state) => state.now_micros >= 1800 * SECOND && state.running > 10 && state.pending > 0);
  await visited.act({ set_speed: 3 });
  return visited;
}

test('killing the leader by key: jobs run on, another replica leads, starts resume, nothing is lost or run again', async (t) => {
  const visited = await busyYard(t);
  const before = await visited.until('a leader', (state) => state.leader !== null);
  await visited.shot('busy');
  await visited.key('k');
  const dead = await visited.until('the leader is down', (state) => !state.replicas.find((replica) => replica.name === before.leader).up);
  assert.ok(dead.busy > 0, 'jobs run on');
  await visited.frames(4);
  await visited.shot('leader-lost');
  const after = await visited.until('a new leader', (state) => state.leader !== null && state.leader !== before.leader);
  assert.ok(after.term > before.term);
  assert.ok(after.busy > 0);
  await visited.act({ set_speed: 300 });
  const resumed = await visited.until('starts resume', (state) => state.finished > after.finished && state.running > 0);
  assert.equal(resumed.requeued, 0);
  assert.ok(resumed.accepted >= before.accepted);
  assert.deepEqual(resumed.violations, []);
  await visited.act({ restart: { replica: before.replicas.findIndex((replica) => replica.name === before.leader) } });
  await visited.until('the replica is back and has caught up', (state) => state.replicas.every((replica) => replica.up && replica.applied === state.replicas.find((other) => other.name === state.leader)?.commit));
  assertNoErrors(visited);
});

test('a cut: the minority commits nothing, its rack fences itself, and after healing all logs agree', async (t) => {
  const visited = await busyYard(t);
  const before = await visited.until('a leader', (state) => state.leader !== null);
  await visited.key('p');
  const cut = await visited.until('the cut', (state) => state.partitions === 1);
  assert.equal(cut.violations.length, 0);
  await visited.act({ set_speed: 1 });
  await visited.until('a leader on the other side', (state) => state.leader !== null && state.leader !== before.leader);
  await visited.frames(6);
  await visited.shot('partition');
  await visited.act({ set_speed: 60 });
  const fenced = await visited.until('the cut rack fences itself', (state) => state.nodes.slice(0, 4).every((node) => node.fenced));
  const old = fenced.replicas.find((replica) => replica.name === before.leader);
  const atTheCut = cut.replicas.find((replica) => replica.name === before.leader);
  assert.equal(old.commit, atTheCut.commit, 'the old leader has committed nothing more');
  assert.ok(Math.max(...fenced.replicas.map((replica) => replica.commit)) > old.commit, 'the majority has');
  await visited.shot('fenced');
  await visited.key('h');
  await visited.until('healed', (state) => state.partitions === 0);
  await visited.until('all logs agree', (state) => new Set(state.replicas.map((replica) => replica.applied)).size === 1 && state.nodes.every((node) => node.state === 'up'));
  const end = await visited.state();
  assert.deepEqual(end.violations, []);
  assertNoErrors(visited);
});

test('backfill goes off and on by key, through the control plane', async (t) => {
  const visited = await busyYard(t);
  await visited.act({ set_speed: 60 });
  assert.equal((await visited.state()).backfill, true);
  await visited.key('b');
  const off = await visited.until('backfill is off', (state) => !state.backfill);
  const later = off.now_micros + 4 * 3600 * SECOND;
  await visited.page.evaluate((at) => window.wasmBindings.switchyard_seek(at), later);
  await visited.until('hours pass without it', (state) => state.now_micros >= later);
  await visited.act({ open_tab: 'queue' });
  await visited.frames(3);
  await visited.shot('backfill-off');
  await visited.key('b');
  const on = await visited.until('backfill is on', (state) => state.backfill);
  await visited.page.evaluate((at) => window.wasmBindings.switchyard_seek(at), on.now_micros + 12 * 3600 * SECOND);
  await visited.until('jobs pass each other again', (state) => state.backfilled > off.backfilled);
  assertNoErrors(visited);
});

test('a node dies and comes back; what makes no sense is refused in a sentence', async (t) => {
  const visited = await busyYard(t);
  await visited.act({ select: { node: 5 } });
  await visited.act({ kill: { node: 5 } });
  await visited.until('node 6 is down', (state) => !state.nodes[5].up && state.nodes[5].running === 0);
  await visited.act({ kill: { node: 5 } });
  await visited.until('a refusal', (state) => state.notice.includes('n06 is down already'));
  await visited.act({ set_speed: 30 });
  await visited.until('the control plane knows', (state) => state.nodes[5].state === 'down');
  await visited.shot('node-down');
  await visited.act({ restart: { node: 5 } });
  await visited.until('it is back', (state) => state.nodes[5].up && state.nodes[5].state === 'up');
  await visited.act('heal');
  await visited.until('another refusal', (state) => state.notice.includes('nothing to heal'));
  assert.match(await visited.act({ set_sped: 3 }), /no intent/);
  await visited.act({ kill: { node: 4000 } });
  await visited.act({ set_speed: -1 });
  await visited.frames(4);
  assert.deepEqual((await visited.state()).violations, []);
  assertNoErrors(visited);
});

test('clicking a rack explains it, panels keep their clicks', async (t) => {
  const visited = await busyYard(t);
  await visited.act('pause');
  let found = null;
  for (const [x, y] of [[560, 210], [640, 200], [700, 220], [520, 260], [620, 260]]) {
    await visited.click(x, y);
    found = (await visited.state()).selected;
    if (found !== null) break;
  }
  assert.notEqual(found, null, 'something in the middle of the scene can be selected');
  await visited.frames(3);
  await visited.shot('selected');
  // The top bar lies over the sky: a click there must not reach the scene behind it.
  await visited.click(560, 20);
  assert.deepEqual((await visited.state()).selected, found);
  await visited.key('Escape');
  await visited.until('nothing is selected', (state) => state.selected === null);
  assertNoErrors(visited);
});

test('the page draws on a phone and in an embedded frame without errors', async (t) => {
  for (const [name, width, height] of [['phone', 390, 844], ['embedded', 800, 450]]) {
    const visited = await busyYard(t, { viewport: { width, height } });
    await visited.frames(3);
    await visited.shot(name);
    assertNoErrors(visited);
    await visited.page.close();
  }
});
