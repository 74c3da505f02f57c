/** What it costs to look at conflicts, counted: there may be ten thousand of them, and a commit for each. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { ConflictStatus } from '../../../shared/control/snapshot.ts';
import type { VolumeInfo } from '../../../shared/model/change.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import { wallTime } from '../../../shared/model/time.ts';
import type { Attributes, FileSystem } from '../../../shared/ports/file-system.ts';
import { SILENT } from '../../../test/support/silent-log.ts';
import { ConflictBook, type BookParts } from './conflict-book.ts';
import { ConflictKeeper, type KeeperParts } from './conflict-keeper.ts';

const MANY = 10_000;
const NOW = Date.UTC(2026, 0, 1);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-keeper-'));
});
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

const conflictsUpTo = (count: number): ConflictStatus[] =>
  Array.from({ length: count }, (_, at) => ({
    id: count - at,
    when: new Date(NOW).toISOString(),
    path: `doc ${at}`,
    copy: `doc ${at} (conflict)`,
    kind: 'contents',
  }));

/** Both sides of every conflict are there, in the only volume. */
class Counted {
  volumesAsked = 0;
  lookups = 0;
  synced = 0;
  /** A call for the volumes waits for this. */
  open: Promise<unknown> = Promise.resolve();

  parts(): BookParts {
    const fileSystem: Pick<FileSystem, 'volumes' | 'lookup'> = {
      volumes: async () => {
        this.volumesAsked += 1;
        await this.open;
        return [{ name: 'home', root: '1.1.1' as Fid } as VolumeInfo];
      },
      lookup: (_dir, name) => {
        this.lookups += 1;
        const there = { kind: 'symlink', fid: '1.2.1', version: 1, digest: null, target: name };
        return Promise.resolve(there as unknown as Attributes);
      },
    };
    return {
      file: join(folder, 'conflicts.json'),
      fileSystem: fileSystem as FileSystem,
      host: { syncDirectory: () => void (this.synced += 1) },
      clock: { wall: () => wallTime(NOW) },
      log: SILENT,
    };
  }
}

type Test = (...of: unknown[]) => unknown;

/** How many things searches of arrays look at, while `work` is done. */
async function searched(work: () => Promise<void>): Promise<number> {
  let count = 0;
  for (const name of ['find', 'findIndex', 'findLast', 'filter', 'some', 'every'] as const) {
    const search = Reflect.get(Array.prototype, name) as (test: Test) => unknown;
    jest.spyOn(Array.prototype, name).mockImplementation(function (this: unknown[], test) {
      return search.call(this, (...of) => {
        count += 1;
        return (test as Test)(...of);
      }) as never;
    });
  }
  await work();
  jest.restoreAllMocks();
  return count;
}

it('ten thousand conflicts cost a fixed amount of work each', async () => {
  const counted = new Counted();
  const book = new ConflictBook(counted.parts());
  const conflicts = conflictsUpTo(MANY);
  await book.look(conflicts.slice(1));
  expect(counted).toMatchObject({ lookups: 2 * (MANY - 1), synced: 1 });

  // One more: nothing is asked about those that are known.
  expect(await searched(() => book.look(conflicts))).toBeLessThanOrEqual(MANY);
  expect(counted).toMatchObject({ volumesAsked: MANY, lookups: 2 * MANY, synced: 2 });

  // As told again after a start: nothing is asked or written at all.
  const again = new Counted();
  const reopened = new ConflictBook(again.parts());
  expect(await searched(() => reopened.look(conflicts))).toBeLessThanOrEqual(MANY);
  expect(again).toMatchObject({ volumesAsked: 0, lookups: 0, synced: 0 });
  const [last] = conflicts as [ConflictStatus];
  expect(reopened.find(last)).toMatchObject({ id: MANY, mine: { target: last.copy } });
  expect(reopened.find({ ...last, when: 'another time' })).toBeNull();
});

it('a conflict that names its volume is looked up in that volume only', async () => {
  const counted = new Counted();
  const parts = counted.parts();
  const volumes = ['home', 'team'].map((name) => ({ name, root: '1.1.1' as Fid }) as VolumeInfo);
  const fileSystem = Object.assign(parts.fileSystem, { volumes: () => Promise.resolve(volumes) });
  const book = new ConflictBook({ ...parts, fileSystem });
  const [conflict] = conflictsUpTo(1) as [ConflictStatus];
  await book.look([conflict]);
  // Both have such names: nobody knows which are meant.
  expect(book.find(conflict)).toBeNull();
  await book.look([{ ...conflict, volume: 'team' }]);
  expect(book.find(conflict)).toMatchObject({ volume: 'team' });
});

it('looks requested during another look are combined into one look at the newest list', async () => {
  const counted = new Counted();
  const { promise, resolve } = Promise.withResolvers<undefined>();
  counted.open = promise;
  let conflicts = conflictsUpTo(1);
  let asked = 0;
  const parts = {
    ...counted.parts(),
    conflicts: () => {
      asked += 1;
      return conflicts;
    },
  };
  const keeper = new ConflictKeeper(parts as unknown as KeeperParts);
  const first = keeper.look();
  await Promise.resolve();
  expect(asked).toBe(1);

  const further = Array.from({ length: 100 }, (_, at) => {
    conflicts = conflictsUpTo(2 + at);
    return keeper.look();
  });
  conflicts = conflictsUpTo(3);
  resolve(undefined);
  await Promise.all([first, ...further]);
  expect(asked).toBe(2);
  expect(counted.volumesAsked).toBe(3);

  await keeper.look();
  expect(asked).toBe(3);
});

it('a failed look ends, and the next one begins', async () => {
  let asked = 0;
  const parts = {
    ...new Counted().parts(),
    conflicts: () => {
      asked += 1;
      if (asked === 1) throw new Error('not now');
      return [];
    },
  };
  const keeper = new ConflictKeeper(parts as unknown as KeeperParts);
  await expect(keeper.look()).rejects.toThrow('not now');
  await keeper.look();
  expect(asked).toBe(2);
});
