/** What every ClientStore must do, whether on a disk or simulated. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Fid } from '../../shared/model/fid.ts';
import { dataVersion } from '../../shared/model/vnode.ts';
import { CLIENT_TABLES } from '../../shared/ports/client-store.ts';
import type {
  ClientRows,
  ClientStore,
  ClientTable,
  RowChange,
} from '../../shared/ports/client-store.ts';
import { anyCommits, SAMPLE_ROWS } from '../support/client-rows.ts';

export interface ClientStoreHarness {
  /** Opens the store as the next process does. The previous one may have been closed or killed. */
  open(): ClientStore;
  /** Opens it after a loss of power, which may lose recorded commits. */
  afterPowerLoss(): ClientStore;
  /** Makes the disk full until `free`. */
  fill(): void;
  free(): void;
  /** Changes a row while no process has the store open; without a key, removes the last row of the table. */
  spoil(table: ClientTable, key: string | null): void;
}

const put = (key: string, value: string | number | boolean | null): RowChange => ({
  table: 'meta',
  key,
  value,
});
const drop = (key: string): RowChange => ({ table: 'meta', key, value: undefined });
const entry = (key: string, value: string): RowChange =>
  ({ table: 'entry', key, value }) as RowChange;

/** More than any file can hold between two pages. */
const BULKY = 'x'.repeat(1024 * 1024);

export function clientStoreSuite(name: string, make: () => ClientStoreHarness): void {
  /** The rows that a new process reads after these commits. */
  const after = async (...commits: RowChange[][]): Promise<ClientRows> => {
    const harness = make();
    const store = harness.open();
    await store.load();
    for (const changes of commits) await store.commit(changes);
    await store.close();
    return harness.open().load();
  };

  describe(`a ClientStore (${name})`, () => {
    it('begins with all of its tables empty', async () => {
      const rows = await make().open().load();
      expect(Object.keys(rows).sort()).toEqual([...CLIENT_TABLES].sort());
      for (const table of CLIENT_TABLES) expect(rows[table].size).toBe(0);
    });

    it.each(CLIENT_TABLES)('keeps rows of %s unchanged', async (table) => {
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

    it('removes rows, and accepts the removal of a missing row', async () => {
      const all = SAMPLE_ROWS.map((change) => ({ ...change, value: undefined }));
      const rows = await after(SAMPLE_ROWS, all, [drop('never there')]);
      for (const table of CLIENT_TABLES) expect([...rows[table]]).toEqual([]);
    });

    it('distinguishes null from a missing row', async () => {
      const rows = await after([put('none', null), put('gone', 1)], [drop('gone')]);
      expect([...rows.meta]).toEqual([['none', null]]);
    });

    it('applies the last change of a key, within one commit and over several', async () => {
      const rows = await after(
        [put('a', 1), put('a', 2), put('b', 1), drop('b'), drop('c'), put('c', 1)],
        [put('c', 2)],
      );
      expect([...rows.meta]).toEqual([
        ['a', 2],
        ['c', 2],
      ]);
    });

    describe.each(CLIENT_TABLES)('a row of %s that was altered on the disk', (table) => {
      const samples = SAMPLE_ROWS.filter((change) => change.table === table);
      const [first] = samples;
      const others = samples.slice(1).map(({ key }) => key);

      it('is not loaded and is reported as damage until the next commit', async () => {
        const harness = make();
        const store = harness.open();
        await store.load();
        await store.commit(SAMPLE_ROWS);
        expect(store.damage()).toEqual([]);
        await store.close();
        harness.spoil(table, first?.key ?? '');
        const told = [{ table, altered: [first?.key], incomplete: false }];
        for (let process = 0; process < 2; process++) {
          const next = harness.open();
          expect([...(await next.load())[table].keys()]).toEqual(others);
          expect(next.damage()).toEqual(told);
          if (process === 1) await next.commit([]);
          await next.close();
        }
        const last = harness.open();
        expect([...(await last.load())[table].keys()]).toEqual(others);
        expect(last.damage()).toEqual([]);
        await last.close();
      });

      it('is reported when it is missing, and all other rows are loaded', async () => {
        const harness = make();
        const store = harness.open();
        await store.load();
        await store.commit(SAMPLE_ROWS);
        await store.close();
        harness.spoil(table, null);
        const next = harness.open();
        expect((await next.load())[table].size).toBe(samples.length - 1);
        expect(next.damage()).toEqual([{ table, altered: [], incomplete: true }]);
        await next.commit([]);
        await next.close();
        const last = harness.open();
        await last.load();
        expect(last.damage()).toEqual([]);
        await last.close();
      });
    });

    it('accepts an empty commit', async () => {
      expect([...(await after([], [put('a', 1)], [])).meta]).toEqual([['a', 1]]);
    });

    it.each(["it's", 'a"b', 'new\nline', 'é', 'e\u0301', '𝄞', '%_', 'A', ' '])(
      'distinguishes entry names by their characters: %j',
      async (odd) => {
        const [mine, plain] = [entry(`1.1.1/${odd}`, '1.2.1'), entry('1.1.1/a', '1.3.1')];
        const rows = await after([mine, plain]);
        expect(rows.entry.get(`1.1.1/${odd}`)).toBe('1.2.1');
        expect(rows.entry.size).toBe(2);
      },
    );

    it('changes nothing when the disk is full and goes on when there is space', async () => {
      const harness = make();
      const store = harness.open();
      await store.load();
      await store.commit([put('kept', 1)]);
      harness.fill();
      const tooMuch = [put('half', 1), drop('kept'), put('bulky', BULKY)];
      await expect(store.commit(tooMuch)).rejects.toMatchObject({ code: 'disk-full' });
      expect([...(await harness.open().load()).meta]).toEqual([['kept', 1]]);
    });

    it('commits again as soon as there is space again', async () => {
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

    it('keeps the value it was given when the caller modifies the object later', async () => {
      const harness = make();
      const store = harness.open();
      await store.load();
      const about = { kind: 'create-create', volume: null, sides: null, when: 'then' };
      const value = { ...about, path: 'a', copy: 'b' };
      const committed = store.commit([{ table: 'conflict', key: '1', value }]);
      value.path = 'changed';
      await committed;
      expect((await harness.open().load()).conflict.get('1')?.path).toBe('a');
    });

    it('keeps both sides of a conflict, or where they are to be asked for', async () => {
      const harness = make();
      const store = harness.open();
      await store.load();
      const about = { kind: 'elsewhere', volume: null, when: 'then', path: 'a', copy: 'b' };
      const nothing = {
        kind: 'file',
        version: dataVersion(0),
        digest: null,
        target: null,
      } as const;
      const mine = { ...nothing, fid: '1.2.3' as Fid };
      const unseen = { dir: '1.1.1' as Fid, name: 'a', copy: mine.fid, mine, commit: 7 as never };
      const rows = {
        1: { ...about, sides: null },
        2: { ...about, sides: null, unseen },
        3: { ...about, sides: { mine, theirs: null } },
      };
      await store.commit(
        Object.entries(rows).map(([key, value]) => ({ table: 'conflict', key, value })),
      );
      expect(Object.fromEntries((await harness.open().load()).conflict)).toEqual(rows);
    });

    /** Records the lists one by one. Returns the store and the numbers of the records. */
    const recording = async (harness: ClientStoreHarness, ...lists: RowChange[][]) => {
      const store = harness.open();
      await store.recorded();
      await store.load();
      const numbers: number[] = [];
      for (const changes of lists) numbers.push((await store.record(changes)) as number);
      return { store, numbers };
    };

    it('has no recorded changes at first', async () => {
      expect(await make().open().recorded()).toEqual([]);
    });

    it('keeps changes recorded by a killed process without making rows of them', async () => {
      const harness = make();
      const { numbers } = await recording(harness, [put('a', 1), drop('b')], SAMPLE_ROWS);
      const next = harness.open();
      expect(await next.recorded()).toEqual([
        { number: numbers[0], changes: [put('a', 1), drop('b')], isDoubtful: false },
        { number: numbers[1], changes: SAMPLE_ROWS, isDoubtful: false },
      ]);
      expect(numbers[1]).toBe((numbers[0] ?? 0) + 1);
      expect((await next.load()).meta.size).toBe(0);
    });

    it('drops a recorded change once a commit contains it', async () => {
      const harness = make();
      const { store, numbers } = await recording(harness, [put('a', 1)], [put('b', 1)]);
      await store.commit([put('a', 1)], numbers[0]);
      const next = harness.open();
      expect((await next.recorded()).map(({ changes }) => changes)).toEqual([[put('b', 1)]]);
      expect([...(await next.load()).meta]).toEqual([['a', 1]]);
      await next.commit([put('b', 1)], numbers[1]);
      expect(await harness.open().recorded()).toEqual([]);
    });

    it('records further changes after and during a commit', async () => {
      const harness = make();
      const { store, numbers } = await recording(harness, [put('a', 'long '.repeat(100))]);
      const committed = store.commit([put('a', 1)], numbers[0]);
      const more = await store.record([put('b', 1)]);
      await committed;
      const last = await store.record([put('c', 1)]);
      expect([more, last]).toEqual([(numbers[0] ?? 0) + 1, (numbers[0] ?? 0) + 2]);
      const found = await harness.open().recorded();
      expect(found.map(({ number, changes }) => [number, changes])).toEqual([
        [more, [put('b', 1)]],
        [last, [put('c', 1)]],
      ]);
    });

    it('forgets recorded changes that a commit gives up', async () => {
      const harness = make();
      await recording(harness, [put('a', 1)], [put('b', 1)], [put('c', 1)]);
      const next = harness.open();
      const found = await next.recorded();
      await next.commit([put('a', 1)], found.at(-1)?.number);
      await next.record([put('d', 1)]);
      const last = harness.open();
      expect((await last.recorded()).map(({ changes }) => changes)).toEqual([[put('d', 1)]]);
      expect([...(await last.load()).meta]).toEqual([['a', 1]]);
    });

    it('has a prefix of the recorded changes after a loss of power and marks it as doubtful', async () => {
      const harness = make();
      const lists = ['a', 'b', 'c'].map((key) => [put(key, 1)]);
      const { store } = await recording(harness, ...lists);
      await store.commit([put('durable', 1)]);
      const next = harness.afterPowerLoss();
      const found = await next.recorded();
      expect(found.map(({ changes }) => changes)).toEqual(lists.slice(0, found.length));
      expect(found.every(({ isDoubtful }) => isDoubtful)).toBe(true);
      expect([...(await next.load()).meta]).toEqual([['durable', 1]]);
    });

    it('records all or nothing of a change when the disk is full', async () => {
      const harness = make();
      const { store } = await recording(harness);
      harness.fill();
      const number = await store.record([put('a', 1), put('bulky', BULKY)]);
      const found = await harness.open().recorded();
      expect(found.map((each) => each.number)).toEqual(number === null ? [] : [number]);
    });

    it('ends with the same rows as a map after any commits', async () => {
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
