/** A program comes right after something was put in place, before the folder has looked at it again. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { FolderBench } from '../../../../test/support/folder-bench.ts';
import { HookedHost } from '../../../../test/support/hooked-host.ts';

let host: HookedHost;
let bench: FolderBench;
beforeEach(async () => {
  host = new HookedHost();
  bench = new FolderBench(host);
  writeFileSync(`${bench.dir}/save`, 'of the program');
  await bench.other.write('doc', 'first');
  await bench.start();
});
afterEach(() => bench.destroy());

const saves = (name: string) => (): void => renameSync(`${bench.dir}/save`, bench.path(name));

/** What a program wrote last is on both sides. */
async function isSynced(name: string, text: string): Promise<void> {
  await bench.settled();
  // What was put in place meanwhile is looked at.
  await bench.settled();
  expect(readFileSync(bench.path(name), 'utf8')).toBe(text);
  expect(bench.volume.tree()[name]).toBe(text);
}

describe('a program that comes right after contents were put in place', () => {
  it('keeps its save over contents that were swapped in', async () => {
    host.at('placed', saves('doc'));
    await bench.other.write('doc', 'second');
    await isSynced('doc', 'of the program');
  });

  it('keeps its save over a new file', async () => {
    host.at('placed', saves('new'));
    await bench.other.write('new', 'second');
    await isSynced('new', 'of the program');
  });

  it('keeps its link over a link', async () => {
    symlinkSync('of the program', `${bench.dir}/link`);
    host.at('placed', () => renameSync(`${bench.dir}/link`, bench.path('new')));
    bench.other.symlink('new', 'second');
    await bench.settled();
    await bench.settled();
    expect(bench.volume.tree()['new']).toBe('-> of the program');
  });

  it('keeps what it writes to the file in place', async () => {
    host.at('placed', () => writeFileSync(bench.path('doc'), 'longer than it was'));
    await bench.other.write('doc', 'second');
    await isSynced('doc', 'longer than it was');
  });
});
