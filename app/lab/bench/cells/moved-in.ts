/** A large file moves into the folder of another volume: what crosses the network? */
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { findVolume } from '../../../cli/volume-tree.ts';
import { figure, isolatedFigure, type Figure } from '../figures.ts';
import { makeLargeFile } from '../make-files.ts';
import { secondsOf } from '../real/seconds-of.ts';
import type { Stage } from '../real/stage.ts';

const VOLUME = 'team';
const MOST_KB = 64;
const LOOK_MS = 20;

/** Measures the bytes on the line of a laptop, both ways, from a move of a file until that is committed. */
export async function movedIn(stage: Stage, { size }: { size: number }): Promise<Figure[]> {
  const { signal, onStep } = stage;
  await stage.server('user', 'add', 'ann');
  await stage.server('volume', 'create', VOLUME, '--owner', 'ann');
  const ann = await stage.far('ann', 'folder', stage.shape, ['ann']);
  const at = (...names: string[]): string => join(ann.laptop.folder, ...names);
  await ann.laptop.command('volume', 'mount', VOLUME, `/${VOLUME}`);
  while (!existsSync(at(VOLUME))) await wait(LOOK_MS, undefined, { signal });
  onStep('the file is sent');
  await makeLargeFile(at('large'), size, signal);
  await ann.flush();
  onStep('the file moves');
  const before = ann.line.arrived();
  const seconds = await secondsOf(async () => {
    renameSync(at('large'), at(VOLUME, 'large'));
    await ann.flush();
  });
  const after = ann.line.arrived();
  const { fileSystem } = ann.control;
  const names = async (volume: string): Promise<string[]> => {
    const { root } = await findVolume(fileSystem, volume);
    return (await fileSystem.readdir(root)).map(({ name }) => name);
  };
  const inside = (await names(VOLUME)).includes('large') ? 1 : 0;
  const left = (await names('ann')).includes('large') ? 1 : 0;
  const kilobytes = (after.up - before.up + after.down - before.down) / 1000;
  return [
    figure('wire', `on the line, both ways, for ${size} bytes`, kilobytes, 'KB', MOST_KB, 'most'),
    figure('inside', 'names of it in the volume', inside, 'names', 1, 'least'),
    figure('left', 'names of it that are left outside', left, 'names', 0, 'most'),
    isolatedFigure('seconds', 'from the move to its commit', seconds, 's'),
  ];
}
