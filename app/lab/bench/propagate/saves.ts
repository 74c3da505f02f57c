/**
 * A small file that two laptops have is saved on the one: when does the other see it, on idle lines and beside a large upload of the one? All the
 * while the other reads it again and again.
 */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { figure, isolatedFigure, type Figure } from '../figures.ts';
import { makeLargeFile } from '../make-files.ts';
import { limitSeconds } from '../real/line.ts';
import { middleOf } from '../real/middle-of.ts';
import { secondsOf } from '../real/seconds-of.ts';
import type { Actor, Stage } from '../real/stage.ts';
import type { Through } from '../real/through.ts';
import { addFile, saveSynced, sharedFile, type Shared } from './reached.ts';
import { Versions, Watcher } from './watched.ts';

export interface SaveSettings {
  readonly through: Through;
  /** Of the small file, and of the upload beside which it is saved. */
  readonly size: number;
  readonly upload: number;
  readonly times: number;
}

/** Over what two shaped lines need, store and forward: experiments at 256 KiB/s want 0.60 and 0.65 s where that is 0.53. */
const MOST_OVER_IDLE = 0.075;
const MOST_OVER_BESIDE = 0.125;
const MOST_OVER_LOCAL = 2;
const NAME = 'watched';
/** Between two saves. */
const PAUSE_MS = 300;

/** Measures how soon a save is seen at another laptop, on idle lines and beside an upload. */
export async function saves(stage: Stage, settings: SaveSettings): Promise<Figure[]> {
  const { through, size, upload, times } = settings;
  const { signal, onStep, shape } = stage;
  const [a, b] = [await front(stage, 'A', through), await front(stage, 'B', through)];
  const versions = new Versions(size);
  const first = join(stage.folder('sources'), 'first');
  await saveSynced(first, versions.next());
  await addFile(through, a, first, NAME);
  await flushBoth(a, b);
  const [saved, read] = [await sharedFile(through, a, NAME), await sharedFile(through, b, NAME)];
  const local = await localSave(stage, size);

  const watcher = new Watcher(versions);
  const over = new AbortController();
  const watching = watcher.watch(read.read, AbortSignal.any([signal, over.signal]));
  try {
    onStep('saves on idle lines');
    const idle = await saveAndSee(saved, versions, watcher, times, () => Promise.resolve(true));
    await flushBoth(a, b);
    onStep('saves beside an upload');
    const large = join(stage.folder('sources'), 'large');
    await makeLargeFile(large, upload, signal);
    await addFile(through, a, large, 'large');
    await a.laptop.until(({ queues }) => queues.data.sentBytes > 0, 60_000);
    const beside = await saveAndSee(saved, versions, watcher, times, async () => {
      return (await a.control.status()).queues.data.updates > 0;
    });
    return [
      ...figures(settings, 2 * limitSeconds(size, shape), { idle, beside, local }),
      isolatedFigure('saves', 'saves while the upload was queued', beside.times, 'saves'),
      figure('bad', `bad reads of ${watcher.reads} at B`, watcher.badReads, 'reads', 0, 'most'),
    ];
  } finally {
    over.abort();
    await Promise.race([watching, wait(1000)]);
  }
}

/** Starts a laptop behind a line of its own, with the front end that `through` needs. */
export const front = (stage: Stage, name: string, through: Through): Promise<Actor> =>
  stage.far(name, through === 'folder' ? 'folder' : 'none');

/** Flushes one laptop and then the other. */
export async function flushBoth(a: Actor, b: Actor): Promise<void> {
  await a.flush();
  await b.flush();
}

interface Seen {
  readonly times: number;
  /** From before the save until the other has read it, seconds; the middle and the longest. */
  readonly seen: number;
  readonly longest: number;
  /** Until the save was answered. */
  readonly answered: number;
}

/** As long as `goesOn`, which is asked before each but the first. */
async function saveAndSee(
  file: Shared,
  versions: Versions,
  watcher: Watcher,
  times: number,
  goesOn: () => Promise<boolean>,
): Promise<Seen> {
  const [seen, answered]: [number[], number[]] = [[], []];
  for (let time = 0; time < times && (time === 0 || (await goesOn())); time++) {
    const contents = versions.next();
    const began = performance.now();
    await file.save(contents);
    answered.push((performance.now() - began) / 1000);
    seen.push(((await watcher.seen(versions.last)) - began) / 1000);
    await wait(PAUSE_MS);
  }
  return {
    times: seen.length,
    seen: middleOf(seen),
    longest: Math.max(...seen),
    answered: middleOf(answered),
  };
}

/** What a save takes on the local disk, synced; seconds. */
async function localSave(stage: Stage, size: number): Promise<number> {
  const path = join(stage.folder('plain'), 'file');
  const took: number[] = [];
  for (let time = 0; time < 5; time++) {
    const contents = new Versions(size).next();
    took.push(await secondsOf(() => saveSynced(path, contents)));
  }
  return middleOf(took);
}

function figures(
  { size }: SaveSettings,
  limit: number,
  { idle, beside, local }: { idle: Seen; beside: Seen; local: number },
): Figure[] {
  const what = `B sees A's save of ${size} bytes`;
  const [mostIdle, mostBeside] = [limit + MOST_OVER_IDLE, limit + MOST_OVER_BESIDE];
  return [
    figure('idle', `${what}, lines idle`, idle.seen, 's', mostIdle, 'most'),
    isolatedFigure('idleLongest', 'the longest of them', idle.longest, 's'),
    figure('beside', `${what}, beside an upload`, beside.seen, 's', mostBeside, 'most'),
    isolatedFigure('besideLongest', 'the longest of them', beside.longest, 's'),
    figure(
      'save',
      'A has saved, beside the upload',
      beside.answered * 1000,
      'ms',
      MOST_OVER_LOCAL * local * 1000,
      'most',
    ),
    isolatedFigure('local', 'the same save to the local disk, synced', local * 1000, 'ms'),
    isolatedFigure('limit', 'limit: two lines, store and forward', limit, 's'),
  ];
}
