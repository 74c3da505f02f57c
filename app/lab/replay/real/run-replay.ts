/** Runs one replay in a world of its own, real or simulated, and leaves nothing of it. */
import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { baselineText } from '../engine/baseline.ts';
import { replay, type ReplayProgress, type ReplaySettings } from '../engine/replay.ts';
import type { MachineCosts } from '../engine/replay-world.ts';
import type { ReplayResult } from '../engine/replay-result.ts';
import type { ReplayPlan } from '../plan/replay-plan.ts';
import { SimulatedWorld } from '../simulated/simulated-world.ts';
import { durationText, sizeText } from '../../../../shared/util/amounts.ts';
import { RealWorld } from './real-world.ts';

export interface RunReplay {
  readonly plan: ReplayPlan;
  readonly settings: ReplaySettings;
  /** Null: with real processes; else the seed of the simulated world. */
  readonly simulated: number | null;
  /** Of a simulated one: what a machine was measured to take; null: the usual one. */
  readonly machine?: MachineCosts | null;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ReplayProgress) => void;
}

/** Rejects `timed-out` where it was interrupted, `disk-full` before it begins where there is no room. */
export async function runReplay(run: RunReplay): Promise<ReplayResult> {
  const { plan, settings, simulated, signal, onProgress, machine = null } = run;
  const { scheduling, baseline = {} } = settings;
  const lacks = baselineText(baseline);
  if (simulated === null && lacks !== null) {
    throw new GodwitError('usage', `${lacks}: that is only simulated; add --simulate`);
  }
  if (simulated === null) refuseWithoutRoom(plan, settings.laptops);
  const world =
    simulated === null
      ? await RealWorld.open({ scheduling, signal })
      : new SimulatedWorld({ scheduling, baseline, seed: simulated, signal, machine });
  try {
    return await replay(world, { plan, settings, signal, onProgress });
  } catch (error) {
    throw signal.aborted ? new GodwitError('timed-out', 'replay: interrupted') : error;
  } finally {
    await world.close();
  }
}

/** In the seed's laptop, on the server, on its way there, and in the cache of each laptop. */
const COPIES_OF_TREE = 3;
const FILE_BYTES = 8192;
const BASE_BYTES = 64 * 1024 * 1024;

/** Estimates the bytes of disk that a real replay takes. */
export function spaceNeeded(plan: ReplayPlan, laptops: number): number {
  const written = plan.processes
    .flatMap(({ steps }) => steps)
    .reduce((sum, { op, length }) => sum + (op === 'write' ? length : 0), 0);
  const tree = plan.tree.reduce((sum, { size }) => sum + size + FILE_BYTES, 0);
  return BASE_BYTES + (COPIES_OF_TREE + laptops) * (tree + written);
}

function refuseWithoutRoom(plan: ReplayPlan, laptops: number): void {
  const folder = tmpdir();
  const { bavail, bsize } = statfsSync(folder);
  const [free, needed] = [bavail * bsize, spaceNeeded(plan, laptops)];
  if (needed <= free) return;
  const sizes = `${sizeText(needed)} are needed and ${sizeText(free)} are free`;
  throw new GodwitError('disk-full', `${folder}: ${sizes} (TMPDIR names another place)`);
}

const STAGES: Readonly<Record<ReplayProgress['stage'], string>> = {
  tree: 'what was there before is put on the server',
  warm: 'caches are filled',
  replay: 'replaying',
  drain: 'all programs have ended; what they wrote drains',
};

/** One line for people; `since`: when the stage began, `now`: both of the wall, milliseconds. */
export function progressLine({ stage, done, of, atMs }: ReplayProgress, tookMs: number): string {
  const what = STAGES[stage];
  if (stage === 'drain') return `${what} (${durationText(atMs)} so far)`;
  const at = stage === 'replay' ? `, ${durationText(atMs)} into it` : '';
  const left = done > 0 && done < of ? (tookMs / done) * (of - done) : 0;
  const estimate = left > 1000 ? `; some ${durationText(left)} left` : '';
  return `${what}: ${done} of ${of}${at}${estimate}`;
}

const SHOWN_EVERY_MS = 250;

/** Makes lines of progress, four a second at most. */
export function progressTeller(show: (line: string) => void): (progress: ReplayProgress) => void {
  let stage = '';
  let began = 0;
  let shown = 0;
  return (progress) => {
    const now = performance.now();
    const isNew = progress.stage !== stage;
    if (isNew) [stage, began] = [progress.stage, now];
    if (!isNew && now - shown < SHOWN_EVERY_MS) return;
    shown = now;
    show(progressLine(progress, now - began));
  };
}
