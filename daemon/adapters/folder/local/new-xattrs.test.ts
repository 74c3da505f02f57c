/** Extended attributes of a new file are read once, and none that comes meanwhile is missed. */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { FolderBench } from '../../../../test/support/folder-bench.ts';
import { HookedHost } from '../../../../test/support/hooked-host.ts';

let host: HookedHost;
let bench: FolderBench;
let reads: number;
beforeEach(async () => {
  host = new HookedHost();
  bench = new FolderBench(host);
  await bench.start();
  reads = 0;
  const list = host.listXattrs.bind(host);
  host.listXattrs = (path) => {
    if (path.endsWith('/new')) reads += 1;
    return list(path);
  };
});
afterEach(() => bench.destroy());

const mark = (value: string): void =>
  host.setXattr(bench.path('new'), 'mark', new TextEncoder().encode(value));
const told = async (): Promise<Array<[string, string]>> => {
  const { xattrs } = await bench.volume.lookup(bench.volume.info.root, 'new');
  return xattrs.map(({ name, value }) => [name, Buffer.from(value, 'base64').toString()]);
};

it('attributes of a new file are logged with it', async () => {
  writeFileSync(bench.path('new'), 'text');
  mark('here');
  await bench.settled();
  expect(await told()).toEqual([['mark', 'here']]);
  expect(reads).toBe(1);
});

it.each(['taking', 'taken'] as const)(
  'attributes of a new file are logged when they are set later (%s)',
  async (moment) => {
    host.at(moment, () => mark('late'));
    writeFileSync(bench.path('new'), 'text');
    mark('early');
    await bench.settled();
    expect(await told()).toEqual([['mark', 'late']]);
    expect(bench.volume.tree()).toEqual({ new: 'text' });
  },
);
