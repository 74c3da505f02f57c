/** What a daemon that died in the middle of a swap left in the room of late bases. */
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { milliseconds } from '../../../shared/model/time.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { FolderBench } from '../../../test/support/folder-bench.ts';
import { HookedHost } from '../../../test/support/hooked-host.ts';
import { factsAt } from './disk-facts.ts';
import { RecordStore } from './record-store.ts';
import { SafeRoot } from './safe-root.ts';

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

it('new contents lie there before the swap, so that what comes out is never where it is cleared away', async () => {
  let seen: string[] = [];
  host.at('placing', () => {
    seen = readdirSync(late(''));
  });
  await bench.other.write('doc', 'two');
  await bench.settled();
  expect(seen).toHaveLength(1);
  expect(seen[0]).toMatch(/_3_\d+_[0-9a-f]+_inode[\d:]+_doc$/);
});

it('died before the swap: the new contents go, at once', async () => {
  const { fid } = bench.volume.status('doc');
  const root = new SafeRoot(bench.root, host);
  await bench.close();
  writeFileSync(late('new'), 'the new contents');
  const inode = factsAt(late('new'), root.device)?.inode ?? '';
  const name = late(`${fid}_3_17_abc_inode${inode}_doc`);
  renameSync(late('new'), name);
  await bench.start();
  expect(existsSync(name)).toBe(false);
  expect(bench.tree()).toEqual({ doc: 'one' });
});

it('died after the swap of a file that had changed: that becomes a conflict copy', async () => {
  const { fid } = bench.volume.status('doc');
  await bench.close();
  writeFileSync(late(`${fid}_3_17_abc_inode1:2_doc`), 'mine, not logged yet');
  bench.limits = { ...bench.limits, late: milliseconds(0) };
  await bench.start();
  await bench.volume.until(() => Object.keys(bench.volume.tree()).length === 2);
  expect(Object.values(bench.volume.tree())).toEqual(
    expect.arrayContaining(['one', 'mine, not logged yet']),
  );
});

it('are looked at again where the disk has failed at it once', async () => {
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

describe('on a full disk', () => {
  /** Taken by the next save of the records. */
  async function fill(): Promise<void> {
    jest.spyOn(RecordStore.prototype, 'save').mockImplementationOnce(() => {
      throw new GodwitError('disk-full');
    });
    await bench.other.write('another', 'one more');
    await bench.settled();
    expect(bench.tree()).toMatchObject({ another: 'one more' });
  }

  it('those that nobody has open give way', async () => {
    await bench.other.write('doc', 'two');
    await bench.settled();
    expect(readdirSync(late(''))).toHaveLength(1);
    await fill();
    expect(readdirSync(late(''))).toEqual([]);
  });

  it('those that a program has open to write stay, and what it writes is kept', async () => {
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

  it('one that can not be looked at stays, and keeps no other', async () => {
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

  it('where the room of them is away, the folder goes on', async () => {
    renameSync(late(''), late('../away'));
    await fill();
    renameSync(late('../away'), late(''));
    await bench.other.write('doc', 'two');
    await bench.settled();
    expect(bench.tree()).toMatchObject({ doc: 'two' });
  });
});
