/**
 * Draws the icons of the tray: SVG from the shapes of app/tray/view/state-shapes.ts, then PNG, for light and dark panels. Run it when a
 * shape has changed (`node build/icons.mjs`); what it draws is kept in app/tray/icons.
 *
 * States differ by their shape; the colours are those of panels, dark lines for light ones and the other way around.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { initWasm, Resvg } from '@resvg/resvg-wasm';
import { STATE_SHAPES } from '../app/tray/view/state-shapes.ts';
import { ROOT } from './node-path.mjs';

export const ICONS = join(ROOT, 'app', 'tray', 'icons');
/** Of a panel; twice as much for dense screens. */
const SIZES = { '': 22, '@2x': 44 };
const COLOURS = { light: '#1c2321', dark: '#f4f5f3' };
const APP_SIZE = 256;

const lines = 'fill="none" stroke-linecap="round" stroke-linejoin="round"';

/** A ring around the sign, the same for all states: the sign alone distinguishes them. */
export function stateSvg(state, theme) {
  const colour = COLOURS[theme];
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" ${lines}>` +
    `<rect x="1" y="1" width="22" height="22" rx="6" stroke="${colour}" stroke-width="1.600"/>` +
    `<path d="${STATE_SHAPES[state]}" stroke="${colour}" stroke-width="2.400"/></svg>\n`
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
  for (const state of Object.keys(STATE_SHAPES)) {
    for (const theme of Object.keys(COLOURS)) {
      const svg = stateSvg(state, theme);
      for (const [suffix, size] of Object.entries(SIZES)) {
        pictures.set(`${state}-${theme}${suffix}.png`, pngOf(svg, size));
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
