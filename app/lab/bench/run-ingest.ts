/** The measurements of `godwit bench ingest`, one after the other, so that none is in another's way. */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { withPair, type Pair } from './bench-pair.ts';
import {
  closedFigure,
  filesFigure,
  idleFigure,
  largeFigure,
  memoryFigure,
  startFigure,
  type Figure,
} from './figures.ts';
import type { IngestSettings } from './ingest-settings.ts';
import { makeLargeFile, makeSmallFiles } from './make-files.ts';
import { plainDisk } from './plain-disk.ts';
import { cpuSeconds, residentBytes } from './process-use.ts';
import { secondsOf } from './real/seconds-of.ts';

export interface IngestRun {
  readonly settings: IngestSettings;
  readonly signal: AbortSignal;
  readonly onStep: (title: string) => void;
}

/** What comes after the last answer (a checkpoint of the database, or memory that is given back) belongs to the work and not to the idle time. */
const QUIET_MS = 2000;

/**
 * Runs the measurements of `godwit bench ingest` that the settings ask for. Throws GodwitError
 * `timed-out` if it is interrupted.
 */
export async function runIngest(run: IngestRun): Promise<Figure[]> {
  const { settings, signal } = run;
  const figures: Figure[] = [];
  try {
    run.onStep('starting a server and a daemon');
    if (settings.files + settings.large + settings.idleMs > 0) {
      await withPair(signal, async (pair) => {
        if (settings.files > 0) figures.push(await smallFiles(run, pair));
        if (settings.idleMs > 0) figures.push(await idle(run, pair));
        if (settings.files > 0) figures.push(await memory('memory', settings.files, pair));
        if (settings.large > 0) figures.push(...(await largeFile(run, pair)));
      });
    }
    // With a server of its own: what was sent before is known, too.
    if (settings.known > 0) {
      await withPair(signal, async (pair) => {
        figures.push(await start(run, pair));
        figures.push(await memory('memoryKnown', settings.known, pair));
      });
    }
    // Last: what it removes makes a disk slower for the others.
    if (settings.files + settings.large > 0) {
      run.onStep('the disk alone');
      figures.push(...(await plainDisk(settings, signal)));
    }
  } catch (error) {
    throw signal.aborted ? new GodwitError('timed-out', 'bench: interrupted') : error;
  }
  return figures;
}

async function smallFiles(
  { settings, onStep }: IngestRun,
  { laptop, signal, flush }: Pair,
): Promise<Figure> {
  onStep(`${settings.files} files`);
  const seconds = await secondsOf(async () => {
    await makeSmallFiles(laptop.folder, settings.files, settings.size, signal);
    await flush();
  });
  return filesFigure(settings.files, seconds);
}

async function idle(
  { settings, onStep }: IngestRun,
  { laptop, signal, inSync }: Pair,
): Promise<Figure> {
  onStep(`idle for ${settings.idleMs / 1000} s`);
  await rest({ inSync, signal });
  const before = cpuSeconds(laptop.pid);
  const seconds = await secondsOf(() => wait(settings.idleMs, undefined, { signal }));
  return idleFigure(((cpuSeconds(laptop.pid) - before) / seconds) * 100, settings.files);
}

async function largeFile(
  { settings, onStep }: IngestRun,
  { laptop, signal, flush }: Pair,
): Promise<Figure[]> {
  onStep('one large file');
  const made = await secondsOf(() =>
    makeLargeFile(join(laptop.folder, 'large.bin'), settings.large, signal),
  );
  const sent = await secondsOf(flush);
  return [largeFigure(settings.large, made + sent), closedFigure(settings.large, sent)];
}

async function start(
  { settings, onStep }: IngestRun,
  { laptop, signal, flush, inSync }: Pair,
): Promise<Figure> {
  onStep(`${settings.known} files to know`);
  await makeSmallFiles(laptop.folder, settings.known, settings.size, signal);
  await flush();
  await laptop.end();
  signal.throwIfAborted();
  onStep(`a start with ${settings.known} known files`);
  const seconds = await secondsOf(async () => {
    await laptop.up();
    await inSync();
  });
  return startFigure(settings.known, seconds);
}

/** Of a daemon at rest. */
async function memory(name: string, files: number, pair: Pair): Promise<Figure> {
  await rest(pair);
  return memoryFigure(name, files, residentBytes(pair.laptop.pid));
}

async function rest({ inSync, signal }: Pick<Pair, 'inSync' | 'signal'>): Promise<void> {
  await inSync();
  await wait(QUIET_MS, undefined, { signal });
}
