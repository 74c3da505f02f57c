/**
 * A small file is saved at one laptop while it sends many large ones, and another laptop follows all of it: when has the other the save in its folder?
 * Beside it, how much of the line the large ones had meanwhile.
 */
import { randomInt } from 'node:crypto';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { figure, isolatedFigure, type Figure } from '../figures.ts';
import { makeLargeFile } from '../make-files.ts';
import { limitSeconds } from '../real/line.ts';
import type { Actor, Stage } from '../real/stage.ts';
import { addFile, saveSynced, sharedFile, type Shared } from './reached.ts';
import { flushBoth, front } from './saves.ts';
import { Versions, Watcher } from './watched.ts';

export interface BesideBulkSettings {
  /** Of the small file. */
  readonly size: number;
  /** Of all large ones, and how many they are. */
  readonly upload: number;
  readonly files: number;
  /** Saves at most; fewer where the large ones are through before. */
  readonly times: number;
}

/** Over what two shaped lines need, store and forward: 0.75 s at 256 KiB/s where that is 0.53, and 0.25 s at 1 MiB/s where that is 0.13. */
const MOST_OVER_LIMIT = [
  { bytesPerSecond: 1024 * 1024, seconds: 0.12 },
  { bytesPerSecond: 0, seconds: 0.22 },
] as const;
const LEAST_SHARE = 97;
const NAME = 'watched';
const SENDING_WITHIN_MS = 60_000;
/** Between two saves, drawn: they shall meet every moment of a large file. */
const PAUSE_MS = { least: 150, most: 450 } as const;

/**
 * Measures how soon a save reaches another laptop's folder, on idle lines and beside large files.
 */
export async function besideBulk(stage: Stage, settings: BesideBulkSettings): Promise<Figure[]> {
  const { size, times } = settings;
  const { signal, onStep } = stage;
  const [a, b] = [await front(stage, 'A', 'folder'), await front(stage, 'B', 'folder')];
  const versions = new Versions(size);
  const first = join(stage.folder('sources'), 'first');
  await saveSynced(first, versions.next());
  await addFile('folder', a, first, NAME);
  await flushBoth(a, b);
  const [mine, theirs] = [await sharedFile('folder', a, NAME), await sharedFile('folder', b, NAME)];
  const watcher = new Watcher(versions);
  const over = new AbortController();
  const watching = watcher.watch(theirs.read, AbortSignal.any([signal, over.signal]));
  const save = (): Promise<number> => saveAndSee(mine, versions, watcher);
  try {
    onStep('saves on idle lines');
    const idle: number[] = [];
    for (let time = 0; time < times; time++) idle.push(await save());
    await flushBoth(a, b);
    onStep('saves beside large files');
    const { beside, seconds, followed } = await saveBeside(stage, settings, a, b, save);
    const bytes = settings.upload + beside.length * size;
    return [
      ...saveFigures(stage, size, idle, beside),
      ...bulkFigures(stage, settings, bytes, seconds, followed),
      figure('bad', `bad reads of ${watcher.reads} at B`, watcher.badReads, 'reads', 0, 'most'),
    ];
  } finally {
    over.abort();
    await Promise.race([watching, wait(1000)]);
  }
}

/** From before the save until the other has it, seconds. */
async function saveAndSee(file: Shared, versions: Versions, watcher: Watcher): Promise<number> {
  const contents = versions.next();
  const began = performance.now();
  await file.save(contents);
  const seen = (await watcher.seen(versions.last)) - began;
  await wait(randomInt(PAUSE_MS.least, PAUSE_MS.most));
  return seen / 1000;
}

interface Beside {
  readonly beside: number[];
  /** From the first byte of the large files until the server has all of it, and until B has. */
  readonly seconds: number;
  readonly followed: number;
}

async function saveBeside(
  stage: Stage,
  { upload, files, times }: BesideBulkSettings,
  a: Actor,
  b: Actor,
  save: () => Promise<number>,
): Promise<Beside> {
  const source = stage.folder('large');
  const names = Array.from({ length: files }, (_, index) => `large ${index}`);
  for (const name of names) {
    await makeLargeFile(join(source, name), Math.round(upload / files), stage.signal);
  }
  for (const name of names) await copyFile(join(source, name), join(a.laptop.folder, name));
  await a.laptop.until(({ queues }) => queues.data.sentBytes > 0, SENDING_WITHIN_MS);
  const began = performance.now();
  const since = (): number => (performance.now() - began) / 1000;
  const sent = a.flush().then(since);
  const beside: number[] = [];
  for (let time = 0; time < times; time++) {
    if (time > 0 && (await a.control.status()).queues.data.updates === 0) break;
    beside.push(await save());
  }
  const seconds = await sent;
  await b.flush();
  return { beside, seconds, followed: since() };
}

function saveFigures(
  { shape }: Stage,
  size: number,
  idle: readonly number[],
  beside: readonly number[],
): Figure[] {
  const what = `B has A's save of ${size} bytes`;
  const limit = 2 * limitSeconds(size, shape);
  const over = MOST_OVER_LIMIT.find(({ bytesPerSecond }) => shape.bytesPerSecond >= bytesPerSecond);
  const most = limit + (over?.seconds ?? 0);
  return [
    isolatedFigure('idle', `${what}, lines idle, p50`, rankOf(idle, 0.5), 's'),
    isolatedFigure('idleLate', 'the same, p95', rankOf(idle, 0.95), 's'),
    isolatedFigure('beside', `${what}, beside large files, p50`, rankOf(beside, 0.5), 's'),
    figure('late', 'the same, p95', rankOf(beside, 0.95), 's', most, 'most'),
    isolatedFigure('longest', 'the longest of them', rankOf(beside, 1), 's'),
    isolatedFigure('saves', 'saves beside large files', beside.length, 'saves'),
    isolatedFigure('limit', 'limit: two lines, store and forward', limit, 's'),
  ];
}

/** The least of the values that so large a share of them does not exceed. */
function rankOf(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? 0;
}

/** B has the last large file one file after the server, at the earliest. */
function bulkFigures(
  { shape }: Stage,
  { upload, files }: BesideBulkSettings,
  bytes: number,
  seconds: number,
  followed: number,
): Figure[] {
  const share = (100 * limitSeconds(bytes, shape)) / seconds;
  const forward = limitSeconds(upload / files, shape);
  const shareThere = (100 * (limitSeconds(bytes, shape) + forward)) / followed;
  return [
    figure('sent', 'large files and saves: of their limit up', share, '%', LEAST_SHARE, 'least'),
    isolatedFigure('sentIn', `all ${files} of them at the server`, seconds, 's'),
    figure('followed', 'of their limit to B', shareThere, '%', LEAST_SHARE, 'least'),
    isolatedFigure('followedIn', 'all of them at B', followed, 's'),
  ];
}
