/**
 * A laptop uploads a file that nobody else has, and then saves one that another laptop has too. The other opens that at once, through the port:
 * its wait is a server pull. Then the first is in a bag: its line is gone in the middle of it.
 */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { figure, isolatedFigure, type Figure } from '../figures.ts';
import { makeLargeFile } from '../make-files.ts';
import { limitSeconds } from '../real/line.ts';
import type { Actor, Stage } from '../real/stage.ts';
import { addFile, saveSynced, sharedFile, type Shared } from './reached.ts';
import { flushBoth, front } from './saves.ts';
import { Versions, Watcher } from './watched.ts';

export interface PullSettings {
  readonly size: number;
  readonly upload: number;
  /** How long the laptop is in the bag before the other opens the file once more. */
  readonly awayMs: number;
}

const MOST_OVER_LIMIT = 1.2;
/** An urgent message over both lines, the first of them beside bulk. */
const MOST_INVALIDATION_MS = 100;
/** Where the server does not know yet that the writer is away, and where it does. */
const MOST_WAIT_SECONDS = 2.5;
const MOST_AWAY_SECONDS = 0.25;
const NAME = 'shared';
const UPLOADING_WITHIN_MS = 60_000;
/** An open from the cache is back by then. */
const WAITS_MS = 40;

/**
 * Measures an open that pulls a hidden update from its writer, and the same open after the writer's
 * line is cut.
 */
export async function pulled(stage: Stage, settings: PullSettings): Promise<Figure[]> {
  const { size, upload, awayMs } = settings;
  const { signal, shape, onStep } = stage;
  const [a, b] = [await front(stage, 'A', 'port'), await front(stage, 'B', 'port')];
  const versions = new Versions(size);
  const sources = stage.folder('sources');
  const first = join(sources, 'first');
  await saveSynced(first, versions.next());
  await addFile('port', a, first, NAME);
  await flushBoth(a, b);
  const [mine, theirs] = [await sharedFile('port', a, NAME), await sharedFile('port', b, NAME)];
  await theirs.read();
  await makeLargeFile(join(sources, 'large'), upload, signal);

  onStep('an open that pulls');
  await uploads(a, join(sources, 'large'), 'large');
  const pull = await openAtOnce(mine, theirs, versions, signal);
  const { queues } = await a.control.status();
  const beside = queues.data.bytes - queues.data.sentBytes;

  onStep('the writer in a bag');
  await mine.save(versions.next());
  const soon = await openAndCut(a, theirs, versions, signal);
  await wait(awayMs, undefined, { signal });
  const later = await openOnce(theirs, versions);
  a.line.restore();

  const limit = 2 * limitSeconds(size, shape);
  const most = MOST_OVER_LIMIT * limit;
  return [
    figure(
      'pull',
      `B opens what A has just saved (${size} bytes)`,
      pull.seconds,
      's',
      most,
      'most',
    ),
    isolatedFigure('limit', 'limit: two lines, store and forward', limit, 's'),
    figure(
      'stale',
      'after the save, until no open at B gives the old version',
      pull.staleMs,
      'ms',
      MOST_INVALIDATION_MS,
      'most',
    ),
    figure('bad', 'bad reads at B', pull.bad + soon.bad + later.bad, 'reads', 0, 'most'),
    isolatedFigure('queued', 'of the upload, still to be sent then', beside, 'bytes'),
    figure('bag', 'A in a bag: B opens it', soon.seconds, 's', MOST_WAIT_SECONDS, 'most'),
    figure(
      'away',
      `the same ${awayMs / 1000} s later`,
      later.seconds,
      's',
      MOST_AWAY_SECONDS,
      'most',
    ),
    isolatedFigure('behind', 'versions behind, as opened then', later.behind, 'versions'),
  ];
}

async function uploads(a: Actor, source: string, name: string): Promise<void> {
  await addFile('port', a, source, name);
  await a.laptop.until(({ queues }) => queues.data.sentBytes > 0, UPLOADING_WITHIN_MS);
}

/** B opens it again and again from before the save on; from when on does it get what was saved? */
async function openAtOnce(
  mine: Shared,
  theirs: Shared,
  versions: Versions,
  signal: AbortSignal,
): Promise<{ seconds: number; staleMs: number; bad: number }> {
  const watcher = new Watcher(versions);
  const over = new AbortController();
  const watching = watcher.watch(theirs.read, AbortSignal.any([signal, over.signal]));
  const contents = versions.next();
  const began = performance.now();
  await mine.save(contents);
  const saved = performance.now();
  const seen = await watcher.seen(versions.last);
  over.abort();
  await watching;
  const staleMs = Math.max(0, watcher.lastAnswered(versions.last - 1) - saved);
  return { seconds: (seen - began) / 1000, staleMs, bad: watcher.badReads };
}

interface Opened {
  readonly seconds: number;
  readonly behind: number;
  readonly bad: number;
}

/** The line of A is cut as soon as an open at B waits for it. */
async function openAndCut(
  { line }: Actor,
  theirs: Shared,
  versions: Versions,
  signal: AbortSignal,
): Promise<Opened> {
  for (;;) {
    const opening = openOnce(theirs, versions);
    const first = await Promise.race([opening, wait(WAITS_MS, null, { signal })]);
    if (first === null) {
      line.cut();
      return opening;
    }
    if (first.behind > 0) continue;
    throw new GodwitError('internal', 'bench propagate: the line is too fast to be cut in time');
  }
}

async function openOnce(theirs: Shared, versions: Versions): Promise<Opened> {
  const began = performance.now();
  const contents = await theirs.read();
  const seconds = (performance.now() - began) / 1000;
  const version = contents === null ? -1 : versions.indexOf(contents);
  return { seconds, behind: versions.last - version, bad: version < 0 ? 1 : 0 };
}
