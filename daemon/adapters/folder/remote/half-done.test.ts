/** What an end in the middle of the folder’s work leaves half done is nobody’s wish, and what its user did meanwhile is. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { basename, dirname } from 'node:path';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { FolderBench } from '../../../../test/support/folder-bench.ts';
import { mtimeFromMs } from '../../../../shared/model/vnode.ts';
import { HookedHost } from '../../../../test/support/hooked-host.ts';
import { BEGUN_MODE } from '../disk/disk-facts.ts';

let bench: FolderBench;
beforeEach(() => {
  bench = new FolderBench();
});
afterEach(() => bench.destroy());

async function isSame(): Promise<void> {
  await bench.settled();
  await bench.shows(bench.volume.tree());
}

const modeOf = (name: string): number => statSync(bench.path(name)).mode & 0o7777;

/** Fails at the first time that it is to set, and keeps what it was asked for. */
class FailingHost extends HookedHost {
  readonly met: string[] = [];

  override setMtime(path: string, nanoseconds: bigint): void {
    if (this.met.length === 0 && !path.endsWith('/.')) {
      const mode = lstatSync(path).mode & 0o7777;
      this.met.push(`${basename(path)} ${mode.toString(8)}`, dirname(path));
      throw Object.assign(new Error('EIO: not now'), { code: 'EIO' });
    }
    super.setMtime(path, nanoseconds);
  }
}

describe('an entry that cannot be finished', () => {
  const begin = async (change: (bench: FolderBench) => void): Promise<FailingHost> => {
    const host = new FailingHost();
    await bench.destroy();
    bench = new FolderBench(host);
    await bench.start();
    change(bench);
    await bench.until(() => bench.folder.status().errors.length > 0);
    return host;
  };

  it('is removed when it is a directory, which its mode marks until then', async () => {
    const host = await begin(({ other }) => other.mkdir('d', 0o750));
    expect(host.met[0]).toBe('d 1700');
    expect(existsSync(bench.path('d'))).toBe(false);
    await isSame();
    expect(modeOf('d')).toBe(0o750);
  });

  it('is removed when it is a link, which is made elsewhere first', async () => {
    const host = await begin(({ other }) => other.symlink('link', 'target'));
    expect(host.met[1]).toBe(bench.path('.godwit', 'tmp'));
    expect(readdirSync(bench.path('.godwit', 'tmp'))).toEqual([]);
    await isSame();
  });
});

it('an entry in place is not waited for when only the time of its directory could not be set', async () => {
  const host = new HookedHost();
  let isFailing = false;
  const setMtime = host.setMtime.bind(host);
  host.setMtime = (path, nanoseconds) => {
    if (isFailing && path.endsWith('/.')) throw Object.assign(new Error('EIO'), { code: 'EIO' });
    setMtime(path, nanoseconds);
  };
  await bench.destroy();
  bench = new FolderBench(host);
  await bench.start();
  isFailing = true;
  bench.other.mkdir('d', 0o750);
  const reached = bench.folder.reached(bench.volume.head);
  await bench.until(() => bench.folder.status().errors.length > 0);
  isFailing = false;
  await reached;
  await bench.until(() => bench.folder.status().errors.length === 0);
  expect(modeOf('d')).toBe(0o750);
});

it('a new directory inherits the group of its parent', async () => {
  bench.other.mkdir('shared');
  await bench.start();
  await isSame();
  chmodSync(bench.path('shared'), 0o2755);
  bench.other.mkdir('shared/below', 0o750);
  await isSame();
  expect(modeOf('shared/below')).toBe(0o2750);
});

describe('a directory found after a crash', () => {
  /** As `mkdir` leaves it, before it has got anything else. */
  const begun = (name: string): void => {
    mkdirSync(bench.path(name));
    chmodSync(bench.path(name), BEGUN_MODE);
  };

  beforeEach(async () => {
    await bench.start();
    bench.keepRecords();
    await bench.crash();
  });

  it.each([0o755, 0o700, 0o500])('gets its mode when it was only begun: %o', async (mode) => {
    bench.other.mkdir('d', mode);
    begun('d');
    await bench.start();
    await isSame();
    expect(modeOf('d')).toBe(mode);
    expect(bench.volume.status('d').mode).toBe(mode);
    expect(bench.told().filter((line) => line.includes('d'))).toEqual([]);
  });

  it('gets its mode also with a file in it, which is logged', async () => {
    bench.other.mkdir('d', 0o750);
    begun('d');
    writeFileSync(bench.path('d', 'mine'), 'mine');
    await bench.start();
    await isSame();
    expect([modeOf('d'), bench.volume.status('d').mode]).toEqual([0o750, 0o750]);
    expect(bench.volume.tree()).toEqual({ 'd/': '', 'd/mine': 'mine' });
  });

  it('is removed when it is no longer needed, unless a file is in it', async () => {
    begun('gone');
    begun('used');
    writeFileSync(bench.path('used', 'mine'), 'mine');
    await bench.start();
    await isSame();
    expect(bench.volume.tree()).toEqual({ 'used/': '', 'used/mine': 'mine' });
  });

  it('keeps a mode that its user set meanwhile', async () => {
    bench.other.mkdir('d', 0o755);
    begun('d');
    chmodSync(bench.path('d'), 0o711);
    await bench.start();
    await isSame();
    expect([modeOf('d'), bench.volume.status('d').mode]).toEqual([0o711, 0o711]);
  });

  it("has its user's changes logged when it was in place", async () => {
    bench.other.mkdir('d', 0o755);
    bench.other.mkdir('same', 0o755);
    for (const name of ['d', 'same']) {
      mkdirSync(bench.path(name));
      new HookedHost().setMtime(bench.path(name), BigInt(bench.volume.status(name).mtime));
    }
    chmodSync(bench.path('d'), 0o700);
    await bench.start();
    await isSame();
    expect([modeOf('d'), bench.volume.status('d').mode]).toEqual([0o700, 0o700]);
    expect(bench.told().filter((line) => line.includes('same'))).toEqual([]);
  });
});

describe('a read-only directory while it is changed', () => {
  const modes = (): number[] => [modeOf('d'), bench.volume.status('d').mode];
  const start = async (): Promise<void> => {
    bench.other.mkdir('d', 0o555);
    await bench.start();
    await isSame();
    bench.keepRecords();
  };

  it('is marked by its mode for as long as it is writable', async () => {
    const host = new HookedHost();
    await bench.destroy();
    bench = new FolderBench(host);
    await start();
    let meanwhile = 0;
    host.at('placing', () => (meanwhile = modeOf('d')));
    await bench.other.write('d/in', 'in');
    await isSame();
    expect([meanwhile, ...modes()]).toEqual([0o1755, 0o555, 0o555]);
  });

  it('has its mode again after a crash meanwhile', async () => {
    await start();
    await bench.crash();
    chmodSync(bench.path('d'), 0o1755);
    await bench.start();
    await isSame();
    expect(modes()).toEqual([0o555, 0o555]);
  });

  it('keeps the mode of a user who made it writable', async () => {
    await start();
    await bench.crash();
    chmodSync(bench.path('d'), 0o755);
    await bench.start();
    await isSame();
    expect(modes()).toEqual([0o755, 0o755]);
  });
});

describe('attributes that were set and not recorded', () => {
  it('are logged only where they differ', async () => {
    const mtime = mtimeFromMs(1000);
    await bench.other.write('a', 'a');
    bench.other.mkdir('d');
    await bench.start();
    await isSame();
    bench.keepRecords();
    for (const name of ['a', 'd']) bench.other.setattr(name, { mode: 0o700, mtime });
    await isSame();
    await bench.crash();
    chmodSync(bench.path('a'), 0o750);
    await bench.start();
    await isSame();
    expect(bench.told()).toEqual(['setattr a mode']);
    const [a, d] = ['a', 'd'].map((name) => bench.volume.status(name));
    expect([a, d]).toMatchObject([
      { mode: 0o750, mtime },
      { mode: 0o700, mtime },
    ]);
  });
});
