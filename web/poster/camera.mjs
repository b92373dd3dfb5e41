// The long lens through which the poster sees the yard: metres in, picture units out.

/** Width and height of the picture, in its own units. */
export const SIZE = [3200, 1800];

const FIELD = (22 * Math.PI) / 180;
const YAW = (-9 * Math.PI) / 180;
const PITCH = (26 * Math.PI) / 180;
const DISTANCE = 21.6;
/** Where the middle of the view lies, from the top: the card with the progress bar is below it. */
const HORIZON = 0.46;
const TARGET = [-0.55, 0.62, -0.35];

const [cosYaw, sinYaw, cosPitch, sinPitch] = [Math.cos(YAW), Math.sin(YAW), Math.cos(PITCH), Math.sin(PITCH)];
const right = [cosYaw, 0, -sinYaw];
const forward = [-sinYaw * cosPitch, -sinPitch, -cosYaw * cosPitch];
const up = cross(right, forward);
const eye = TARGET.map((value, axis) => value - forward[axis] * DISTANCE);
const focal = SIZE[1] / 2 / Math.tan(FIELD / 2);

/** Where a point of the yard lies in the picture, rounded to whole units. */
export function project(point) {
  const from = point.map((value, axis) => value - eye[axis]);
  const depth = dot(from, forward);
  return [
    Math.round(SIZE[0] / 2 + (dot(from, right) / depth) * focal),
    Math.round(SIZE[1] * HORIZON - (dot(from, up) / depth) * focal),
  ];
}

/** How far a point is from the eye: what is farther is drawn first. */
export function distance(point) {
  return Math.hypot(...point.map((value, axis) => value - eye[axis]));
}

/** Whether a face at `point` with this outward normal is turned to the eye. */
export function faces(point, normal) {
  return dot(normal, point.map((value, axis) => value - eye[axis])) < 0;
}

function dot(a, b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function cross(a, b) {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}
