/** A path of ten names of which a laptop has never seen any: how long until it knows what is there, far from the server? */
import { findPath } from '../../../cli/volume-tree.ts';
import { figure, isolatedFigure, type Figure } from '../figures.ts';
import { middleOf } from '../real/middle-of.ts';
import { secondsOf } from '../real/seconds-of.ts';
import type { Stage } from '../real/stage.ts';

const COMPONENTS = 10;
const MOST_SECONDS = 0.25;
const MODE = { mode: 0o755 };

/** Measures how long a path takes that a laptop has never looked at; each time it is another one. */
export async function coldPath(stage: Stage, { times }: { times: number }): Promise<Figure[]> {
  const near = await stage.near('A');
  const { fileSystem } = near.control;
  const paths = Array.from({ length: times }, (_, time) =>
    Array.from({ length: COMPONENTS }, (_none, depth) => `${time}-${depth}`),
  );
  for (const names of paths) {
    let dir = near.files.root;
    for (const name of names) dir = (await fileSystem.mkdir(dir, name, MODE)).fid;
  }
  await near.flush();
  const far = await stage.far('B', 'none');
  // What comes with a connection has come.
  await far.flush();
  const took: number[] = [];
  for (const names of paths) {
    stage.onStep(`path ${took.length + 1} of ${times}`);
    const found = () => findPath(far.control.fileSystem, far.files.root, names, false);
    took.push(await secondsOf(found));
  }
  const what = `a path of ${COMPONENTS} names that were never seen`;
  return [
    figure('cold', `${what}, the longest`, Math.max(...took), 's', MOST_SECONDS, 'most'),
    isolatedFigure('coldMiddle', 'the middle of them', middleOf(took), 's'),
  ];
}
