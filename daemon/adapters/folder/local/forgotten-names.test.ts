/** What the folder has forgotten so that the volume brings it back does come back, also where the daemon ends before that. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { lstatSync, mkdirSync, rmSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import { milliseconds } from '../../../../shared/model/time.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { FolderBench } from '../../../../test/support/folder-bench.ts';

let bench: FolderBench;
/** The folder can't be held against the volume. */
let isAway = false;

beforeEach(async () => {
  isAway = false;
  bench = new FolderBench();
  bench.world = { boot: 'one' };
  bench.limits = { ...bench.limits, massRemovalFiles: 1, audit: milliseconds(1) };
  bench.volume.onRead = () => {
    if (isAway) throw new GodwitError('not-connected');
  };
  mkdirSync(bench.path('d'), { recursive: true });
  for (const name of ['1', '2', '3']) writeFileSync(bench.path('d', name), `contents of ${name}`);
  writeFileSync(bench.path('note'), 'note');
  await bench.start();
});
afterEach(() => bench.destroy());

const WHOLE = {
  ...{ 'd/': '', 'd/1': 'contents of 1', 'd/2': 'contents of 2', 'd/3': 'contents of 3' },
  note: 'note',
};

/** The daemon ends, by a crash or not, and the volume can be read when it is there again. */
async function ends(how: 'in good order' | 'by a crash'): Promise<void> {
  if (how === 'by a crash') {
    bench.keepRecords();
    await bench.crash();
  } else await bench.close();
  isAway = false;
  await bench.start();
}

async function comesBack(tree: Record<string, string> = WHOLE): Promise<void> {
  await bench.shows(tree);
  await bench.settled();
  expect(bench.volume.tree()).toEqual(tree);
  expect(bench.tree()).toEqual(tree);
}

describe.each(['in good order', 'by a crash'] as const)('when the daemon ends %s', (how) => {
  it('rejected removals come back', async () => {
    await bench.close();
    for (const name of ['1', '2', '3']) unlinkSync(bench.path('d', name));
    await bench.start();
    isAway = true;
    expect(await bench.folder.rejectRemovals()).toBe(3);
    await ends(how);
    await comesBack();
  });

  it('files that a loss of power took come back', async () => {
    const { mtimeNs } = lstatSync(bench.path('note'), { bigint: true });
    bench.keepRecords();
    await bench.crash();
    rmSync(bench.path('d'), { recursive: true });
    truncateSync(bench.path('note'), 2);
    bench.host.setMtime(bench.path('note'), mtimeNs);
    bench.world = { ...bench.world, boot: 'two' };
    isAway = true;
    await bench.open();
    await bench.folder.scan();
    expect(bench.tree()).toEqual({});
    await ends(how);
    await comesBack();
  });

  it('a file that was taken away while it was ignored comes back', async () => {
    writeFileSync(bench.path('.godwitignore'), 'note\n');
    await bench.settled();
    unlinkSync(bench.path('note'));
    isAway = true;
    writeFileSync(bench.path('.godwitignore'), '');
    await bench.folder.scan();
    await bench.volume.until(() => bench.volume.tree()['.godwitignore'] === '');
    await ends(how);
    await comesBack({ ...WHOLE, '.godwitignore': '' });
  });
});
