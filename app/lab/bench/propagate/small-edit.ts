/** Some bytes are inserted in the middle of a large file that two laptops have: what goes over their lines, and how soon the other has it. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { figure, isolatedFigure, type Figure } from '../figures.ts';
import { makeLargeFile } from '../make-files.ts';
import type { Stage } from '../real/stage.ts';
import type { Through } from '../real/through.ts';
import { addFile, sharedFile } from './reached.ts';
import { flushBoth, front } from './saves.ts';

export interface EditSettings {
  readonly through: Through;
  readonly size: number;
  readonly inserted: number;
}

const NAME = 'large';
const MOST_WIRE_BYTES = 8 * 1024;
const MOST_SECONDS = 0.4;
const LOOK_MS = 2;
/** Fast enough that what is to be there before is no part of the run. */
const FAST = 100_000_000;

/**
 * Measures the bytes on the lines and the seconds until another laptop has a small insertion into a
 * large file.
 */
export async function smallEdit(stage: Stage, settings: EditSettings): Promise<Figure[]> {
  const { through, size, inserted } = settings;
  const { signal, shape, onStep } = stage;
  let [a, b] = [await front(stage, 'A', through), await front(stage, 'B', through)];
  for (const { line } of [a, b]) line.shape({ ...shape, bytesPerSecond: FAST });
  const source = join(stage.folder('sources'), NAME);
  await makeLargeFile(source, size, signal);
  await addFile(through, a, source, NAME);
  await flushBoth(a, b);
  const arrived = await sharedFile(through, b, NAME);
  while (!(await arrived.read())?.equals(await readFile(source)))
    await wait(LOOK_MS, undefined, { signal });
  // Connections of their own, which know nothing of the fast line.
  for (const { line } of [a, b]) line.shape(shape);
  [a, b] = [await stage.restart(a), await stage.restart(b)];
  await flushBoth(a, b);
  const [mine, theirs] = [await sharedFile(through, a, NAME), await sharedFile(through, b, NAME)];

  onStep('a small edit of a large file');
  const old = await readFile(source);
  const middle = size >> 1;
  const edited = Buffer.concat([
    old.subarray(0, middle),
    randomBytes(inserted),
    old.subarray(middle),
  ]);
  const before = [a.line.arrived(), b.line.arrived()] as const;
  const began = performance.now();
  await mine.save(edited);
  const answered = (performance.now() - began) / 1000;
  while (!(await theirs.read())?.equals(edited)) await wait(LOOK_MS, undefined, { signal });
  const seen = (performance.now() - began) / 1000;
  await flushBoth(a, b);
  const up = a.line.arrived().up - before[0].up;
  const down = b.line.arrived().down - before[1].down;
  const what = `${inserted} bytes into ${size}`;
  return [
    figure('up', `${what}: up from A`, up, 'bytes', MOST_WIRE_BYTES, 'most'),
    figure('down', `${what}: down to B`, down, 'bytes', MOST_WIRE_BYTES, 'most'),
    figure('seen', `${what}: B sees it`, seen, 's', MOST_SECONDS, 'most'),
    isolatedFigure('save', 'A has saved', answered, 's'),
  ];
}
