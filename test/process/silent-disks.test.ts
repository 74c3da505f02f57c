/** A disk in the folder whose program hangs: the folder holds it and reports it, and everything else continues. With a real FUSE program that is stopped. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { StatusSnapshot } from '../../shared/control/snapshot.ts';
import { itNeeds } from '../support/browser.ts';
import { missingForMounts, MountNamespace } from '../support/namespaces.ts';
import { onPath } from '../support/programs.ts';
import { twoLaptops, type TwoLaptops } from '../support/two-laptops.ts';

const tool = ['ntfs-3g', 'mkfs.ntfs'].find((name) => onPath(name) === null);
const missing = missingForMounts ?? (tool === undefined ? null : `there is no ${tool}`);
const mounted = itNeeds(missing);

let space: MountNamespace;
let program = 0;
const bench = twoLaptops(
  async ({ a }) => {
    if (missing !== null) return;
    bench.runs(space.holder);
    mkdirSync(join(a.folder, 'slow'));
    const image = bench.path('image');
    const at = join(a.folder, 'slow');
    space.run('sh', '-ec', `truncate -s 20M "${image}"; mkfs.ntfs -F -Q -q "${image}"`);
    space.run('ntfs-3g', image, at);
    program = fuseProgram(image);
    space.run('sh', '-ec', `echo there > "${at}/x"`);
    await bench.flush(a, b);
  },
  async (made: TwoLaptops) => {
    if (missing !== null) return;
    space = await MountNamespace.make();
    made.within(made.a.data, space.within);
  },
);
const { a, b } = bench;

/** Finds the program, which runs in the background, by its image. */
function fuseProgram(image: string): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const found = pids.find((pid) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      return words[0] === 'ntfs-3g' && words.includes(image);
    } catch {
      return false;
    }
  });
  if (found === undefined) throw new Error('the program behind the mount is not there');
  return Number(found);
}

const signal = (name: string): void =>
  void spawnSync('kill', [`-${name}`, String(program)], { stdio: 'ignore' });

/** Notes on what the disk can't do stand beside it, and stay. */
const isSilent = ({ errors }: Pick<StatusSnapshot, 'errors'>): boolean =>
  errors.some(({ path, message }) => path === 'slow' && /does not answer/.test(message));
const silent = (): Promise<unknown> => bench.until(a.data, isSilent);

mounted(
  'a disk that hangs is held, and everything else continues, also after a restart',
  async () => {
    try {
      signal('STOP');
      await silent();
      writeFileSync(join(a.folder, 'mine'), 'mine');
      writeFileSync(join(b.folder, 'theirs'), 'theirs');
      writeFileSync(join(b.folder, 'slow', 'x'), 'changed');
      await bench.flush(b);
      await bench.until(b.data, () => existsSync(join(b.folder, 'mine')));
      await bench.until(a.data, () => existsSync(join(a.folder, 'theirs')));
      expect(await bench.flushButFor(a)).toBe('disk-away /slow');
      await bench.json(['down', '--data', a.data]);
      await bench.json(['up', '--data', a.data]);
      await silent();
      writeFileSync(join(a.folder, 'later'), 'later');
      await bench.until(b.data, () => existsSync(join(b.folder, 'later')));
      expect(readFileSync(join(b.folder, 'slow', 'x'), 'utf8')).toBe('changed');
    } finally {
      signal('CONT');
    }
    await bench.until(a.data, (status) => !isSilent(status));
    await bench.flush(a, b);
    expect(space.output('cat', join(a.folder, 'slow', 'x'))).toBe('changed');
  },
);
