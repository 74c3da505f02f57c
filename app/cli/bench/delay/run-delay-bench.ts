/** Measures one line after the other: round trips of urgent messages without bulk, then beside it, and how full the line is meanwhile. */
import { setTimeout as wait } from 'node:timers/promises';
import type { MsquicLinkOptions } from '../../../../shared/transport/msquic-link.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { carried, type DelayCell } from './delay-cells.ts';
import { cellFigure, NO_ANSWER_MS, type CellFigure, type Measured } from './delay-figures.ts';
import { DelayLine } from './delay-line.ts';

export interface DelayBenchSettings {
  readonly cells: readonly DelayCell[];
  readonly scheduling: NonNullable<MsquicLinkOptions['scheduling']>;
  /** From when bulk begins until measuring does: what the window needs to find the rate. */
  readonly warmUpMs: number;
  readonly ms: number;
}

const IDLE_MESSAGES = 11;
/** Between two urgent messages, more or less by chance so that they fall on no beat. */
const BETWEEN_MS = 100;
const BETWEEN_MORE_MS = 60;

export async function runDelayBench(
  settings: DelayBenchSettings,
  signal: AbortSignal,
  onStep: (title: string) => void,
): Promise<CellFigure[]> {
  const figures: CellFigure[] = [];
  for (const [index, cell] of settings.cells.entries()) {
    onStep(`line ${index + 1} of ${settings.cells.length}`);
    const line = new DelayLine(settings.scheduling);
    try {
      await line.open(cell, signal);
      figures.push(cellFigure(cell, await measure(line, cell, settings, signal)));
    } catch (error) {
      throw signal.aborted ? new GodwitError('timed-out', 'bench: interrupted') : error;
    } finally {
      await line.close();
    }
  }
  return figures;
}

async function measure(
  line: DelayLine,
  cell: DelayCell,
  { warmUpMs, ms }: DelayBenchSettings,
  signal: AbortSignal,
): Promise<Measured> {
  line.shape(cell);
  const idle = await roundTrips(line, { count: IDLE_MESSAGES, ms: Infinity }, signal);
  line.shape(cell);
  const began = performance.now();
  line.beginBulk(cell);
  await wait(warmUpMs, undefined, { signal });
  const [before, fromMs] = [line.arrived(), performance.now() - began];
  const urgent = await roundTrips(line, { count: Infinity, ms }, signal, () => {
    const [after, untilMs] = [line.arrived(), performance.now() - began];
    const most = carried(cell.rate, fromMs, untilMs);
    return { up: (after.up - before.up) / most, down: (after.down - before.down) / most };
  });
  const { answered: urgentMs, unanswered, atEnd } = urgent;
  return {
    idleMs: idle.answered,
    urgentMs,
    unanswered,
    up: atEnd?.up ?? 0,
    down: atEnd?.down ?? 0,
  };
}

interface RoundTrips<T> {
  readonly answered: readonly number[];
  readonly unanswered: number;
  readonly atEnd: T | null;
}

/** Sends urgent messages, whether those before are answered or not, and waits for the last. `look`: when the last has been sent. */
async function roundTrips<T>(
  line: DelayLine,
  most: { count: number; ms: number },
  signal: AbortSignal,
  look?: () => T,
): Promise<RoundTrips<T>> {
  const answered: number[] = [];
  const pending: Array<Promise<unknown>> = [];
  const began = performance.now();
  while (pending.length < most.count && performance.now() - began < most.ms) {
    pending.push(line.roundTrip().then((ms) => answered.push(ms)));
    await wait(BETWEEN_MS + Math.random() * BETWEEN_MORE_MS, undefined, { signal });
  }
  const atEnd = look?.() ?? null;
  const limit = new AbortController();
  const late = wait(NO_ANSWER_MS, undefined, { signal: AbortSignal.any([signal, limit.signal]) });
  await Promise.race([Promise.all(pending), late]).finally(() => limit.abort());
  late.catch(() => undefined);
  return { answered: [...answered], unanswered: pending.length - answered.length, atEnd };
}
