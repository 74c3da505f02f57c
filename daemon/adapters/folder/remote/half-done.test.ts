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

describe('what can not be finished', () => {
  const begin = async (change: (bench: FolderBench) => void): Promise<FailingHost> => {
    const host = new FailingHost();
    await bench.destroy();
    bench = new FolderBench(host);
    await bench.start();
    change(bench);
    await bench.until(() => bench.folder.status().errors.length > 0);
    return host;
  };

  it('is removed: a directory, which is known by its mode until then', async () => {
    const host = await begin(({ other }) => other.mkdir('d', 0o750));
    expect(host.met[0]).toBe('d 1700');
    expect(existsSync(bench.path('d'))).toBe(false);
    await isSame();
    expect(modeOf('d')).toBe(0o750);
  });

  it('is removed: a link, which is made elsewhere', async () => {
    const host = await begin(({ other }) => other.symlink('link', 'target'));
    expect(host.met[1]).toBe(bench.path('.godwit', 'tmp'));
    expect(readdirSync(bench.path('.godwit', 'tmp'))).toEqual([]);
    await isSame();
  });
});

it('what is in place after all, where only the time of its directory could not be set, is not waited for', async () => {
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

it('a directory inherits the group of the one that it is made in', async () => {
  bench.other.mkdir('shared');
  await bench.start();
  await isSame();
  chmodSync(bench.path('shared'), 0o2755);
  bench.other.mkdir('shared/below', 0o750);
  await isSame();
  expect(modeOf('shared/below')).toBe(0o2750);
});

describe('after a crash, a directory', () => {
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

  it.each([0o755, 0o700, 0o500])('gets its mode where it was only begun: %o', async (mode) => {
    bench.other.mkdir('d', mode);
    begun('d');
    await bench.start();
    await isSame();
    expect(modeOf('d')).toBe(mode);
    expect(bench.volume.status('d').mode).toBe(mode);
    expect(bench.told().filter((line) => line.includes('d'))).toEqual([]);
  });

  it('gets it also with something in it, which is logged', async () => {
    bench.other.mkdir('d', 0o750);
    begun('d');
    writeFileSync(bench.path('d', 'mine'), 'mine');
    await bench.start();
    await isSame();
    expect([modeOf('d'), bench.volume.status('d').mode]).toEqual([0o750, 0o750]);
    expect(bench.volume.tree()).toEqual({ 'd/': '', 'd/mine': 'mine' });
  });

  it('goes where nobody wants it any more, unless something is in it', async () => {
    begun('gone');
    begun('used');
    writeFileSync(bench.path('used', 'mine'), 'mine');
    await bench.start();
    await isSame();
    expect(bench.volume.tree()).toEqual({ 'used/': '', 'used/mine': 'mine' });
  });

  it('keeps the mode that its user gave it meanwhile', async () => {
    bench.other.mkdir('d', 0o755);
    begun('d');
    chmodSync(bench.path('d'), 0o711);
    await bench.start();
    await isSame();
    expect([modeOf('d'), bench.volume.status('d').mode]).toEqual([0o711, 0o711]);
  });

  it('is told of what its user did to one that was in place', async () => {
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

describe('a directory that its owner may not write, in which something was put', () => {
  const modes = (): number[] => [modeOf('d'), bench.volume.status('d').mode];
  const start = async (): Promise<void> => {
    bench.other.mkdir('d', 0o555);
    await bench.start();
    await isSame();
    bench.keepRecords();
  };

  it('is known by its mode for as long as it can be written', async () => {
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

  it('is as it was after a crash in between', async () => {
    await start();
    await bench.crash();
    chmodSync(bench.path('d'), 0o1755);
    await bench.start();
    await isSame();
    expect(modes()).toEqual([0o555, 0o555]);
  });

  it('is as its user wants it who has let themselves in', async () => {
    await start();
    await bench.crash();
    chmodSync(bench.path('d'), 0o755);
    await bench.start();
    await isSame();
    expect(modes()).toEqual([0o755, 0o755]);
  });
});

describe('attributes from elsewhere that were set, and not recorded', () => {
  it('are not told; what is different is', async () => {
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
