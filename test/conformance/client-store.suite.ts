/** What every ClientStore must do, whether on a disk or simulated. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CLIENT_TABLES } from '../../shared/ports/client-store.ts';
import type { ClientRows, ClientStore, RowChange } from '../../shared/ports/client-store.ts';
import { anyCommits, SAMPLE_ROWS } from '../support/client-rows.ts';

export interface ClientStoreHarness {
  /** The store as the next process finds it. The one before may have been closed, or killed. */
  open(): ClientStore;
  /** From now on there is no room, until `free`. */
  fill(): void;
  free(): void;
}

const put = (key: string, value: string | number | boolean | null): RowChange => ({
  table: 'meta',
  key,
  value,
});
const drop = (key: string): RowChange => ({ table: 'meta', key, value: undefined });
const entry = (key: string, value: string): RowChange =>
  ({ table: 'entry', key, value }) as RowChange;

/** More than any file has room for between two pages. */
const BULKY = 'x'.repeat(1024 * 1024);

export function clientStoreSuite(name: string, make: () => ClientStoreHarness): void {
  /** What a new process finds after these commits. */
  const after = async (...commits: RowChange[][]): Promise<ClientRows> => {
    const harness = make();
    const store = harness.open();
    await store.load();
    for (const changes of commits) await store.commit(changes);
    await store.close();
    return harness.open().load();
  };

  describe(`${name}: ClientStore`, () => {
    it('begins with empty tables, all of them', async () => {
      const rows = await make().open().load();
      expect(Object.keys(rows).sort()).toEqual([...CLIENT_TABLES].sort());
      for (const table of CLIENT_TABLES) expect(rows[table].size).toBe(0);
    });

    it.each(CLIENT_TABLES)('keeps rows of %s as they were', async (table) => {
      const samples = SAMPLE_ROWS.filter((change) => change.table === table);
      const rows = await after(samples);
      expect([...rows[table]]).toEqual(samples.map(({ key, value }) => [key, value]));
    });

    it('keeps what was committed by a process that was killed', async () => {
      const harness = make();
      const store = harness.open();
      await store.load();
      await store.commit([put('a', 1)]);
      const rows = await harness.open().load();
      expect([...rows.meta]).toEqual([['a', 1]]);
    });

    it('removes rows; one that is not there is no fault', async () => {
      const all = SAMPLE_ROWS.map((change) => ({ ...change, value: undefined }));
      const rows = await after(SAMPLE_ROWS, all, [drop('never there')]);
      for (const table of CLIENT_TABLES) expect([...rows[table]]).toEqual([]);
    });

    it('tells null from nothing', async () => {
      const rows = await after([put('none', null), put('gone', 1)], [drop('gone')]);
      expect([...rows.meta]).toEqual([['none', null]]);
    });

    it('lets the later change of a key win, in one commit and over several', async () => {
      const rows = await after(
        [put('a', 1), put('a', 2), put('b', 1), drop('b'), drop('c'), put('c', 1)],
        [put('c', 2)],
      );
      expect([...rows.meta]).toEqual([
        ['a', 2],
        ['c', 2],
      ]);
    });

    it('takes an empty commit', async () => {
      expect([...(await after([], [put('a', 1)], [])).meta]).toEqual([['a', 1]]);
    });

    it.each(["it's", 'a"b', 'new\nline', 'é', 'e\u0301', '𝄞', '%_', 'A', ' '])(
      'tells entry names apart by their characters: %j',
      async (odd) => {
        const [mine, plain] = [entry(`1.1.1/${odd}`, '1.2.1'), entry('1.1.1/a', '1.3.1')];
        const rows = await after([mine, plain]);
        expect(rows.entry.get(`1.1.1/${odd}`)).toBe('1.2.1');
        expect(rows.entry.size).toBe(2);
      },
    );

    it('changes nothing when there is no room, and goes on when there is', async () => {
      const harness = make();
      const store = harness.open();
      await store.load();
      await store.commit([put('kept', 1)]);
      harness.fill();
      const tooMuch = [put('half', 1), drop('kept'), put('bulky', BULKY)];
      await expect(store.commit(tooMuch)).rejects.toMatchObject({ code: 'disk-full' });
      expect([...(await harness.open().load()).meta]).toEqual([['kept', 1]]);
    });

    it('goes on when there is room again', async () => {
      const harness = make();
      const store = harness.open();
      await store.load();
      harness.fill();
      await expect(store.commit([put('bulky', BULKY)])).rejects.toMatchObject({
        code: 'disk-full',
      });
      harness.free();
      await store.commit([put('a', 1)]);
      expect([...(await harness.open().load()).meta]).toEqual([['a', 1]]);
    });

    it('keeps what it was given, whatever the caller does to the object later', async () => {
      const harness = make();
      const store = harness.open();
      await store.load();
      const value = { kind: 'create-create', volume: null, path: 'a', copy: 'b', when: 'then' };
      const committed = store.commit([{ table: 'conflict', key: '1', value }]);
      value.path = 'changed';
      await committed;
      expect((await harness.open().load()).conflict.get('1')?.path).toBe('a');
    });

    it('ends where a map would, whatever the commits', async () => {
      await fc.assert(
        fc.asyncProperty(anyCommits(), async (commits) => {
          const expected = new Map(CLIENT_TABLES.map((table) => [table, new Map()]));
          for (const { table, key, value } of commits.flat()) {
            if (value === undefined) expected.get(table)?.delete(key);
            else expected.get(table)?.set(key, value);
          }
          const rows = await after(...commits);
          for (const table of CLIENT_TABLES) expect(rows[table]).toEqual(expected.get(table));
        }),
        { numRuns: 25 },
      );
    });
  });
}
