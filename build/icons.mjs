/**
 * Draws the icons of the tray: SVG from the shapes of app/tray/view/state-shapes.ts, then PNG. Run it when a shape has changed
 * (`node build/run.mjs build/icons.mjs`); what it draws is kept in app/tray/icons.
 *
 * A bird says whose icon it is; a badge at its foot what it does, one at its head that somebody is needed. Badges differ by their shapes and
 * their colours. The bird is dark for light panels, light for dark ones, or in a colour that can be read on both; a rim around all of it
 * keeps it apart from a panel that is like it.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { initWasm, Resvg } from '@resvg/resvg-wasm';
import { pictureName } from '../app/tray/view/appearance.ts';
import { ACTIVITY_SHAPES, ATTENTION_SHAPES } from '../app/tray/view/state-shapes.ts';
import { ROOT } from './node-path.mjs';

export const ICONS = join(ROOT, 'app', 'tray', 'icons');
/** Of a panel; twice as much for dense screens. */
const SIZES = { '': 22, '@2x': 44 };
/** The bird, the rim around it, and the bird that is away from its server. */
const LOOKS = {
  light: { bird: '#1c2321', rim: '#ffffff', away: '#7d8884' },
  dark: { bird: '#ffffff', rim: '#1c2321', away: '#9aa5a1' },
  colour: { bird: '#12a08c', rim: '#ffffff', away: '#8b9592' },
};
const BADGES = {
  partly: '#66716d',
  syncing: '#1667d8',
  slow: '#1667d8',
  paused: '#66716d',
  offline: '#66716d',
  conflict: '#e08a00',
  error: '#d3281c',
};
/** One arrow: two run together in a badge. */
const ARROW = 'M12 20.500V4M4.500 11L12 3.500 19.500 11';
const APP_SIZE = 256;

const lines = 'fill="none" stroke-linecap="round" stroke-linejoin="round"';
/** Seen from below: two wings and a tail. */
const BIRD =
  'M.8 8.600C4.500 3 9 2.800 12 7.400 15 2.800 19.500 3 23.200 8.600 19.400 7.600 16.600 9 14.600 12.400L12 20.500 9.400 12.400C7.400 9 4.600 7.600.8 8.600Z';
/** Where a badge is, and its size, in a square of 24. */
const FOOT = { x: 10.6, y: 10.6, size: 13.2 };
const HEAD = { x: 13, y: -0.6, size: 11.2 };

function badge(name, shape, { x, y, size }, rim) {
  const half = size / 2;
  const sign = size * 0.74;
  const at = (size - sign) / 2;
  const ground =
    name === 'conflict'
      ? `<path d="M12 1.500L23.500 22H.5Z" transform="translate(${x} ${y}) scale(${size / 24})" stroke-width="2.500"`
      : `<circle cx="${x + half}" cy="${y + half}" r="${half - 0.8}" stroke-width="1.300"`;
  const drawn = name === 'conflict' ? ATTENTION_SHAPES.error : shape;
  const [dx, dy, scale] =
    name === 'conflict'
      ? [x + size * 0.24, y + size * 0.32, (size * 0.52) / 24]
      : [x + at, y + at, sign / 24];
  return (
    `${ground} fill="${BADGES[name]}" stroke="${rim}"/>` +
    `<path d="${drawn}" transform="translate(${dx} ${dy}) scale(${scale})" stroke="#fff" stroke-width="3.600"/>`
  );
}

const signOf = (activity) => (activity === 'syncing' ? ARROW : ACTIVITY_SHAPES[activity]);

/** The bird, and the badges that it has. */
export function trayIcon(activity, attention, look) {
  const { bird, rim, away } = LOOKS[look];
  const colour = activity === 'offline' ? away : bird;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" ${lines}>` +
    `<path d="${BIRD}" stroke="${rim}" stroke-width="2"/><path d="${BIRD}" fill="${colour}"/>` +
    (activity === 'idle' ? '' : badge(activity, signOf(activity), FOOT, rim)) +
    (attention === 'none' ? '' : badge(attention, ATTENTION_SHAPES[attention], HEAD, rim)) +
    '</svg>\n'
  );
}

/** A bird over the line of a horizon, for launchers and windows. */
export function appSvg() {
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" ${lines}>` +
    '<rect width="64" height="64" rx="15" fill="#0b5d51"/>' +
    '<path d="M7 30c9-9 17-8 25 3 8-11 16-12 25-3" stroke="#fff" stroke-width="5"/>' +
    '<path d="M32 33c0 5-2 9-6 12" stroke="#fff" stroke-width="4"/>' +
    '<path d="M10 53h44" stroke="#7fd8c6" stroke-width="3.500"/></svg>\n'
  );
}

export function pngOf(svg, width) {
  return new Resvg(svg, { fitTo: { mode: 'width', value: width } }).render().asPng();
}

/**
 * By file name: every picture, as bytes.
 *
 * @returns {Promise<Map<string, Uint8Array>>}
 */
export async function drawAll() {
  const wasm = createRequire(import.meta.url).resolve('@resvg/resvg-wasm/index_bg.wasm');
  await initWasm(await readFile(wasm));
  const pictures = new Map();
  for (const activity of Object.keys(ACTIVITY_SHAPES)) {
    for (const attention of ['none', ...Object.keys(ATTENTION_SHAPES)]) {
      for (const look of Object.keys(LOOKS)) {
        const svg = trayIcon(activity, attention, look);
        for (const [suffix, size] of Object.entries(SIZES)) {
          pictures.set(`${pictureName(activity, attention, look)}${suffix}.png`, pngOf(svg, size));
        }
      }
    }
  }
  pictures.set('godwit.svg', Buffer.from(appSvg()));
  pictures.set('godwit.png', pngOf(appSvg(), APP_SIZE));
  return pictures;
}

if (process.argv[1] === import.meta.filename) {
  for (const [name, bytes] of await drawAll()) await writeFile(join(ICONS, name), bytes);
}
