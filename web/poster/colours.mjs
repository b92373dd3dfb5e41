// The colours of the poster: each material under the light of the dark and of the light theme.

const ACCOUNTS = {
  climate: ['#429CEC', '#4563AE'],
  fluids: ['#8ADAEF', '#42B6E4'],
  genomics: ['#2C9079', '#35917D'],
  language: ['#8160DC', '#A262DB'],
  materials: ['#E6AA98', '#DBA79A'],
  robotics: ['#C1D66E', '#9DBB4D'],
  seismic: ['#CC6A25', '#D0662C'],
  vision: ['#E567AD', '#94285A'],
};

const THINGS = {
  platform: ['#1B2432', '#F6F5F1'],
  post: ['#56657F', '#FFFFFF'],
  back: ['#222D3F', '#F7F6F2'],
  plinth: ['#2A3548', '#DAD8D1'],
  box: ['#43526D', '#C9CBD0'],
  tray: ['#2E3A4E', '#FBFAF7'],
  idle: ['#4A5770', '#CFCDC6'],
  nvswitch: ['#8593AB', '#8E96A3'],
  head: ['#5B6880', '#B4B8BF'],
  leader: ['#E9EEF6', '#30384A'],
  mast: ['#46536A', '#B9B8B3'],
  service: ['#3A465A', '#D9D8D3'],
};

const TERMS = { term5: ['#E8D3A2', '#DDBF7E'], term6: ['#8397CC', '#6F84BE'], term7: ['#F0B8BE', '#E79AA4'] };

/** What shines by itself, flat in both themes. */
const FLAT = {
  crown: ['#F4C550', '#E0A310'],
  lamp: ['#F4C550', '#E0A310'],
  port: ['#9FD0FF', '#2E6FD0'],
  status: ['#BFE3D2', '#2F9E6E'],
  water: ['#FFFFFF', '#141B27'],
};

const LIGHT = [
  { key: ['#FFF6EA', 2.3], ambient: ['#B4C6E6', 2.1] },
  { key: ['#FFF6E6', 1.75], ambient: ['#F2F4FA', 1.75] },
];
const TO_LIGHT = [-0.454, 0.768, 0.454];

/** The sides of a block, and their outward normals. */
export const SIDES = { t: [0, 1, 0], f: [0, 0, 1], l: [-1, 0, 0], r: [1, 0, 0] };

/** Style rules for all materials: class `material-side`, or `material` for what is flat. */
export function rules() {
  const themes = [0, 1].map((theme) => [
    ...lit(ACCOUNTS, theme, [0.36, 0.58][theme], [0.7, 0.36][theme]),
    ...lit(THINGS, theme, 1, 0),
    ...lit(TERMS, theme, 1, [0.28, 0.12][theme]),
    ...Object.entries(FLAT).map(([name, colours]) => `.p-${name}{fill:${colours[theme]}}`),
  ]);
  return `${themes[0].join('')}@media(prefers-color-scheme:light){${themes[1].join('')}}`;
}

/** A matte surface shows base x (ambient + key x cos) / pi + base x glow, in linear light. */
function lit(materials, theme, factor, glow) {
  const { key, ambient } = LIGHT[theme];
  return Object.entries(materials).flatMap(([name, colours]) =>
    Object.entries(SIDES).map(([side, normal]) => {
      const cos = Math.max(0, normal.reduce((sum, value, axis) => sum + value * TO_LIGHT[axis], 0));
      const base = linear(colours[theme]);
      const [keyColour, ambientColour] = [linear(key[0]), linear(ambient[0])];
      const shown = base.map((value, i) => {
        const arriving = ambientColour[i] * ambient[1] + keyColour[i] * key[1] * cos;
        return value * ((factor * arriving) / Math.PI + glow);
      });
      return `.p-${name}-${side}{fill:${hex(shown)}}`;
    }),
  );
}

function linear(colour) {
  return [1, 3, 5].map((at) => {
    const value = parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
}

function hex(channels) {
  const byte = (value) => {
    const encoded = value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055;
    return Math.round(Math.min(1, encoded) * 255).toString(16).padStart(2, '0');
  };
  return `#${channels.map(byte).join('')}`;
}
