/** The measurements of `godwit bench mount`: each round does the same beside the mount and in it, so that what else the machine does is in both. */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { withPair, type Pair } from '../bench-pair.ts';
import { figure, type Figure } from '../figures.ts';
import { middleOf } from '../real/middle-of.ts';
import { MOUNT_ROWS, type MountRow, type MountSettings } from './mount-rows.ts';

/** A row with its times, in milliseconds, for who wants more than a ratio. */
export interface MountFigure extends Figure {
  readonly plainMs: readonly number[];
  readonly mountMs: readonly number[];
}

export interface MountRun {
  readonly settings: MountSettings;
  readonly signal: AbortSignal;
  readonly onStep: (title: string) => void;
}

/** Runs all rows. Throws GodwitError `timed-out` if it is interrupted, and `folder-unusable` where nothing can be mounted. */
export async function runMountBench(run: MountRun): Promise<MountFigure[]> {
  const { signal, onStep } = run;
  onStep('starting a server and a daemon');
  try {
    return await withPair(signal, (pair) => rows(run, pair), { frontEnd: 'mount' });
  } catch (error) {
    throw signal.aborted ? new GodwitError('timed-out', 'bench: interrupted') : error;
  }
}

async function rows(run: MountRun, { laptop, signal, flush }: Pair): Promise<MountFigure[]> {
  const figures: MountFigure[] = [];
  // Beside the data folder of the laptop, and so on the file system of its cache.
  const plain = join(dirname(laptop.folder), 'plain');
  const mount = join(laptop.folder, 'bench');
  for (const folder of [plain, mount]) mkdirSync(folder);
  for (const row of MOUNT_ROWS) {
    run.onStep(row.what);
    signal.throwIfAborted();
    for (const folder of [plain, mount]) row.prepare?.(folder, run.settings);
    await flush();
    figures.push(measured(row, run.settings, { plain, mount }));
    // What it has left to be sent would be done beside the next one.
    await flush();
  }
  return figures;
}

/** The middle of all rounds, after one that does not count. */
function measured(
  row: MountRow,
  settings: MountSettings,
  { plain, mount }: { plain: string; mount: string },
): MountFigure {
  const plainMs: number[] = [];
  const mountMs: number[] = [];
  for (let round = 0; round <= settings.rounds; round++) {
    const beside = millisecondsOf(() => row.run(plain, settings, round));
    const within = millisecondsOf(() => row.run(mount, settings, round));
    if (round === 0) continue;
    plainMs.push(beside);
    mountMs.push(within);
  }
  const times = middleOf(mountMs) / middleOf(plainMs);
  const ratio = row.ratio === 'time' ? times : 1 / times;
  const unit = row.ratio === 'time' ? 'x the time' : 'x the speed';
  const { name, what, target, wanted } = row;
  return { ...figure(name, what, ratio, unit, target, wanted), plainMs, mountMs };
}

function millisecondsOf(work: () => void): number {
  const began = performance.now();
  work();
  return Math.round((performance.now() - began) * 1000) / 1000;
}
