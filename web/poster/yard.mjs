// What stands where on the poster: one moment of a busy yard, in metres.

import { arc, block, bySide, drum, farFirst, line, onRing, place, sheet } from './shapes.mjs';

const ACCOUNT = {
  c: 'climate', f: 'fluids', g: 'genomics', l: 'language', m: 'materials', r: 'robotics', s: 'seismic', v: 'vision',
};

/** GPUs of each rack, lowest tray first; a dot is idle. */
const RACKS = [
  ['ffffvvvv', 'mmmmmmmm', 'vvvvvv..', 'cccccccc'],
  ['cccccccc', '..llll..', 'gggggggg', 'cccccccc'],
  ['s..g....', 'm.......', 'llllllll', 'llrr..cc'],
  ['llllllll', 'llllllll', 'llllllll', 'cccccccc'],
  ['cccccccc', 'cccccccc', 'rrrrrrrr', 'llllllll'],
  ['cccccccc', 'cccccccc', 'gggggggg', 'llllllll'],
  ['cccccccc', 'cccccccc', 'llllllll', 'llllllll'],
  ['llllllll', 'llllllll', 'llllllll', 'llllllll'],
];
const RACK_RADIUS = 6.6;
const RACK_STEP = 1.14 / RACK_RADIUS;
const GPU_PLACES = [[-1, -1], [0, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [0, 1], [1, 1]];

/** Replicas from the left: entries in the log, and how many of them are committed. */
const REPLICAS = [[9, 'head'], [10, 'head'], [11, 'leader'], [10, 'head'], [8, 'head']];
const REPLICA_STEP = (20.6 * Math.PI) / 180;

/** Jobs from the gate outwards: account, nodes, GPUs per node, limit in hours. */
const QUEUE = [
  ['s', 4, 8, 8], ['g', 4, 4, 6], ['c', 2, 4, 3], ['l', 3, 6, 4], ['c', 1, 4, 2],
  ['r', 1, 6, 3], ['g', 5, 8, 4], ['f', 2, 8, 6], ['m', 2, 6, 5], ['l', 3, 4, 6],
];

export function yard() {
  return [...floor(), ...spine(), ...farFirst(RACKS.map(rack)), ...controlPlane(), ...queue(), ...signal()];
}

function rackAngle(index) {
  return (index - (RACKS.length - 1) / 2) * RACK_STEP;
}

function floor() {
  const band = (inner, outer, from, to) => sheet([...arc(inner, from, to), ...arc(outer, from, to).reverse()], 'platform-t');
  const tracks = RACKS.flatMap((_, index) =>
    [-0.05, 0.05].flatMap((side) => {
      const angle = rackAngle(index);
      return line([onRing(0.7, angle).at([side, 0, 0]), onRing(6.1, angle).at([side, 0, 0])], 'track');
    }),
  );
  const end = rackAngle(RACKS.length - 0.4);
  return [
    ...band(RACK_RADIUS - 0.62, RACK_RADIUS + 0.62, -end, end),
    ...tracks,
    ...band(2.25, 3.45, -2.5 * REPLICA_STEP, 2.5 * REPLICA_STEP),
    ...band(2.3, 3.4, 1.02, 1.76),
    ...sheet([...lane(0, 7.5, 0.55), ...lane(0, 7.5, -0.55).reverse()], 'platform-t'),
    ...line(lane(0, 8.6, -0.42), 'track'),
  ];
}

function spine() {
  const boxes = [-0.16, 0.16].map((angle) => onRing(RACK_RADIUS + 0.45, angle, 2.95));
  const cables = RACKS.flatMap((_, index) => {
    const leaf = onRing(RACK_RADIUS, rackAngle(index), 2.34).at([0, 0, 0]);
    return boxes.flatMap((box) => {
      const top = box.at([0, 0, 0]);
      const sag = leaf.map((value, axis) => (value + top[axis]) / 2 - (axis === 1 ? 0.06 : 0));
      return line([leaf, sag, top], 'cable');
    });
  });
  return [...cables, ...boxes.flatMap((box) => block(box, [0, 0, 0], [1.5, 0.13, 0.34], 'box'))];
}

function rack(trays, index) {
  const where = onRing(RACK_RADIUS, rackAngle(index));
  const post = (x, z) => block(where, [x, 0.08, z], [0.03, 2.26, 0.03], 'post');
  const ports = Array.from({ length: 10 }, (_, port) =>
    sheet(square(where, [-0.2 + port * 0.045, 2.28, 0.375], 0.024, 0.03), 'port'),
  );
  const parts = [
    ...block(where, [0, 0, 0], [1, 0.08, 0.8], 'plinth'),
    ...block(where, [0, 0.08, -0.385], [0.94, 2.15, 0.03], 'back'),
    ...post(-0.485, -0.385), ...post(0.485, -0.385),
    ...trays.flatMap((gpus, level) => tray(where, 0.18 + level * 0.55, gpus)),
    ...post(-0.485, 0.385), ...post(0.485, 0.385),
    ...block(where, [0, 2.23, 0], [1, 0.11, 0.74], 'box'),
    ...ports.flat(),
  ];
  return [where.at([0, 0, 0]), parts];
}

function tray(where, height, gpus) {
  const rows = [-1, 0, 1].map((row) => {
    const parts = GPU_PLACES.flatMap(([x, z], slot) => {
      if (z !== row) return [];
      const account = ACCOUNT[gpus[slot]];
      return block(where, [x * 0.285, height + 0.045, z * 0.228], [0.235, account ? 0.15 : 0.03, 0.19], account ?? 'idle');
    });
    const middle = row === 0 ? block(where, [0, height + 0.045, 0], [0.215, 0.045, 0.17], 'nvswitch') : [];
    return bySide([...parts, ...middle]);
  });
  return [
    ...block(where, [0, height, 0], [0.95, 0.045, 0.76], 'tray'),
    ...rows.flat(),
    ...sheet(square(where, [-0.36, height + 0.022, 0.385], 0.09, 0.022), 'status'),
  ];
}

/** An upright rectangle that faces the front, about a point. */
function square(where, [x, y, z], width, height) {
  const corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]];
  return corners.map(([s, t]) => where.at([x + (s * width) / 2, y + (t * height) / 2, z]));
}

function circle(where, [x, y, z], radius) {
  return Array.from({ length: 16 }, (_, step) => {
    const angle = (step / 16) * 2 * Math.PI;
    return where.at([x + radius * Math.sin(angle), y + radius * Math.cos(angle), z]);
  });
}

function controlPlane() {
  const committed = 0.06 + 8.5 * 0.076;
  const centres = REPLICAS.map((_, index) => onRing(2.85, (index - 2) * REPLICA_STEP, committed).at([0, 0, 0.22]));
  const replicas = farFirst(REPLICAS.map(replica));
  const drums = [[1.17, 0.62], [1.5, 0.5]].map(([angle, height]) => {
    const where = onRing(2.85, angle);
    return [where.at([0, 0, 0]), drum(where, [0, 0.03, 0], [0.26, 0.26], height, 40, 'service')];
  });
  return [...farFirst(drums), ...replicas, ...line(centres, 'water')];
}

function replica([entries, kind], index) {
  const where = onRing(2.85, (index - 2) * REPLICA_STEP);
  const slabs = Array.from({ length: entries }, (_, entry) => {
    const term = entry < 1 ? 'term5' : entry < 5 ? 'term6' : 'term7';
    return block(where, [0, 0.06 + entry * 0.076, 0], [0.44, 0.062, 0.44], term);
  });
  const top = 0.06 + entries * 0.076;
  const ring = Array.from({ length: 49 }, (_, step) => {
    const angle = (step / 48) * 2 * Math.PI;
    return where.at([0.4 * Math.sin(angle), 0.01, 0.4 * Math.cos(angle)]);
  });
  const crown = kind === 'leader' ? sheet(crownPoints(where, top + 0.28), 'crown') : [];
  const parts = [
    ...line(ring, kind === 'leader' ? 'gold' : 'ring'),
    ...slabs.flat(),
    ...drum(where, [0, top, 0], [0.225, 0.2], 0.2, 8, kind),
    ...crown,
  ];
  return [where.at([0, 0, 0]), parts];
}

function crownPoints(where, height) {
  const zigzag = [[-0.17, 0.2], [-0.085, 0.09], [0, 0.24], [0.085, 0.09], [0.17, 0.2]];
  const base = [[0.14, 0], [-0.14, 0]];
  return [...base, ...zigzag].map(([x, y]) => where.at([x, height + y, 0]));
}

/** The queue's curved track: `along` metres from the gate, `aside` metres toward the yard. */
function lanePlace(along) {
  const radius = 8.5;
  const angle = along / radius;
  const centre = [-0.4, 0, 3.75 - radius];
  return place([centre[0] - radius * Math.sin(angle), 0, centre[2] + radius * Math.cos(angle)], angle);
}

function lane(from, to, aside) {
  return Array.from({ length: 31 }, (_, step) => lanePlace(from + ((to - from) * step) / 30 - 0.5).at([0, 0.01, aside]));
}

function queue() {
  let along = 0;
  const jobs = QUEUE.map(([account, nodes, gpus, hours]) => {
    const width = nodes * 0.155;
    const where = lanePlace(along + width / 2);
    along += width + 0.2;
    const depth = Math.max(0.17, gpus * 0.085);
    const height = 0.14 + 0.19 * Math.log2(1 + (hours * 60) / 30);
    const slices = Array.from({ length: nodes }, (_, node) =>
      block(where, [(node - (nodes - 1) / 2) * 0.155, 0.02, 0], [0.14, height, depth], ACCOUNT[account]),
    );
    return [where.at([0, 0, 0]), slices.flat()];
  });
  return farFirst(jobs);
}

function signal() {
  const where = place([0.62, 0, 2.9], 0);
  return [
    ...block(where, [0, 0, 0], [0.16, 0.03, 0.16], 'mast'),
    ...block(where, [0, 0.03, 0], [0.035, 0.62, 0.035], 'mast'),
    ...block(where, [0, 0.65, 0], [0.13, 0.3, 0.1], 'mast'),
    ...sheet(circle(where, [0, 0.73, 0.06], 0.04), 'lamp'),
  ];
}
