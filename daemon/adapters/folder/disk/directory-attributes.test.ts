/** What a program changes of a directory is told, whatever the folder puts into the directory before it is looked at. */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { chmodSync } from 'node:fs';
import type { Attributes } from '../../../../shared/ports/file-system.ts';
import { FolderBench } from '../../../../test/support/folder-bench.ts';

let bench: FolderBench;
beforeEach(async () => {
  bench = new FolderBench();
  bench.other.mkdir('d');
  await bench.other.write('d/old', 'one');
  await bench.start();
  await bench.settled();
});
afterEach(() => bench.destroy());

const tag = (): void => bench.host.setXattr(bench.path('d'), 'tag', Buffer.from('red'));
const mode = (): void => chmodSync(bench.path('d'), 0o750);
const changes = [
  { what: 'mode', change: mode, told: ({ mode }: Attributes) => mode },
  { what: 'attribute', change: tag, told: ({ xattrs }: Attributes) => xattrs.length },
];

it.each(changes)(
  'a directory keeps a changed $what although a file comes into it',
  async ({ change, told }) => {
    const about = (): Promise<Attributes> => bench.volume.lookup(bench.volume.info.root, 'd');
    const before = told(await about());
    change();
    await bench.other.write('d/new', 'two');
    await bench.until(() => 'd/new' in bench.tree());
    await bench.settled();
    expect(told(await about())).not.toEqual(before);
  },
);

it('a directory gets what others change of it beside what a program changed here', async () => {
  tag();
  bench.other.setattr('d', { mode: 0o700 });
  await bench.settled();
  const { xattrs, mode: now } = await bench.volume.lookup(bench.volume.info.root, 'd');
  expect([xattrs.map(({ name }) => name), now]).toEqual([['tag'], 0o700]);
  expect(bench.host.listXattrs(bench.path('d')).map(({ name }) => name)).toEqual(['tag']);
});
