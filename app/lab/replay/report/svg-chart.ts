/** Charts as SVG, by hand: a report opens without a network, and needs no script. Series differ by more than their colours. */
import { escaped } from './html-text.ts';

const WIDTH = 720;
const HEIGHT = 300;
const LEFT = 64;
const RIGHT = 16;
const TOP = 16;
const BOTTOM = 64;
const COLOURS = ['#1b6ca8', '#e07b39', '#3c8d5a', '#8a5a9e', '#b3433d', '#6b7280', '#c2a21d'];
const DASHES = ['', '6 3', '2 3', '8 3 2 3', '4 4', '1 3', '10 4'];
const TICKS = 5;
/** A line of more points is one without them. */
const MOST_DOTS = 12;

export interface Series {
  readonly name: string;
  readonly points: ReadonlyArray<readonly [x: number, y: number]>;
}

export interface LineChart {
  /** Above it, where a section has several. */
  readonly title?: string;
  readonly x: string;
  readonly y: string;
  readonly series: readonly Series[];
  /** Each value of x is twice the one before it. */
  readonly doubling?: boolean;
}

export interface BarChart {
  readonly y: string;
  /** What each part of a bar is, from below. */
  readonly parts: readonly string[];
  readonly bars: ReadonlyArray<{ readonly name: string; readonly values: readonly number[] }>;
}

const colour = (index: number): string => COLOURS[index % COLOURS.length] ?? '#000000';
const rounded = (value: number): string => String(Math.round(value * 10) / 10);

/**
 * Draws lines as SVG. `doubling`: the horizontal axis is logarithmic, to the base 2. Without a
 * point it gives an empty text.
 */
export function lineChart({ x, y, series, doubling = false }: LineChart): string {
  const all = series.flatMap(({ points }) => points);
  if (all.length === 0) return '';
  const across = (value: number): number => (doubling ? Math.log2(Math.max(value, 1)) : value);
  const xs = all.map(([value]) => across(value));
  const [least, most] = [Math.min(...xs), Math.max(...xs)];
  const top = niceTop(Math.max(...all.map(([, value]) => value)));
  const placeX = (value: number): number =>
    LEFT + ((across(value) - least) / (most - least || 1)) * (WIDTH - LEFT - RIGHT);
  const placeY = (value: number): number =>
    HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM);
  const lines = series.map(({ name, points }, index) => {
    const path = points.map(([a, b]) => `${rounded(placeX(a))},${rounded(placeY(b))}`).join(' ');
    const dash = DASHES[index % DASHES.length] ?? '';
    const title = `<title>${escaped(name)}</title>`;
    // A line of one point has no length, and is seen all the same.
    const dots = points.map(([a, b]) => {
      return `<circle cx="${rounded(placeX(a))}" cy="${rounded(placeY(b))}" r="3.5" fill="${colour(index)}"/>`;
    });
    const line = `<polyline points="${path}" fill="none" stroke="${colour(index)}" stroke-width="2" stroke-dasharray="${dash}">${title}</polyline>`;
    return `${line}${points.length > MOST_DOTS ? '' : dots.join('')}`;
  });
  const values = [...new Set(all.map(([value]) => value))].sort((a, b) => a - b);
  const shown = values.length > 8 ? [values[0] ?? 0, values.at(-1) ?? 0] : values;
  const marks = shown.map((value) => under(placeX(value), String(value)));
  return svg([
    ...frame(y, top),
    ...marks,
    under((LEFT + WIDTH) / 2, x, 32),
    ...lines,
    ...legend(series.map(({ name }) => name)),
  ]);
}

/** Draws stacked bars as SVG. */
export function barChart({ y, parts, bars }: BarChart): string {
  const sums = bars.map(({ values }) => values.reduce((sum, value) => sum + value, 0));
  const top = niceTop(Math.max(0, ...sums));
  const step = (WIDTH - LEFT - RIGHT) / Math.max(bars.length, 1);
  const scale = (HEIGHT - TOP - BOTTOM) / top;
  const drawn = bars.flatMap(({ name, values }, place) => {
    let below = 0;
    const left = LEFT + place * step + step * 0.15;
    const rects = values.map((value, index) => {
      const height = value * scale;
      const bottom = HEIGHT - BOTTOM - below;
      below += height;
      const title = `<title>${escaped(`${name}, ${parts[index] ?? ''}: ${rounded(value)}`)}</title>`;
      return `<rect x="${rounded(left)}" y="${rounded(bottom - height)}" width="${rounded(step * 0.7)}" height="${rounded(height)}" fill="${colour(index)}">${title}</rect>`;
    });
    return [...rects, under(left + step * 0.35, name)];
  });
  return svg([...frame(y, top), ...drawn, ...legend(parts)]);
}

function frame(y: string, top: number): string[] {
  const ticks = Array.from({ length: TICKS + 1 }, (_, index) => (top * index) / TICKS);
  const bottom = HEIGHT - BOTTOM;
  return [
    ...ticks.flatMap((value) => {
      const at = bottom - (value / top) * (bottom - TOP);
      return [
        `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${rounded(at)}" y2="${rounded(at)}" stroke="#d4d4d4"/>`,
        `<text x="${LEFT - 6}" y="${rounded(at + 4)}" text-anchor="end">${Number(value.toPrecision(3))}</text>`,
      ];
    }),
    `<text x="14" y="${(TOP + bottom) / 2}" text-anchor="middle" transform="rotate(-90 14 ${(TOP + bottom) / 2})">${escaped(y)}</text>`,
  ];
}

const under = (x: number, text: string, below = 16): string =>
  `<text x="${rounded(x)}" y="${HEIGHT - BOTTOM + below}" text-anchor="middle">${escaped(text)}</text>`;

function legend(names: readonly string[]): string[] {
  const step = (WIDTH - LEFT - RIGHT) / Math.max(names.length, 1);
  return names.flatMap((name, index) => {
    const x = LEFT + index * step;
    const y = HEIGHT - 12;
    return [
      `<rect x="${rounded(x)}" y="${y - 9}" width="10" height="10" fill="${colour(index)}"/>`,
      `<text x="${rounded(x + 14)}" y="${y}">${escaped(name)}</text>`,
    ];
  });
}

const svg = (parts: readonly string[]): string =>
  `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" font-size="11" font-family="sans-serif">${parts.join('')}</svg>`;

/** The next of 1, 2 or 5 times a power of ten. */
export function niceTop(value: number): number {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5, 10].find((each) => each * power >= value) ?? 10) * power;
}
