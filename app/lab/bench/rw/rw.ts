/**
 * Read and Write together (MFS, section 3.4, test RW): in the foreground a program reads files that are not in the cache, one after the other,
 * while another one copies as many files in, which are written back in the background.
 */
import { readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Scheduling } from '../../../../shared/model/scheduling.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { figure, isolatedFigure, type Figure } from '../figures.ts';
import { makeLargeFile } from '../make-files.ts';
import type { Experiment } from '../real/experiment.ts';
import { limitSeconds, type LineShape } from '../real/line.ts';
import { rateName } from '../real/report.ts';
import { secondsOf } from '../real/seconds-of.ts';
import type { Stage } from '../real/stage.ts';
import type { Through } from '../real/through.ts';
import { copySynced } from './copy-synced.ts';
import { PROGRAMS, READ, type Programs } from './programs.ts';

export interface RwSettings {
  readonly lines: readonly LineShape[];
  readonly schedulings: readonly Scheduling[];
  readonly through: readonly Through[];
  readonly files: number;
  readonly size: number;
  /** Read without Write, for comparison. */
  readonly alone: boolean;
}

/** Over the least time that the line can take. */
const MOST_OVER_LIMIT = 1.03;
/** `At the speed of the local disk`: the port keeps a log, and a disk is shared. */
const MOST_OVER_LOCAL = 2;
/** Starting, and what is lost of a line where nothing has priority. */
const LIMIT_TIMES = 4;
const LIMIT_MORE_SECONDS = 120;

/** Lists the experiments of `godwit bench rw`, for each front end, line and scheduling. */
export function rwExperiments(settings: RwSettings): Experiment[] {
  const { lines, schedulings, through, alone } = settings;
  const bytes = settings.files * settings.size;
  const experiment = (line: LineShape, scheduling: Scheduling, way: Through): Experiment => ({
    name: 'rw',
    title: `through the ${way}, ${rateName(line.bytesPerSecond)}, ${scheduling}${alone ? ', alone' : ''}`,
    line,
    configuration: { scheduling },
    limitSeconds: LIMIT_TIMES * limitSeconds(bytes, line) + LIMIT_MORE_SECONDS,
    workload: (stage) => readAndWrite(stage, settings, way),
  });
  return through.flatMap((way) =>
    lines.flatMap((line) => schedulings.map((scheduling) => experiment(line, scheduling, way))),
  );
}

async function readAndWrite(stage: Stage, settings: RwSettings, way: Through): Promise<Figure[]> {
  const { shape, signal, onStep } = stage;
  const sources = stage.folder('sources');
  const names = Array.from({ length: settings.files }, (_, index) => `file ${index}`);
  const paths = names.map((name) => join(sources, name));
  for (const path of paths) await makeLargeFile(path, settings.size, signal);
  const local = await secondsOf(() => copyLocally(paths, stage.folder('plain')));
  const programs = await PROGRAMS[way](stage, async () => {
    const near = await stage.near('B');
    const there = await near.files.folder(READ);
    for (const [index, path] of paths.entries()) {
      await near.files.copyIn(path, there, names[index] as string);
    }
    await near.flush();
  });
  const { actor, copyIn } = programs;
  const copyAll = async (prefix: string): Promise<void> => {
    for (const [index, path] of paths.entries()) await copyIn(path, `${prefix}file ${index}`);
  };

  onStep('reading and writing');
  const before = actor.line.arrived();
  const began = performance.now();
  const seconds = (): number => (performance.now() - began) / 1000;
  let read = 0;
  const reading = readAll(programs, names, paths).then(() => (read = seconds()));
  if (!settings.alone) await copyAll('');
  const write = seconds();
  const flushed = actor.flush().then(seconds);
  await reading;
  const { queues } = await actor.control.status();
  onStep('what was written drains');
  const drained = await flushed;
  const after = actor.line.arrived();
  const queued = queues.data.bytes - queues.data.sentBytes;
  const again = settings.alone ? 0 : await secondsOf(() => copyAll('again '));
  return figures(settings, shape, { local, read, write, again, drained, queued, before, after });
}

async function readAll(
  { read }: Programs,
  names: readonly string[],
  paths: readonly string[],
): Promise<void> {
  for (const [index, name] of names.entries()) {
    const contents = await read(name);
    if (!contents.equals(await readFile(paths[index] as string))) {
      throw new GodwitError('damaged-contents', `bench rw: ${name} is not what was written`);
    }
  }
}

/** As a careful program copies: each file is on the disk before the next. */
async function copyLocally(paths: readonly string[], folder: string): Promise<void> {
  const copy = join(folder, 'copy');
  for (const path of paths) {
    await copySynced(path, copy);
    await unlink(copy);
  }
}

interface Measured {
  readonly local: number;
  readonly read: number;
  readonly write: number;
  /** The same once more: the programs of a laptop have done such a thing before. */
  readonly again: number;
  readonly drained: number;
  /** Of Write's bytes, when Read had ended. */
  readonly queued: number;
  readonly before: { readonly up: number; readonly down: number };
  readonly after: { readonly up: number; readonly down: number };
}

function figures(
  { files, size, alone }: RwSettings,
  shape: LineShape,
  measured: Measured,
): Figure[] {
  const { local, read, write, again, drained, queued, before, after } = measured;
  const bytes = files * size;
  const limit = limitSeconds(bytes, shape);
  const most = MOST_OVER_LIMIT * limit;
  const overhead = (arrived: number): number => (arrived / bytes - 1) * 100;
  const what = 'over the contents on the line';
  const reading = [
    figure('read', `Read, ${files} files of ${size} bytes`, read, 's', most, 'most'),
    isolatedFigure('limit', 'limit: bytes / (0.952 x rate)', limit, 's'),
    isolatedFigure('down', `${what}, down`, overhead(after.down - before.down), '%'),
  ];
  if (alone) return reading;
  return [
    ...reading,
    figure('drained', 'Write is drained', drained, 's', most, 'most'),
    isolatedFigure('up', `${what}, up`, overhead(after.up - before.up), '%'),
    isolatedFigure('queued', 'of Write, still queued when Read ended', queued, 'bytes'),
    figure('write', 'Write returns', write, 's', MOST_OVER_LOCAL * local, 'most'),
    figure('again', 'Write returns, once more', again, 's', MOST_OVER_LOCAL * local, 'most'),
    isolatedFigure('local', 'the same copies to the local disk, synced', local, 's'),
  ];
}
