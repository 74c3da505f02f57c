/**
 * `godwit demo --day`: a working day of three people with two laptops each, which share, edit, lock, withdraw and restore; real processes, each
 * laptop in a network namespace of its own behind a shaped line. Whatever happens, nothing of it is left.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { aborted } from '../../../cli/interruption.ts';
import type { LineShape } from '../../bench/real/line.ts';
import { Stage } from '../../bench/real/stage.ts';
import { TbfNet } from '../../bench/real/tbf-net.ts';
import type { DemoStep, StepResult } from '../demo-step.ts';
import { runSteps } from '../run-demo.ts';
import { atRest, bringElsewhere, cloneVolume } from './copy-steps.ts';
import type { Day, Person } from './day.ts';
import * as share from './share-steps.ts';
import { moveFolder, shareAgain, withdraw } from './withdraw-steps.ts';
import { backFromYesterday, editBothWays, lockFile, writeOneFile } from './work-steps.ts';

export interface DayOptions {
  readonly flushSeconds: number;
  readonly keep: boolean;
  readonly signal: AbortSignal;
  readonly onReady: (root: string) => void;
  readonly onStep: (title: string) => void;
  readonly onResult: (result: StepResult) => void;
}

/** As at a home: 16 Mbit/s, with a queue of a tenth of a second. The kernel adds no delay. */
export const LINE: LineShape = {
  bytesPerSecond: 2 * 1024 * 1024,
  queueMs: 100,
  roundTripMs: 0,
};
/** It takes some minutes; then something is stuck. */
const LIMIT_MS = 30 * 60_000;

const STEPS: ReadonlyArray<DemoStep<Day>> = [
  { title: 'six laptops of three people', run: share.eachForThemselves },
  { title: 'ann shares a new folder', run: share.shareNew },
  { title: 'bob accepts it, both write', run: share.acceptNew },
  { title: 'ann shares a folder with files', run: share.shareFull },
  { title: 'bob and cat accept it', run: share.acceptFull },
  { title: 'cat, who may read, writes', run: share.readerWrites },
  { title: 'edits both ways', run: editBothWays },
  { title: 'two people write one file', run: writeOneFile },
  { title: 'ann locks a file', run: lockFile },
  { title: 'back from yesterday', run: backFromYesterday },
  { title: 'withdrawn from bob, offline', run: withdraw },
  { title: 'shared with bob again', run: shareAgain },
  { title: 'ann moves the folder', run: moveFolder },
  { title: 'a clone of yesterday for cat', run: cloneVolume },
  { title: 'to another server', run: bringElsewhere },
  { title: 'all at rest', run: atRest },
];

/** Runs the steps of `godwit demo --day` and gives their results. Throws GodwitError `timed-out` if it is interrupted. */
export async function runDay(options: DayOptions): Promise<StepResult[]> {
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal, AbortSignal.timeout(LIMIT_MS)]);
  const root = mkdtempSync(join(tmpdir(), 'godwit-demo-'));
  const net = TbfNet.open({ flag: '--day' });
  const stages = ['one', 'other'].map((name) => {
    const configuration = { scheduling: 'priorities' } as const;
    const { onStep } = options;
    return new Stage({ root: join(root, name), net, shape: LINE, configuration, signal, onStep });
  });
  const work = dayOf(stages, options, signal, root);
  work.catch(() => undefined);
  try {
    return await Promise.race([work, interrupted(signal)]);
  } finally {
    over.abort();
    await Promise.all(stages.map((stage) => stage.close()));
    net.close();
    if (!options.keep) rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function interrupted(signal: AbortSignal): Promise<never> {
  await aborted(signal);
  throw new GodwitError('timed-out', 'demo: interrupted');
}

async function dayOf(
  [stage, other]: Stage[],
  options: DayOptions,
  signal: AbortSignal,
  root: string,
): Promise<StepResult[]> {
  if (stage === undefined || other === undefined) throw new RangeError('two servers');
  options.onReady(root);
  options.onStep('two servers and six laptops start');
  await Promise.all([stage.open(), other.open()]);
  const person = async (name: string): Promise<Person> => {
    const laptop = (number: number) =>
      stage.far(`${name}-${number}`, 'folder', stage.shape, [name]);
    return { name, first: await laptop(1), second: await laptop(2) };
  };
  const [ann, bob, cat] = [await person('ann'), await person('bob'), await person('cat')];
  const known = { trip: '', yesterday: new Map() };
  const flushMs = options.flushSeconds * 1000;
  return runSteps({ ann, bob, cat, stage, other, flushMs, signal, known }, STEPS, options);
}
