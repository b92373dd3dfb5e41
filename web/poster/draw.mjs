// Draws the still picture that the page shows until the app runs: `node web/poster/draw.mjs` rewrites poster.svg.

import { writeFileSync } from 'node:fs';
import { SIZE } from './camera.mjs';
import { rules } from './colours.mjs';
import { yard } from './yard.mjs';

/** Neighbours of one name become one path; names of lines are styled by the page. */
function paths(parts) {
  const joined = [];
  for (const { name, path } of parts) {
    const last = joined.at(-1);
    if (last?.name === name) last.path += path;
    else joined.push({ name, path });
  }
  return joined.map(({ name, path }) => `<path class="p-${name}" d="${path}"/>`).join('\n');
}

const pools = [
  [1600, 860, 1500, 620, 'pool-wide'],
  [1600, 700, 980, 330, 'pool'],
  [1560, 1080, 720, 280, 'pool'],
].map(([x, y, rx, ry, name]) => `<ellipse class="p-${name}" cx="${x}" cy="${y}" rx="${rx}" ry="${ry}"/>`);

const lines =
  '.p-track,.p-cable,.p-ring,.p-gold,.p-water{fill:none;stroke:var(--poster-line);stroke-width:4}' +
  '.p-ring{stroke-width:5}.p-gold{stroke:var(--accent);stroke-width:7}.p-water{stroke:var(--ink);stroke-width:6}' +
  '.p-pool{fill:url(#p-glow);opacity:.75}.p-pool-wide{fill:url(#p-glow)}' +
  '#p-glow stop{stop-color:var(--poster-pool)}';

const svg = `<svg class="poster" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE.join(' ')}" preserveAspectRatio="xMidYMid slice" aria-hidden="true">
<style>${rules()}${lines}</style>
<radialGradient id="p-glow"><stop stop-opacity=".5"/><stop offset=".55" stop-opacity=".18"/><stop offset="1" stop-opacity="0"/></radialGradient>
${pools.join('\n')}
${paths(yard())}
</svg>
`;

writeFileSync(new URL('poster.svg', import.meta.url), svg);
