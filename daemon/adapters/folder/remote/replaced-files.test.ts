/** What a daemon that died in the middle of a swap left in the room of late bases. */
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { milliseconds } from '../../../../shared/model/time.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { FolderBench } from '../../../../test/support/folder-bench.ts';
import { HookedHost } from '../../../../test/support/hooked-host.ts';
import { systemDisk } from '../disk/system-disk.ts';
import { RecordStore } from '../records/record-store.ts';
import { SafeRoot } from '../disk/safe-root.ts';

let bench: FolderBench;
let host: HookedHost;
const late = (name: string): string => bench.path('.godwit', 'late', name);

beforeEach(async () => {
  host = new HookedHost();
  bench = new FolderBench(host);
  await bench.other.write('doc', 'one');
  await bench.start();
});
afterEach(async () => {
  jest.restoreAllMocks();
  await bench.destroy();
});

it('new contents are put into the folder of replaced files before the swap', async () => {
  let seen: string[] = [];
  host.at('placing', () => {
    seen = readdirSync(late(''));
  });
  await bench.other.write('doc', 'two');
  await bench.settled();
  expect(seen).toHaveLength(1);
  expect(seen[0]).toMatch(/_3_\d+_[0-9a-f]+_b3[0-9a-f]{32}_inode[\d-]+_doc$/);
});

it('a daemon that died before the swap leaves contents that go at once', async () => {
  const { fid } = bench.volume.status('doc');
  const root = new SafeRoot(bench.root, systemDisk(host));
  await bench.close();
  writeFileSync(late('new'), 'the new contents');
  const inode = root.factsAt(late('new'))?.inode ?? '';
  const name = late(`${fid}_3_17_abc_inode${inode}_doc`);
  renameSync(late('new'), name);
  await bench.start();
  expect(existsSync(name)).toBe(false);
  expect(bench.tree()).toEqual({ doc: 'one' });
});

it('a daemon that died after the swap of a changed file leaves a conflict copy', async () => {
  const { fid } = bench.volume.status('doc');
  await bench.close();
  writeFileSync(late(`${fid}_3_17_abc_inode1:2_doc`), 'mine, not logged yet');
  bench.limits = { ...bench.limits, late: milliseconds(0) };
  const made = jest.spyOn(bench.volume, 'create');
  await bench.start();
  await bench.volume.until(() => Object.keys(bench.volume.tree()).length === 2);
  // The one who makes a copy says so (C4).
  const said = made.mock.calls.map(([, name, { copyOf }]) => [name, copyOf]);
  expect(said).toEqual([[expect.stringContaining('(conflict, laptop, '), 'doc']]);
  expect(Object.values(bench.volume.tree())).toEqual(
    expect.arrayContaining(['one', 'mine, not logged yet']),
  );
});

it('replaced files are checked again after the disk has failed once', async () => {
  const { fid } = bench.volume.status('doc');
  await bench.close();
  bench.limits = { ...bench.limits, late: milliseconds(50) };
  await bench.start();
  renameSync(late(''), late('../away'));
  await bench.until(() => bench.folder.status().errors.length > 0);
  renameSync(late('../away'), late(''));
  writeFileSync(late(`${fid}_3_17_abc_inode1:2_doc`), 'mine, not logged yet');
  await bench.volume.until(() =>
    Object.values(bench.volume.tree()).includes('mine, not logged yet'),
  );
});

it('a late write that finds no place beside its file lies in lost+found, which is listed', async () => {
  const { fid } = bench.volume.status('doc');
  await bench.close();
  bench.limits = { ...bench.limits, late: milliseconds(50) };
  await bench.start();
  expect(bench.folder.aside()).toEqual([]);
  host.at('placing', () => {
    throw Object.assign(new Error('EIO: of the disk'), { code: 'EIO' });
  });
  writeFileSync(late(`${fid}_3_17_abc_inode1:2_doc`), 'mine, not logged yet');
  await bench.until(() => readdirSync(late('../lost+found')).length === 1);
  const [path = ''] = bench.folder.aside();
  expect(readFileSync(bench.path(...path.split('/')), 'utf8')).toBe('mine, not logged yet');
});

describe('replaced files on a full disk', () => {
  /** Taken by the next save of the records. */
  async function fill(): Promise<void> {
    jest.spyOn(RecordStore.prototype, 'save').mockImplementationOnce(() => {
      throw new GodwitError('disk-full');
    });
    await bench.other.write('another', 'one more');
    await bench.settled();
    expect(bench.tree()).toMatchObject({ another: 'one more' });
  }

  it('are removed when nobody has them open', async () => {
    await bench.other.write('doc', 'two');
    await bench.settled();
    expect(readdirSync(late(''))).toHaveLength(1);
    await fill();
    expect(readdirSync(late(''))).toEqual([]);
  });

  it('stay while a program has them open for writing, and its writes are kept', async () => {
    const file = openSync(bench.path('doc'), 'r+');
    await bench.other.write('doc', 'two');
    await bench.settled();
    await fill();
    expect(readdirSync(late(''))).toHaveLength(1);
    writeSync(file, 'late words');
    closeSync(file);
    await bench.close();
    bench.limits = { ...bench.limits, late: milliseconds(0) };
    await bench.start();
    await bench.volume.until(() => Object.values(bench.volume.tree()).includes('late words'));
    expect(bench.volume.tree()).toMatchObject({ doc: 'two' });
  });

  it('stay when they cannot be checked, and others go', async () => {
    await bench.other.write('doc', 'two');
    await bench.settled();
    await bench.other.write('doc', 'three');
    await bench.settled();
    const [first] = readdirSync(late('')).sort();
    jest.spyOn(host, 'isBeingWritten').mockImplementation((path) => {
      if (path.endsWith(first as string)) throw new Error('EACCES: permission denied, open');
      return false;
    });
    await fill();
    expect(readdirSync(late(''))).toEqual([first]);
  });

  it('do not stop the folder when their own folder is missing', async () => {
    renameSync(late(''), late('../away'));
    await fill();
    renameSync(late('../away'), late(''));
    await bench.other.write('doc', 'two');
    await bench.settled();
    expect(bench.tree()).toMatchObject({ doc: 'two' });
  });
});

describe('the number of replaced files', () => {
  const names = (): string[] =>
    readdirSync(late('')).map((file) => file.slice(file.lastIndexOf('_') + 1));

  /** So many files are replaced, one after the other. */
  async function replace(count: number): Promise<void> {
    for (let each = 0; each < count; each++) await bench.other.write(`f${each}`, 'one');
    await bench.settled();
    for (let each = 0; each < count; each++) {
      await bench.other.write(`f${each}`, 'three');
      await bench.settled();
    }
  }

  async function bounded(limits: Partial<FolderBench['limits']>): Promise<void> {
    await bench.close();
    bench.limits = { ...bench.limits, ...limits };
    await bench.start();
  }

  it('is bounded: the oldest go', async () => {
    await bounded({ lateFiles: 3 });
    await replace(7);
    expect(names().sort()).toEqual(['f4', 'f5', 'f6']);
  });

  it('is bounded by their bytes, too', async () => {
    await bounded({ lateBytes: 7 });
    await replace(5);
    expect(names().sort()).toEqual(['f3', 'f4']);
  });

  it('is bounded also for those of an earlier run', async () => {
    await replace(6);
    await bounded({ lateFiles: 2 });
    expect(names().sort()).toEqual(['f4', 'f5']);
  });

  it('does not grow by the removal of a tree', async () => {
    await bounded({ lateFiles: 3 });
    for (let each = 0; each < 20; each++) await bench.other.write(`f${each}`, 'one');
    await bench.settled();
    for (let each = 0; each < 20; each++) bench.other.remove(`f${each}`);
    await bench.settled();
    expect(names().sort()).toEqual(['f17', 'f18', 'f19']);
    expect(Object.keys(bench.tree())).toEqual(['doc']);
  });

  it('excludes files that are open for writing, whose late writes are kept', async () => {
    await bounded({ lateFiles: 2, late: milliseconds(0) });
    for (let each = 0; each < 4; each++) await bench.other.write(`f${each}`, 'one');
    await bench.settled();
    const files = [0, 1, 2, 3].map((each) => openSync(bench.path(`f${each}`), 'r+'));
    for (let each = 0; each < 4; each++) await bench.other.write(`f${each}`, 'three');
    await bench.settled();
    await bounded({});
    expect(names().sort()).toEqual(['f0', 'f1', 'f2', 'f3']);
    for (const file of files) {
      writeSync(file, 'late');
      closeSync(file);
    }
    await bounded({});
    await bench.settled();
    const kept = Object.values(bench.volume.tree()).filter((text) => text === 'late');
    expect(kept).toHaveLength(4);
    expect(names()).toEqual([]);
  });

  it('costs few checks for each new one, however many there are', async () => {
    await bounded({ lateFiles: 3 });
    const asked = jest.spyOn(host, 'isBeingWritten');
    await replace(3);
    const before = asked.mock.calls.length;
    await replace(3);
    expect(asked.mock.calls.length - before).toBeLessThan(3 * 12);
  });
});
