/**
 * A laptop that roams: in the middle of an upload and a download its line changes its address, is gone for a while, or becomes slow. What the
 * program at it gets as results, how soon the transfers go on, and what goes over the line a second time.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { figure, isolatedFigure, type Figure } from '../figures.ts';
import { makeLargeFile } from '../make-files.ts';
import type { Experiment } from '../real/experiment.ts';
import { limitSeconds, queueBytes, type LineShape } from '../real/line.ts';
import { rateName } from '../real/report.ts';
import type { Actor, Stage } from '../real/stage.ts';
import { Application } from './application.ts';
import { breakLine, breakName, breakSeconds, type Break } from './breaks.ts';

export interface RoamSettings {
  readonly lines: readonly LineShape[];
  readonly breaks: readonly Break[];
  /** Of the file that is uploaded, and of the one that is downloaded. */
  readonly size: number;
}

const KIB = 1024;
export const DEFAULT_ROAM_SIZE = 8 * KIB * KIB;
export const DEFAULT_OUTAGES_MS = [1000, 10_000, 60_000];
export const DEFAULT_FALL = [32 * KIB];
export const DEFAULT_FALL_MS = 10_000;
export const DEFAULT_BREAKS: readonly Break[] = [
  { kind: 'move' },
  ...DEFAULT_OUTAGES_MS.map((ms): Break => ({ kind: 'outage', ms })),
  ...DEFAULT_FALL.map((bytesPerSecond): Break => ({
    kind: 'fall',
    bytesPerSecond,
    ms: DEFAULT_FALL_MS,
  })),
];

const MOST_SECONDS = 1;
/** So much through the line in a direction is more than probes for a path. */
const GOES_ON_BYTES = 4096;
const LOOK_MS = 5;
/** Two handshakes at most, and what small saves add meanwhile, for each second. */
const HANDSHAKES_BYTES = 16 * 1024;
const SMALL_SAVES_BYTES = 2048;
const LIMIT_TIMES = 8;
const LIMIT_MORE_SECONDS = 180;
/** The line breaks when this part of the contents has come through. */
const BREAK_AT = 1 / 3;

/** Lists the experiments of `godwit bench roam`, for each line and each way in which it breaks. */
export function roamExperiments({ lines, breaks, size }: RoamSettings): Experiment[] {
  return lines.flatMap((line) =>
    breaks.map((how) => ({
      name: 'roam',
      title: `${breakName(how)}, ${rateName(line.bytesPerSecond)}`,
      line,
      configuration: { scheduling: 'priorities' as const },
      limitSeconds: LIMIT_TIMES * limitSeconds(size, line) + LIMIT_MORE_SECONDS + breakSeconds(how),
      workload: (stage: Stage) => roam(stage, how, size),
    })),
  );
}

interface Transfer {
  readonly seconds: number;
  /** Bytes through the line, with headers. */
  readonly up: number;
  readonly down: number;
}

interface Broken {
  /** When the line was as it was, and from then on: until contents went on, by direction, milliseconds. */
  readonly upMs: number;
  readonly downMs: number;
}

async function roam(stage: Stage, how: Break, size: number): Promise<Figure[]> {
  const { shape, signal, onStep } = stage;
  const source = join(stage.folder('sources'), 'large');
  await makeLargeFile(source, size, signal);
  const near = await stage.near('B');
  for (const name of ['down 1', 'down 2']) await near.files.copyIn(source, near.files.root, name);
  await near.flush();
  const actor = await stage.far('A', 'none');
  const small = await actor.files.copyIn(source, actor.files.root, 'small');
  await actor.files.replace(small, Buffer.from('small'));
  await actor.flush();

  const application = new Application(actor.files, small);
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const working = application.work(either);
  try {
    onStep('undisturbed');
    const plain = await transfer(actor, application, source, '1', signal);
    onStep(breakName(how));
    const breaking = breakInTheMiddle(actor, shape, how, size, signal);
    const [broken, after] = await Promise.all([
      breaking,
      transfer(actor, application, source, '2', signal),
    ]);
    return figures(application, { shape, how, plain, broken, after });
  } finally {
    over.abort();
    await Promise.race([working, wait(1000)]);
  }
}

/** Both ways at once: until what was copied in is committed, and what was opened is here whole. */
async function transfer(
  actor: Actor,
  application: Application,
  source: string,
  number: string,
  signal: AbortSignal,
): Promise<Transfer> {
  const { files, line } = actor;
  const before = line.arrived();
  const began = performance.now();
  const fid = await files.find(files.root, `down ${number}`);
  const download = open(actor, application, () => files.read(fid), signal);
  await application.attempt(() => files.copyIn(source, files.root, `up ${number}`), signal);
  await Promise.all([download, actor.flush()]);
  const seconds = (performance.now() - began) / 1000;
  const contents = await download;
  if (!contents.equals(await readFile(source))) {
    throw new GodwitError('damaged-contents', 'bench roam: what came is not what was written');
  }
  const after = line.arrived();
  return { seconds, up: after.up - before.up, down: after.down - before.down };
}

/** Where it is refused, a person tries again when the line is back. */
async function open(
  { laptop }: Actor,
  application: Application,
  read: () => Promise<{ contents: Buffer }>,
  signal: AbortSignal,
): Promise<Buffer> {
  for (;;) {
    const opened = await application.attempt(read, signal);
    if (opened !== null) return opened.contents;
    signal.throwIfAborted();
    await laptop.until(({ connected }) => connected, 120_000);
  }
}

async function breakInTheMiddle(
  { line }: Actor,
  shape: LineShape,
  how: Break,
  size: number,
  signal: AbortSignal,
): Promise<Broken> {
  const before = line.arrived();
  const both = BREAK_AT * size;
  for (let now = before; now.up - before.up < both || now.down - before.down < both;) {
    await wait(LOOK_MS, undefined, { signal });
    now = line.arrived();
  }
  const backAt = await breakLine(line, shape, how, signal);
  const back = line.arrived();
  // If the link only slowed down, the bytes in its queue still come out of it.
  const held = how.kind === 'outage' ? 0 : queueBytes(shape);
  const goesOn = async (way: 'up' | 'down'): Promise<number> => {
    while (line.arrived()[way] - back[way] < held + GOES_ON_BYTES) {
      await wait(LOOK_MS, undefined, { signal });
    }
    return performance.now() - backAt;
  };
  const [upMs, downMs] = await Promise.all([goesOn('up'), goesOn('down')]);
  return { upMs, downMs };
}

interface Measured {
  readonly shape: LineShape;
  readonly how: Break;
  readonly plain: Transfer;
  readonly broken: Broken;
  readonly after: Transfer;
}

function figures(application: Application, measured: Measured): Figure[] {
  const { errors, longestMs } = application;
  const { plain, broken, after } = measured;
  const shown = errors.length > 0 ? ` (${[...new Set(errors)].join(', ')})` : '';
  const [up, down] = [broken.upMs / 1000, broken.downMs / 1000];
  // A line that was slow was never gone; packets are smaller on it, so it carries more headers.
  const wasGone = measured.how.kind !== 'fall';
  const most = wasGone ? MOST_SECONDS : null;
  const twice = wasGone ? mostTwice(measured) : null;
  return [
    figure('errors', `errors told to programs${shown}`, errors.length, 'errors', 0, 'most'),
    figure('up', 'the upload goes on', up, 's', most, 'most'),
    figure('down', 'the download goes on', down, 's', most, 'most'),
    figure('twiceUp', 'more than undisturbed, up', after.up - plain.up, 'bytes', twice, 'most'),
    figure('twiceDown', 'and down', after.down - plain.down, 'bytes', twice, 'most'),
    isolatedFigure('undisturbed', 'both transfers, undisturbed', plain.seconds, 's'),
    isolatedFigure('broken', 'both transfers, with the break', after.seconds, 's'),
    isolatedFigure('longest', 'a small save and read, the longest', longestMs / 1000, 's'),
  ];
}

/** What may have come without its acknowledgement: what the line and its queue hold. And what is no contents. */
function mostTwice({ shape, how }: Measured): number {
  const small = (breakSeconds(how) + 1) * SMALL_SAVES_BYTES;
  return queueBytes(shape) + HANDSHAKES_BYTES + small;
}
