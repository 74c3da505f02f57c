import { beforeEach, describe, expect, it } from '@jest/globals';
import { formatGroup, GROUP_XATTR, groupValue } from '../../../shared/model/file-group.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import type { Attributes } from '../../../shared/ports/file-system.ts';
import { ClientBench, ROOT, type BenchClient } from '../../../test/support/client-bench.ts';

/** Bytes of each file. */
const EACH = 1000;

let bench: ClientBench;
let ada: BenchClient;
let bob: BenchClient;

beforeEach(async () => {
  bench = await ClientBench.start();
  ada = await bench.join();
  bob = await bench.join();
});

const text = (name: string, bytes = EACH): string => name.repeat(bytes / name.length);

/** A group of new files, made by ada; bob knows nothing of it yet. */
async function grouped(names: readonly string[], bytes = EACH): Promise<Fid[]> {
  const files: Fid[] = [];
  const list = await ada.write(ROOT, `group of ${names[0]}`, '');
  for (const name of names) {
    const { fid } = await ada.write(ROOT, name, text(name, bytes));
    files.push(fid);
    const xattrs = [{ name: GROUP_XATTR, value: groupValue(list.fid) }];
    await ada.do({ op: 'setattr', fid, change: { xattrs } });
  }
  await ada.store(list.fid, formatGroup({ kind: 'chosen', files }));
  await bench.pass(100);
  return files;
}

const isHere = async (fid: Fid): Promise<boolean> =>
  (await bob.do<Attributes>({ op: 'getattr', fid })).cached;

/** The names of the files among these that bob has. */
async function here(names: readonly string[], files: readonly Fid[]): Promise<string> {
  const found: string[] = [];
  for (const [i, name] of names.entries()) if (await isHere(files[i] as Fid)) found.push(name);
  return found.join('');
}

const NAMES = ['a', 'b', 'c', 'd', 'e'];

describe('the prefetch of a group', () => {
  it('fetches the other files when one was opened', async () => {
    const files = await grouped(NAMES);
    await bob.read(files[2] as Fid);
    await bench.pass(1000);
    expect(await here(NAMES, files)).toBe('abcde');
    expect(bob.client.inside.prefetch.fetching).toBeNull();
  });

  it('does nothing when it is off or paused', async () => {
    const files = await grouped(NAMES);
    await bob.do({ op: 'cache-settings', change: { prefetch: false } });
    await bob.read(files[2] as Fid);
    await bench.pass(1000);
    expect(await here(NAMES, files)).toBe('c');
    bob.feed({ kind: 'pause' });
    await bob.do({ op: 'cache-settings', change: { prefetch: true } });
    await bob.read(files[3] as Fid);
    await bench.pass(1000);
    expect(await here(NAMES, files)).toBe('cd');
    bob.feed({ kind: 'resume' });
    await bench.pass(1000);
    expect(await here(NAMES, files)).toBe('abcde');
  });

  it('skips the lists of groups when there is no space, however often it looks', async () => {
    const [first, second] = [await grouped(['a']), await grouped(['b'])];
    await bob.do({ op: 'cache-settings', change: { minimum: 0, maximum: 0 } });
    const fetched = bench.server.count('Fetch');
    for (const [file] of [first, second]) await bob.read(file as Fid);
    await bench.pass(60_000);
    // What was demanded.
    expect(bench.server.count('Fetch') - fetched).toBe(2);
    expect(bob.client.inside.prefetch.fetching).toBeNull();
  });

  it('fetches one file at a time in the order of the group', async () => {
    const files = await grouped(NAMES);
    const what = { op: 'open', fid: files[4] as Fid, how: { mode: 'read' } } as const;
    // Twice: once would be a guess.
    bob.call(what);
    bob.call(what);
    const came: string[] = [];
    let most = 0;
    while (await bench.one()) {
      const {
        cache: { fetches },
      } = bob.client.inside;
      most = Math.max(most, [...fetches.values()].filter(({ ahead }) => ahead).length);
      const now = NAMES.filter(
        (_, i) => bob.client.inside.cache.files.namesOf(files[i] as Fid).length > 0,
      );
      if (now.length > came.length) came.push(...now.filter((name) => !came.includes(name)));
    }
    expect(came).toEqual(['e', 'a', 'b', 'c', 'd']);
    expect(most).toBe(1);
  });

  it('is joined by a demand for the same file', async () => {
    const files = await grouped(NAMES);
    for (let times = 0; times < 2; times++) {
      bob.call({ op: 'open', fid: files[4] as Fid, how: { mode: 'read' } });
    }
    const {
      cache: { fetches },
    } = bob.client.inside;
    const ofFirst = () => [...fetches.values()].find(({ fid }) => fid === files[0]);
    while (ofFirst() === undefined && (await bench.one()));
    const ahead = ofFirst();
    expect(ahead).toMatchObject({ fid: files[0], ahead: true, priorityClass: 'PREFETCH' });
    const fetched = bench.server.count('Fetch');
    while (ahead?.request === null && (await bench.one()));
    expect(await bob.read(files[0] as Fid)).toBe('a'.repeat(EACH));
    await bench.pass(100);
    // The four that were left to be had, the one that was on its way among them, and the list.
    expect(bench.server.count('Fetch') - fetched).toBe(4);
    expect(bench.server.count('Raise')).toBeGreaterThan(0);
    expect(await here(NAMES, files)).toBe('abcde');
  });

  it('stops for a group with unused files until one of them is used', async () => {
    const large = 200_000;
    const files = await grouped(NAMES, large);
    await bob.read(files[4] as Fid);
    await bench.pass(1000);
    // A probe, and as much as was used: one file.
    expect(await here(NAMES, files)).toBe('ae');
    await bob.read(files[0] as Fid);
    await bench.pass(1000);
    expect(await here(NAMES, files)).toBe('abcde');
  });

  it('guesses nothing while files of different groups are read in turn', async () => {
    const all: Fid[][] = [];
    for (const letter of ['p', 'q', 'r']) {
      all.push(await grouped(NAMES.map((name) => letter + name)));
    }
    const asked = ['Fetch', 'Validate', 'FetchStatus'].map((rpc) => bench.server.count(rpc));
    for (const files of all) await bob.read(files[4] as Fid);
    // What was opened, and neither what the groups list nor whether that is current.
    const since = ['Fetch', 'Validate', 'FetchStatus'].map((rpc) => bench.server.count(rpc));
    expect(since.map((count, which) => count - (asked[which] ?? 0))).toEqual([3, 0, 3]);
    expect(await here(NAMES, all[0] as Fid[])).toBe('e');
    expect(await here(NAMES, all[2] as Fid[])).toBe('e');
    await bench.pass(1000);
    expect(await here(NAMES, all[2] as Fid[])).toBe('abcde');
  });

  it('trusts groups less when earlier ones were wrong', async () => {
    const all: Fid[][] = [];
    for (const letter of ['p', 'q', 'r', 's']) {
      all.push(
        await grouped(
          NAMES.map((name) => letter + name),
          100_000,
        ),
      );
    }
    for (const files of all) {
      await bob.read(files[4] as Fid);
      await bench.pass(1000);
    }
    const counts: number[] = [];
    for (const files of all) {
      let count = 0;
      for (const fid of files) count += Number(await isHere(fid));
      counts.push(count - 1);
    }
    expect(counts).toEqual([2, 0, 0, 0]);
  });

  it('evicts nothing that was opened after the group', async () => {
    const files = await grouped(NAMES);
    const old = await ada.write(ROOT, 'old', 'o'.repeat(EACH));
    const recent = await ada.write(ROOT, 'recent', 'r'.repeat(EACH));
    await bench.pass(100);
    await bob.do({ op: 'cache-settings', change: { prefetch: false } });
    await bob.read(old.fid);
    await bob.read(files[0] as Fid);
    await bob.read(recent.fid);
    const { bytes } = bob.client.inside.cache.files;
    await bob.do({
      op: 'cache-settings',
      change: { minimum: 0, maximum: bytes + 700, prefetch: true },
    });
    await bench.pass(1000);
    expect(await isHere(recent.fid)).toBe(true);
    expect(await isHere(files[0] as Fid)).toBe(true);
    expect(await isHere(old.fid)).toBe(false);
  });

  it('reads a changed list again and survives an invalid one', async () => {
    const files = await grouped(['a', 'b']);
    const [{ fid: list }] = [await bob.do({ op: 'lookup', dir: ROOT, name: 'group of a' })];
    await bob.read(files[0] as Fid);
    await bench.pass(100);
    const more = await ada.write(ROOT, 'more', 'more');
    await ada.store(list, formatGroup({ kind: 'chosen', files: [...files, more.fid] }));
    await bench.pass(100);
    await bob.read(files[1] as Fid);
    await bench.pass(100);
    expect(await isHere(more.fid)).toBe(true);
    await ada.store(list, 'something else');
    await bench.pass(100);
    await bob.read(files[1] as Fid);
    await bench.pass(100);
    expect(bob.logged.join()).toContain('a file group can not be read');
  });

  it('resumes after an interrupted connection', async () => {
    const files = await grouped(NAMES);
    bob.call({ op: 'open', fid: files[4] as Fid, how: { mode: 'read' } });
    const isAhead = () => bob.client.inside.prefetch.fetching !== null;
    while (!isAhead() && (await bench.one()));
    bob.cutOff();
    await bench.pass(1000);
    expect(bob.client.inside.prefetch.fetching).toBeNull();
    bob.online = true;
    await bench.pass(60_000);
    expect(await here(NAMES, files)).toBe('abcde');
  });
});

it('a file that is saved by rename over a member of a group belongs to the group', async () => {
  await grouped(['a', 'b']);
  const saved = await ada.write(ROOT, 'tmp', 'saved');
  const from = { dir: ROOT, name: 'tmp' };
  await ada.do({ op: 'rename', from, to: { dir: ROOT, name: 'a' }, options: {} });
  await bench.pass(100);
  const { xattrs } = await bob.do<Attributes>({ op: 'getattr', fid: saved.fid });
  expect(xattrs.map(({ name }) => name)).toEqual([GROUP_XATTR]);
});

describe('a pinned file', () => {
  it('is fetched, and again when it has changed', async () => {
    const options = { mode: 0o755 };
    const { fid: dir } = await ada.do({ op: 'mkdir', dir: ROOT, name: 'dir', options });
    const { fid: below } = await ada.do({ op: 'mkdir', dir, name: 'below', options });
    const one = await ada.write(below, 'one', 'first');
    await bench.pass(100);
    await bob.do({ op: 'lookup', dir: ROOT, name: 'dir' });
    await bob.do({ op: 'pin', fid: dir });
    await bench.pass(100);
    expect(await isHere(one.fid)).toBe(true);
    await ada.store(one.fid, 'second');
    const two = await ada.write(dir, 'two', 'made later');
    await bench.pass(5000);
    const shown = await bob.do<Attributes>({ op: 'getattr', fid: one.fid });
    expect(shown).toMatchObject({ version: 2, cached: true });
    expect(await isHere(two.fid)).toBe(true);
  });

  it('stays pinned when a listing has its folder under its earlier name', async () => {
    const options = { mode: 0o755 };
    const { fid: dir } = await ada.do({ op: 'mkdir', dir: ROOT, name: 'dir', options });
    const { fid: moved } = await ada.do({ op: 'mkdir', dir: ROOT, name: 'moved', options });
    const { fid: below } = await ada.do({ op: 'mkdir', dir: moved, name: 'below', options });
    const files: Fid[] = [];
    for (const name of NAMES) files.push((await ada.write(below, name, text(name))).fid);
    await bench.pass(100);
    await bob.list(ROOT);
    await bob.do({ op: 'pin', fid: dir });
    await bob.do({ op: 'cache-settings', change: { minimum: 0, maximum: EACH } });
    const from = { dir: ROOT, name: 'moved' };
    await ada.do({ op: 'rename', from, to: { dir, name: 'in' }, options: {} });
    // Of the root bob has heard that there is something newer, and nobody asks what.
    await bench.pass(5000);
    const { fetching, lookAtPins } = bob.client.inside.prefetch;
    expect({ fetching, lookAtPins }).toEqual({ fetching: null, lookAtPins: false });
    expect(await here(NAMES, files)).toBe('abcde');
    const { kept } = bob.client.reports.cacheUse();
    expect(kept.pinned).toEqual({ files: NAMES.length, bytes: NAMES.length * EACH });
  });
});
