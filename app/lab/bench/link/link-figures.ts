/** What the link shaper was asked for and what was seen, each beside what it has to hold. */
import { formatTable } from '../../../cli/format.ts';

export const MAX_RATE_ERROR = 0.01;
export const MAX_DELAY_ERROR_MS = 1;

export interface RateFigure {
  /** The built-in relay, or the kernel's token bucket. */
  readonly shaper: 'relay' | 'tbf';
  /** With headers. */
  readonly askedBytesPerSecond: number;
  readonly seenBytesPerSecond: number;
  /** (seen - asked) / asked. */
  readonly error: number;
  /** What a packet took to the other end while the queue was full, and what it takes by the rules, in no time of a machine. */
  readonly tookMs: number;
  readonly expectedMs: number;
  /** Of the kernel's, nothing is demanded: it is what the relay is held against. */
  readonly met: boolean | null;
}

export interface DelayFigure {
  readonly askedMs: number;
  /** Over what the same packets take without the relay; the middle, and what one in a hundred exceeds. */
  readonly seenMs: number;
  readonly slowestMs: number;
  readonly errorMs: number;
  readonly met: boolean;
}

/**
 * Compares the bytes a second that a shaper let through with those asked. `met` is null for `tc
 * tbf`, which is only compared with.
 */
export function rateFigure(
  shaper: RateFigure['shaper'],
  asked: number,
  seen: number,
  tookMs: number,
  expectedMs: number,
): RateFigure {
  const error = Math.round((seen / asked - 1) * 1e6) / 1e6;
  const met = shaper === 'relay' ? Math.abs(error) <= MAX_RATE_ERROR : null;
  return {
    shaper,
    askedBytesPerSecond: asked,
    seenBytesPerSecond: Math.round(seen),
    error,
    tookMs: hundredths(tookMs),
    expectedMs: hundredths(expectedMs),
    met,
  };
}

/**
 * Compares the delay that the relay added with that asked. All arguments are milliseconds;
 * `without` is the delay of a line that adds none.
 */
export function delayFigure(
  asked: number,
  seen: number,
  slowest: number,
  without: number,
): DelayFigure {
  const errorMs = hundredths(seen - without - asked);
  return {
    askedMs: asked,
    seenMs: hundredths(seen - without),
    slowestMs: hundredths(slowest - without),
    errorMs,
    met: Math.abs(errorMs) <= MAX_DELAY_ERROR_MS,
  };
}

const hundredths = (value: number): number => Math.round(value * 100) / 100;

/** Writes the figures of rates as a table for people. */
export function rateLines(figures: readonly RateFigure[]): string[] {
  const title = ['shaper', 'B/s asked', 'B/s seen', 'error', 'by the rules', 'took', 'at most 1 %'];
  const rows = figures.map((figure) => [
    figure.shaper,
    String(figure.askedBytesPerSecond),
    String(figure.seenBytesPerSecond),
    `${(figure.error * 100).toFixed(2)} %`,
    `${figure.expectedMs} ms`,
    `${figure.tookMs} ms`,
    verdict(figure.met),
  ]);
  return formatTable([title, ...rows], [1, 2, 3, 4, 5]);
}

/** Writes the figures of delays as a table for people. */
export function delayLines(figures: readonly DelayFigure[]): string[] {
  const title = ['delay asked', 'seen', 'error', '99 in 100', 'at most 1 ms'];
  const rows = figures.map((figure) => [
    `${figure.askedMs} ms`,
    `${figure.seenMs} ms`,
    `${figure.errorMs} ms`,
    `${figure.slowestMs} ms`,
    verdict(figure.met),
  ]);
  return formatTable([title, ...rows], [0, 1, 2, 3]);
}

const verdict = (met: boolean | null): string => (met === null ? '-' : met ? 'met' : 'missed');
