/** What is not synced comes and goes in a folder, whose modification time is synced. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { lstatSync, mkdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { FolderBench } from '../../../../test/support/folder-bench.ts';
import { mtimeOf } from '../../../../shared/model/vnode.ts';

let bench: FolderBench;
beforeEach(async () => {
  bench = await new FolderBench().start();
  mkdirSync(bench.path('dir'));
  writeFileSync(bench.path('dir', 'doc'), 'text');
  await bench.settled();
});
afterEach(() => bench.destroy());

const timeHere = (path: string): string =>
  mtimeOf(lstatSync(bench.path(path), { bigint: true }).mtimeNs);
/** Nobody asks for a look: the watcher alone tells. */
const isTold = (path: string): Promise<void> =>
  bench.volume.until(() => bench.volume.status(path).mtime === timeHere(path));

describe("a folder's time", () => {
  it.each(['dir', ''])(
    'is uploaded when an ignored file comes or goes in it: “%s”',
    async (path) => {
      writeFileSync(bench.path(path, 'Thumbs.db'), 'here');
      await isTold(path);
      unlinkSync(bench.path(path, 'Thumbs.db'));
      await isTold(path);
      expect(bench.volume.tree()).toEqual({ 'dir/': '', 'dir/doc': 'text' });
    },
  );

  it('is not uploaded when an ignored file is written, or one comes in an ignored folder', async () => {
    mkdirSync(bench.path('dir', '.Trash-1'));
    writeFileSync(bench.path('dir', 'Thumbs.db'), 'here');
    await isTold('dir');
    bench.told();
    writeFileSync(bench.path('dir', 'Thumbs.db'), 'there');
    writeFileSync(bench.path('dir', '.Trash-1', 'file'), 'there');
    await bench.settled();
    expect(bench.told()).toEqual([]);
  });
});
