/** What happens to the line of a laptop that roams. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Line, LineShape } from '../real/line.ts';

export type Break =
  | { readonly kind: 'move' }
  | { readonly kind: 'outage'; readonly ms: number }
  /** The rate falls to so much, and is back after so long. */
  | { readonly kind: 'fall'; readonly bytesPerSecond: number; readonly ms: number };

/** Does it; resolves with the time from which the line is as it was. */
export async function breakLine(
  line: Line,
  shape: LineShape,
  how: Break,
  signal: AbortSignal,
): Promise<number> {
  switch (how.kind) {
    case 'move':
      line.move();
      return performance.now();
    case 'outage':
      line.cut();
      await wait(how.ms, undefined, { signal });
      line.restore();
      return performance.now();
    case 'fall':
      line.shape({ ...shape, bytesPerSecond: how.bytesPerSecond });
      await wait(how.ms, undefined, { signal });
      line.shape(shape);
      return performance.now();
  }
}

/** Names a break of the line for the title of its experiment. */
export function breakName(how: Break): string {
  switch (how.kind) {
    case 'move':
      return 'another address';
    case 'outage':
      return `no line for ${how.ms / 1000} s`;
    case 'fall':
      return `${Math.round(how.bytesPerSecond / 1024)} KiB/s for ${how.ms / 1000} s`;
  }
}

/** How long it lasts, seconds. */
export const breakSeconds = (how: Break): number => (how.kind === 'move' ? 0 : how.ms / 1000);
