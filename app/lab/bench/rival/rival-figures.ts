/** What an urgent message waits beside a TCP flow in the same queue, and how the line is divided. Nothing is demanded of it. */
import { formatTable } from '../../../cli/format.ts';
import { carried, type DelayCell } from '../delay/delay-cells.ts';
import {
  byWay,
  delaysOver,
  middle,
  rateText,
  sharesText,
  thousandths,
  type Delays,
} from '../delay/delay-figures.ts';
import type { Answers } from '../delay/urgent-messages.ts';
import { queueBytes, type LineShape } from '../real/line.ts';

/** The congestion control of the kernel that rivals use. */
export const TCP = 'cubic';
/** A queue of the kernel's that has no room for a frame lets none pass. */
const LEAST_FRAMES = 2;

/** Bytes with headers. */
export interface WayCame {
  readonly all: number;
  readonly tcp: number;
}
export type Came = Readonly<Record<'up' | 'down', WayCame>>;

/** Of what the line carries. */
export interface Shares {
  readonly tcp: number;
  /** Without what urgent messages take; null: there was none. */
  readonly bulk: number | null;
}

export interface Beside extends Delays {
  /** Null: no flow went that way. */
  readonly up: Shares | null;
  readonly down: Shares | null;
}

export interface RivalFigure extends DelayCell {
  /** What the queue has room for. */
  readonly queueBytes: number;
  /** Of an urgent message, with nothing beside it: the middle. */
  readonly idleMs: number;
  readonly besideTcp: Beside;
  readonly besideBoth: Beside;
}

export interface Phase extends Answers {
  readonly ms: number;
  /** Meanwhile. */
  readonly came: Came;
}

export interface RivalMeasured {
  readonly idleMs: readonly number[];
  readonly besideTcp: Phase;
  readonly besideBoth: Phase;
}

/** Gives the shape of a line for a cell, at the first of its rates. */
export function shapeOf({ rate, queueMs, roundTripMs }: DelayCell): LineShape {
  const bytesPerSecond = rate[0]?.bytesPerSecond ?? 0;
  return { bytesPerSecond, queueMs, roundTripMs, leastFrames: LEAST_FRAMES };
}

/** Works out the delays beside TCP, and how TCP and bulk shared the line. */
export function rivalFigure(cell: DelayCell, measured: RivalMeasured): RivalFigure {
  const { besideTcp, besideBoth } = measured;
  const idleMs = middle(measured.idleMs);
  const beside = (phase: Phase, bulk: (way: 'up' | 'down') => number | null): Beside => {
    const most = carried(cell.rate, 0, phase.ms);
    const [up, down] = byWay(cell.direction, (way): Shares => {
      return { tcp: thousandths(phase.came[way].tcp / most), bulk: bulk(way) };
    });
    return { ...delaysOver(idleMs, phase), up, down };
  };
  const bulkOf = (way: 'up' | 'down'): number => {
    const messages = oursOf(cell, besideTcp, way);
    return thousandths(Math.max(0, oursOf(cell, besideBoth, way) - messages));
  };
  return {
    ...cell,
    queueBytes: queueBytes(shapeOf(cell)),
    idleMs,
    besideTcp: beside(besideTcp, () => null),
    besideBoth: beside(besideBoth, bulkOf),
  };
}

/** What is not TCP, of what the line carries. */
function oursOf({ rate }: DelayCell, { came, ms }: Phase, way: 'up' | 'down'): number {
  return (came[way].all - came[way].tcp) / carried(rate, 0, ms);
}

/** Two rows for each line. */
export function rivalLines(figures: readonly RivalFigure[]): string[] {
  const title = ['KB/s', 'queue', 'way', 'idle', 'beside', '50 in 100', '95 in 100', 'TCP', 'bulk'];
  const rows = figures.flatMap((figure) => {
    const { rate, queueMs, direction, idleMs, besideTcp, besideBoth } = figure;
    const line = [rateText(rate), `${queueMs} ms`, direction, `${idleMs} ms`];
    return [
      [...line, 'TCP', ...besideTexts(besideTcp)],
      [...line, 'bulk and TCP', ...besideTexts(besideBoth)],
    ];
  });
  return formatTable([title, ...rows], [0, 1, 3, 5, 6, 7, 8]);
}

function besideTexts({ p50Ms, p95Ms, up, down }: Beside): string[] {
  const ways = [up, down];
  return [
    `+${p50Ms} ms`,
    `+${p95Ms} ms`,
    sharesText(ways.map((shares) => shares?.tcp ?? null)),
    sharesText(ways.map((shares) => shares?.bulk ?? null)),
  ];
}
