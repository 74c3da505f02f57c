/** Real processes on a real disk without a free block: nothing is lost, and everything that can continue does. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { ControlClient } from '../../shared/control/client.ts';
import { Bench, textOf } from '../support/bench.ts';
import { itNeeds } from '../support/browser.ts';
import { DISK_KINDS, missingFor, MountedDisk, type DiskKind } from '../support/disks.ts';
import { SmallDisk } from '../support/small-disk.ts';

let bench: Bench;
let disk: SmallDisk | null;
beforeEach(() => {
  bench = new Bench();
  disk = SmallDisk.mount(bench.path('disk'), 32);
});
afterEach(async () => {
  // Whoever has something open there keeps it.
  await disk?.unmount();
  await bench.close();
});

/** Asks a daemon for its status until `holds` is true. */
async function until(data: string, holds: () => boolean): Promise<void> {
  const client = ControlClient.of(data);
  try {
    while (!holds()) await client.status();
  } finally {
    client.close();
  }
}

it('a server with a full disk refuses contents until there is space and resumes without help', async () => {
  const server = await bench.server('disk/server');
  const ada = await bench.laptop('ada', await bench.invite(server));
  const invitation = await bench.invite(server);
  writeFileSync(join(ada.folder, 'kept'), 'as it was');
  await bench.flush(ada);
  await until(ada.data, () => existsSync(join(server.data, 'reserve')));

  disk?.fill();
  const large = randomBytes(disk === null ? 1000 : 3_000_000);
  writeFileSync(join(ada.folder, 'large'), large);
  if (disk !== null) {
    await bench.until(ada.data, ({ errors }) => errors.some(({ code }) => code === 'server-full'));
    expect(existsSync(join(server.data, 'reserve'))).toBe(false);
  }
  // A new laptop joins and reads, names change, and administration works.
  const bob = await bench.laptop('bob', invitation);
  await until(bob.data, () => existsSync(join(bob.folder, 'kept')));
  renameSync(join(ada.folder, 'kept'), join(ada.folder, 'moved'));
  await until(bob.data, () => existsSync(join(bob.folder, 'moved')));
  expect(textOf(join(bob.folder, 'moved'))).toBe('as it was');
  const place = ['--data', server.data];
  expect(await bench.json(['server', 'gc', ...place])).toMatchObject({ contents: 0 });
  expect(await bench.json(['server', 'check', ...place])).toMatchObject({ fine: true });

  disk?.empty();
  await bench.flush(ada, bob);
  expect(readFileSync(join(bob.folder, 'large')).equals(large)).toBe(true);
});

it('a server that starts on a full disk gives up its reserve and serves', async () => {
  const first = await bench.server('disk/server');
  const ada = await bench.laptop('ada', await bench.invite(first));
  writeFileSync(join(ada.folder, 'kept'), 'as it was');
  await bench.flush(ada);
  await until(ada.data, () => existsSync(join(first.data, 'reserve')));
  await bench.stop(first);
  disk?.fill();
  const second = await bench.server('disk/server', first.address);
  await bench.until(ada.data, ({ connected }) => connected);
  writeFileSync(join(ada.folder, 'more'), 'stored when there is room');
  disk?.empty();
  await bench.flush(ada);
  expect(await bench.json(['server', 'check', '--data', second.data])).toMatchObject({
    fine: true,
  });
});

it.each([
  ['server', ['--data'], []],
  ['here', ['--state'], ['--folder']],
] as const)(
  'the command %s reports which disk is full and how much is missing',
  async (command, own, folder) => {
    disk?.fill();
    const place = disk === null ? '/dev/full/server' : bench.path('disk', 'server');
    const more = folder.flatMap((flag) => [flag, bench.path('synced')]);
    const { code, stderr } = await bench.godwit([command, ...own, place, ...more]);
    expect(code).not.toBe(0);
    const said = stderr.trim().split('\n').at(-1);
    const expected =
      disk === null
        ? /^godwit: \/dev\/full[^\n]*$/
        : /^godwit: no room in \S+: the disk at \S+\/disk has 0\.0 MB free, \d\.\d MB more are needed; [^\n]+$/;
    expect(said).toMatch(expected);
  },
);

it('a laptop that cannot even start reports which disk is full', async () => {
  const server = await bench.server();
  const invitation = await bench.invite(server);
  disk?.fill();
  const data = disk === null ? '/dev/full/laptop' : bench.path('disk', 'laptop');
  const place = ['--data', data, '--folder', bench.path('synced'), '--invite', invitation];
  const { code, stderr } = await bench.godwit(['up', ...place]);
  expect(code).not.toBe(0);
  expect(stderr).toMatch(
    disk === null ? /^godwit: \/dev\/full[^\n]*\n$/ : /^godwit: no room in \S+laptop: the disk at /,
  );
});

const BTRFS = DISK_KINDS.find(({ name }) => name === 'btrfs') as DiskKind;

itNeeds(missingFor(BTRFS))(
  'a laptop on a full disk that copies on write goes on and syncs when there is room',
  async () => {
    const mounted = await MountedDisk.mount(BTRFS);
    const [filler, data] = ['filler', 'data'].map((name) => join(mounted.folder, name)) as [
      string,
      string,
    ];
    try {
      const folder = bench.path('Godwit');
      const server = await bench.server();
      const invite = ['--invite', await bench.invite(server)];
      await bench.json(['up', '--data', data, '--folder', folder, ...invite]);
      const bob = await bench.laptop('bob', await bench.invite(server));
      writeFileSync(join(folder, 'kept'), 'as it was');
      await bench.flush({ data }, bob);
      spawnSync('sh', ['-c', 'cat /dev/zero > "$1"', 'sh', filler]);
      writeFileSync(join(folder, 'more'), randomBytes(300_000));
      await bench.until(data, ({ errors }) => errors.some(({ code }) => code === 'disk-full'));
      // Others change things meanwhile, and the system writes out what lies in memory.
      for (let round = 0; round < 2; round++) {
        writeFileSync(join(bob.folder, `from-bob-${round}`), randomBytes(50_000));
        await bench.flush(bob);
        spawnSync('sync', ['-f', mounted.folder]);
        expect((await bench.status(data)).pid).toBeGreaterThan(0);
      }
      rmSync(filler);
      await bench.flush({ data }, bob, { data });
      expect(readdirSync(folder).sort()).toEqual(readdirSync(bob.folder).sort());
    } finally {
      await bench.godwit(['down', '--data', data]);
      await mounted.unmount();
    }
  },
);
