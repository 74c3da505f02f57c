/** Measures one line after the other: round trips of urgent messages without bulk, then beside it, and how full the line is meanwhile. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Scheduling } from '../../../../shared/model/scheduling.ts';
import { carried, type DelayCell } from './delay-cells.ts';
import { cellFigure, type CellFigure, type Measured } from './delay-figures.ts';
import { DelayLine } from './delay-line.ts';
import { eachLine } from './each-line.ts';
import { IDLE_MESSAGES, UrgentMessages } from './urgent-messages.ts';

export interface DelayBenchSettings {
  readonly cells: readonly DelayCell[];
  readonly scheduling: Scheduling;
  /** From when bulk begins until measuring does: what the window needs to find the rate. */
  readonly warmUpMs: number;
  readonly ms: number;
}

/**
 * Measures how long urgent messages wait beside bulk, on each line of the settings. Throws
 * GodwitError `timed-out` if it is interrupted.
 */
export function runDelayBench(
  settings: DelayBenchSettings,
  signal: AbortSignal,
  onStep: (title: string) => void,
): Promise<CellFigure[]> {
  const measureOne = async (cell: DelayCell): Promise<CellFigure> => {
    const line = new DelayLine(settings.scheduling);
    try {
      await line.open(cell, signal);
      return cellFigure(cell, await measure(line, cell, settings, signal));
    } finally {
      await line.close();
    }
  };
  return eachLine(settings.cells, measureOne, signal, onStep);
}

async function measure(
  line: DelayLine,
  cell: DelayCell,
  { warmUpMs, ms }: DelayBenchSettings,
  signal: AbortSignal,
): Promise<Measured> {
  line.shape(cell);
  const messages = (): UrgentMessages => new UrgentMessages(() => line.roundTrip(), signal);
  const [idle, beside] = [messages(), messages()];
  await idle.send({ count: IDLE_MESSAGES });
  const { answeredMs: idleMs } = await idle.answers();
  line.shape(cell);
  const began = performance.now();
  line.beginBulk(cell);
  await wait(warmUpMs, undefined, { signal });
  const [before, fromMs] = [line.arrived(), performance.now() - began];
  await beside.send({ ms });
  const [after, untilMs] = [line.arrived(), performance.now() - began];
  const most = carried(cell.rate, fromMs, untilMs);
  const answers = await beside.answers();
  const [up, down] = [(after.up - before.up) / most, (after.down - before.down) / most];
  return { idleMs, ...answers, up, down };
}
