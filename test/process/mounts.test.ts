/** Disks that are mounted in a synced folder, with real mounts: the files of an unmounted disk are removed nowhere. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from '@jest/globals';
import { itNeeds } from '../support/browser.ts';
import { missingForMounts, MountNamespace } from '../support/namespaces.ts';
import { twoLaptops, type TwoLaptops } from '../support/two-laptops.ts';

const mounted = itNeeds(missingForMounts);

const FILES = 45;

describe('a mount in a synced folder', () => {
  let space: MountNamespace;
  const bench = twoLaptops(
    async ({ a, b }) => {
      bench.runs(space.holder);
      mkdirSync(join(a.folder, 'bound'));
      mkdirSync(join(a.folder, 'stick'));
      bench.runs(space.holder);
      await bench.flush(a, b);
    },
    async (made: TwoLaptops) => {
      space = await MountNamespace.make();
      made.within(made.a.data, space.within);
    },
  );
  const { a, b } = bench;
  const count = (folder: string, dir: string): number => readdirSync(join(folder, dir)).length;
  const held = (dir: string): Promise<unknown> =>
    bench.until(a.data, ({ errors }) =>
      errors.some(({ code, path }) => code === 'disk-away' && path === dir),
    );
  const back = (): Promise<unknown> =>
    bench.until(a.data, ({ errors }) => errors.every(({ code }) => code !== 'disk-away'));

  /** A disk with files, on both laptops; and how it is mounted again after it was not. */
  async function fill(dir: string): Promise<void> {
    const at = join(a.folder, dir);
    const script = `for i in $(seq ${FILES}); do echo $i > "${at}/$i"; done`;
    space.run('sh', '-c', script);
    await bench.flush(a, b);
    expect(count(b.folder, dir)).toBe(FILES);
  }

  async function isHeld(dir: string): Promise<void> {
    await held(dir);
    const flush = await bench.godwit(['flush', '--wait', '--data', a.data]);
    expect([flush.code, flush.stderr]).toEqual([1, expect.stringContaining('godwit confirm')]);
    await bench.flush(b);
    expect(count(b.folder, dir)).toBe(FILES);
    expect(existsSync(join(a.folder, dir))).toBe(true);
  }

  const goesAndComes = async (dir: string): Promise<void> => {
    const at = join(a.folder, dir);
    const disk = bench.path(`${dir}.disk`);
    mkdirSync(disk);
    if (dir === 'stick') space.run('mount', '-t', 'tmpfs', 'none', disk);
    const mount = (): void => space.run('mount', '--bind', disk, at);
    mount();
    await fill(dir);
    space.run('umount', at);
    await isHeld(dir);
    mount();
    await back();
    await bench.json(['down', '--data', a.data]);
    space.run('umount', at);
    await bench.json(['up', '--data', a.data]);
    await isHeld(dir);
    // A file that was removed on the disk itself is removed elsewhere when the disk is mounted again.
    mount();
    space.run('rm', `${at}/1`);
    await back();
    await bench.flush(a, b);
    expect(count(b.folder, dir)).toBe(FILES - 1);
    space.run('umount', at);
    await held(dir);
    expect(await bench.json(['confirm', '--data', a.data])).toEqual({ confirmed: FILES - 1 });
    await bench.flush(a, b);
    expect(count(b.folder, dir)).toBe(0);
  };
  mounted(
    'holds removals when a bind mount goes, at run time and before a start, until it is back',
    () => goesAndComes('bound'),
  );
  mounted('holds removals when a disk of its own goes, until it is back', () =>
    goesAndComes('stick'),
  );

  mounted('removes nothing of a folder that an empty disk covers', async () => {
    mkdirSync(join(a.folder, 'covered'));
    await fill('covered');
    const at = join(a.folder, 'covered');
    space.run('mount', '-t', 'tmpfs', 'none', at);
    await isHeld('covered');
    space.run('umount', at);
    await back();
    await bench.flush(a, b);
    expect(count(b.folder, 'covered')).toBe(FILES);
  });

  mounted(
    'holds the files it covers when its program died, and is reported as unreachable',
    async () => {
      mkdirSync(join(a.folder, 'dead'));
      await fill('dead');
      const at = join(a.folder, 'dead');
      // The other end is closed as soon as it is mounted.
      const options = 'fd=3,rootmode=40000,user_id=0,group_id=0';
      space.run('sh', '-c', `exec 3<>/dev/fuse && mount -i -t fuse -o ${options} none "${at}"`);
      const { errors } = await bench.until(a.data, ({ errors: all }) =>
        all.some(({ code }) => code === 'disk-away'),
      );
      expect(errors.map(({ code, path, message }) => [code, path, message])).toContainEqual([
        ...['disk-away', 'dead', expect.stringContaining('ENOTCONN')],
      ]);
      writeFileSync(join(a.folder, 'doc'), 'goes on');
      expect(await bench.flushButFor(a)).toBe('disk-away /dead');
      await bench.until(b.data, () => existsSync(join(b.folder, 'doc')));
      await bench.json(['down', '--data', a.data]);
      await bench.json(['up', '--data', a.data]);
      expect(await bench.flushButFor(a)).toBe('disk-away /dead');
      await bench.flush(b);
      expect(count(b.folder, 'dead')).toBe(FILES);
      expect(existsSync(join(b.folder, 'doc'))).toBe(true);
      space.run('umount', at);
      await back();
      await bench.flush(a, b);
      expect(count(b.folder, 'dead')).toBe(FILES);
    },
  );
});
