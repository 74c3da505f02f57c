/** The daemon dies while removals are being logged, and its records are written in that moment. */
import { linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { FolderBench } from '../../../../test/support/folder-bench.ts';

let bench: FolderBench;
beforeEach(async () => {
  bench = new FolderBench();
  await bench.start();
});
afterEach(() => bench.destroy());

/** From the second removal on, the log takes none, and whoever asks waits. `asked` resolves with the first of these. */
function onlyOneIsLogged(): { asked: Promise<void>; die: () => void } {
  const waiting: Array<(error: Error) => void> = [];
  let isAsked = (): void => undefined;
  const asked = new Promise<void>((resolve) => (isAsked = resolve));
  let count = 0;
  for (const call of ['remove', 'rmdir'] as const) {
    const real = bench.volume[call].bind(bench.volume);
    bench.volume[call] = (...given) => {
      count += 1;
      if (count === 1) return real(...given);
      isAsked();
      return new Promise((_resolve, reject) => waiting.push(reject));
    };
  }
  const die = (): void => {
    for (const call of ['remove', 'rmdir'] as const) Reflect.deleteProperty(bench.volume, call);
    for (const reject of waiting) reject(new GodwitError('not-running'));
  };
  return { asked, die };
}

const file = (name: string): void => writeFileSync(bench.path(name), 'x');

const KINDS: Record<string, () => void> = {
  'of files': () => ['a', 'b', 'c'].forEach(file),
  'of names of one file that has others': () => {
    file('kept');
    for (const name of ['a', 'b', 'c']) linkSync(bench.path('kept'), bench.path(name));
  },
  'of all names of a file': () => {
    file('a');
    for (const name of ['b', 'c']) linkSync(bench.path('a'), bench.path(name));
  },
  'of folders with something in them': () => {
    for (const name of ['a', 'b', 'c']) {
      mkdirSync(bench.path(name));
      file(`${name}/in`);
    }
  },
};

it.each(Object.entries(KINDS))(
  'after a kill in the midst of removals %s that the log takes, nothing comes back',
  async (_what, make) => {
    make();
    await bench.settled();
    const left = bench.tree()['kept'] === undefined ? {} : { kept: 'x' };
    await bench.close();
    // Each change is reason enough to write the records.
    bench.limits = { ...bench.limits, batchPaths: 1 };
    await bench.start();
    const { asked, die } = onlyOneIsLogged();
    for (const name of ['a', 'b', 'c']) rmSync(bench.path(name), { recursive: true });
    await asked;
    await bench.volume.idle();
    bench.keepRecords();
    die();
    await bench.crash();
    await bench.start();
    expect([bench.tree(), bench.volume.tree()]).toEqual([left, left]);
  },
);
