// Solids of the poster as SVG paths: blocks and drums standing on a place in the yard.

import { distance, faces, project } from './camera.mjs';
import { SIDES } from './colours.mjs';

/** A place: where its origin lies, and how far it is turned about the vertical. */
export function place(origin, angle = 0) {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return {
    at: ([x, y, z]) => [origin[0] + x * cos - z * sin, origin[1] + y, origin[2] + x * sin + z * cos],
    turn: ([x, y, z]) => [x * cos - z * sin, y, x * sin + z * cos],
  };
}

/** The place at `radius` from the yard's centre, turned so that its front looks at the centre. */
export function onRing(radius, angle, height = 0) {
  return place([radius * Math.sin(angle), height, 2.7 - radius * Math.cos(angle)], angle);
}

/** A block with its base centred on `base`; `size` is width, height, depth. */
export function block(where, [x, y, z], [width, height, depth], material) {
  const half = [width / 2, height / 2, depth / 2];
  const middle = [x, y + half[1], z];
  return Object.entries(SIDES).flatMap(([side, normal]) => {
    const facing = middle.map((value, axis) => value + normal[axis] * half[axis]);
    if (!faces(where.at(facing), where.turn(normal))) return [];
    const fixed = normal.findIndex((value) => value !== 0);
    const [a, b] = [0, 1, 2].filter((axis) => axis !== fixed);
    const corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([s, t]) => {
      const corner = [...facing];
      corner[a] += s * half[a];
      corner[b] += t * half[b];
      return project(where.at(corner));
    });
    return [{ name: `${material}-${side}`, path: outline(corners), side }];
  });
}

/** An upright drum; `sides` flat faces, so eight look cut and forty look round. */
export function drum(where, [x, y, z], [bottom, top], height, sides, material) {
  const rim = (radius, level) =>
    Array.from({ length: sides }, (_, index) => {
      const angle = ((index + 0.5) / sides) * 2 * Math.PI;
      return where.at([x + radius * Math.sin(angle), y + level, z + radius * Math.cos(angle)]);
    });
  const [low, high] = [rim(bottom, 0), rim(top, height)];
  const walls = low.flatMap((point, index) => {
    const next = (index + 1) % sides;
    const angle = ((index + 1) / sides) * 2 * Math.PI;
    const normal = where.turn([Math.sin(angle), 0, Math.cos(angle)]);
    if (!faces(point, normal)) return [];
    const side = normal[0] < -0.75 ? 'l' : normal[0] > 0.75 ? 'r' : 'f';
    return [{ name: `${material}-${side}`, path: outline([point, low[next], high[next], high[index]].map(project)), side }];
  });
  return [...walls, { name: `${material}-t`, path: outline(high.map(project)), side: 't' }];
}

/** A flat shape on or over the floor. */
export function sheet(points, name) {
  return [{ name, path: outline(points.map(project)) }];
}

/** A line through the yard. */
export function line(points, name) {
  return [{ name, path: outline(points.map(project), '') }];
}

/** Points from one angle to another at one radius. */
export function arc(radius, from, to, height = 0, steps = 40) {
  return Array.from({ length: steps + 1 }, (_, step) =>
    onRing(radius, from + ((to - from) * step) / steps, height).at([0, 0, 0]),
  );
}

/** Far groups first; a group is `[point, parts]`. */
export function farFirst(groups) {
  return groups
    .map(([point, parts]) => ({ away: distance(point), parts }))
    .sort((a, b) => b.away - a.away)
    .flatMap(({ parts }) => parts);
}

/** Parts that don't overlap each other: one side after the other, so that equal ones join into one path. */
export function bySide(parts) {
  return ['r', 'l', 't', 'f'].flatMap((side) => parts.filter((part) => part.side === side));
}

function outline([first, ...rest], end = 'z') {
  let [x, y] = first;
  const steps = rest.map(([toX, toY]) => {
    const step = `${toX - x} ${toY - y}`;
    [x, y] = [toX, toY];
    return step;
  });
  return `M${first.join(' ')}l${steps.join(' ')}${end}`.replaceAll(' -', '-');
}
