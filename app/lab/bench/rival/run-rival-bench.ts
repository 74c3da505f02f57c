/** Measures one line after the other: round trips of urgent messages alone, then beside a TCP flow, then beside bulk as well. */
import { setTimeout as wait } from 'node:timers/promises';
import type { DelayCell } from '../delay/delay-cells.ts';
import { eachLine } from '../delay/each-line.ts';
import type { DelayBenchSettings } from '../delay/run-delay-bench.ts';
import { IDLE_MESSAGES } from '../delay/urgent-messages.ts';
import { rivalFigure, type Came, type Phase, type RivalFigure } from './rival-figures.ts';
import { RivalLine } from './rival-line.ts';

/**
 * Measures how long urgent messages wait beside a TCP flow, without and with bulk. Throws
 * GodwitError `timed-out` if it is interrupted.
 */
export function runRivalBench(
  settings: DelayBenchSettings,
  signal: AbortSignal,
  onStep: (title: string) => void,
): Promise<RivalFigure[]> {
  const measureOne = async (cell: DelayCell): Promise<RivalFigure> => {
    const line = new RivalLine(settings.scheduling, signal);
    try {
      await line.open(cell);
      return await measure(line, cell, settings, signal);
    } finally {
      await line.close();
    }
  };
  return eachLine(settings.cells, measureOne, signal, onStep);
}

async function measure(
  line: RivalLine,
  cell: DelayCell,
  { warmUpMs, ms }: DelayBenchSettings,
  signal: AbortSignal,
): Promise<RivalFigure> {
  await line.send({ count: IDLE_MESSAGES });
  const { answeredMs: idleMs } = await line.answers();
  await line.beginFlows(cell.direction);
  await wait(warmUpMs, undefined, { signal });
  const besideTcp = await phase(line, ms);
  await line.beginBulk(cell.direction);
  await wait(warmUpMs, undefined, { signal });
  const besideBoth = await phase(line, ms);
  return rivalFigure(cell, { idleMs, besideTcp, besideBoth });
}

async function phase(line: RivalLine, ms: number): Promise<Phase> {
  const [before, began] = [await line.came(), performance.now()];
  await line.send({ ms });
  const [after, ended] = [await line.came(), performance.now()];
  return { ...(await line.answers()), ms: ended - began, came: between(before, after) };
}

function between(before: Came, after: Came): Came {
  const of = (way: 'up' | 'down') => ({
    all: after[way].all - before[way].all,
    tcp: after[way].tcp - before[way].tcp,
  });
  return { up: of('up'), down: of('down') };
}
