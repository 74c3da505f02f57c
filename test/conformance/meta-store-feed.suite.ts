/** The feed of a MetaStore: its commits and snapshots, and that all its reads agree on one history. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { compareNames } from '../../shared/model/names.ts';
import type { ChangeSet } from '../../shared/model/change.ts';
import { parseFid, type Fid } from '../../shared/model/fid.ts';
import type { DirectoryPage, VolumePage } from '../../shared/model/stored.ts';
import { updateSeq } from '../../shared/model/update.ts';
import { commitNumber, type VnodeStatus } from '../../shared/model/vnode.ts';
import type { MetaStore } from '../../shared/ports/meta-store.ts';
import { present } from '../../shared/util/assert.ts';
import { SeededRandom } from '../../shared/util/seeded-random.ts';
import { fidOf, FIRST, MetaScript, placeText, ROOT, VOLUME } from './meta-script.ts';
import { rowOf, type MetaHarness } from './meta-store-harness.ts';

const at = commitNumber;

export function metaFeedSuite(name: string, make: () => MetaHarness): void {
  let harness: MetaHarness;
  let store: MetaStore;
  let script: MetaScript;

  beforeEach(async () => {
    harness = make();
    store = harness.store;
    await store.open(FIRST);
    script = await MetaScript.on(store);
  });
  afterEach(() => harness.end());

  const page = (key: { at: number; after?: string | null; limit?: number; fid?: Fid }) =>
    rowOf(store, {
      kind: 'directory',
      fid: key.fid ?? ROOT,
      at: at(key.at),
      after: key.after ?? null,
      limit: key.limit ?? 100,
    });
  const changes = (since: number, limit = 100) =>
    rowOf(store, { kind: 'changes', volume: VOLUME, since: at(since), limit });
  const snapshot = (commit: number, after: Fid | null = null, limit = 100) =>
    rowOf(store, { kind: 'snapshot', volume: VOLUME, at: at(commit), after, limit });

  describe(`the feed of a MetaStore (${name})`, () => {
    it('begins with the root, made by the server itself', async () => {
      const { commits, upTo } = await changes(0);
      expect(upTo).toBe(1);
      expect(commits).toEqual([
        { commit: 1, device: 0, seq: 0, vnodes: [script.status(ROOT)], entries: [] },
      ]);
    });

    it('lists vnodes in the order of their ordinals', async () => {
      await script.mkdir(fidOf(9), ROOT, 'd').create(fidOf(5), fidOf(9), 'a').flush();
      const { commits } = await changes(2);
      expect(commits).toEqual([
        {
          commit: 3,
          device: 1,
          seq: 3,
          vnodes: [script.status(fidOf(5)), script.status(fidOf(9))],
          entries: [{ dir: fidOf(9), name: 'a', fid: fidOf(5) }],
        },
      ]);
    });

    it('shows a rename as one freed entry and one set entry', async () => {
      await script.create(fidOf(2), ROOT, 'z').flush();
      await script.rename({ dir: ROOT, name: 'z' }, { dir: ROOT, name: 'a' }).flush();
      expect((await changes(2)).commits[0]?.entries).toEqual([
        { dir: ROOT, name: 'z', fid: null },
        { dir: ROOT, name: 'a', fid: fidOf(2) },
      ]);
    });

    it('shows a name that was given to another vnode once', async () => {
      await script.create(fidOf(2), ROOT, 'a').create(fidOf(3), ROOT, 'b').flush();
      await script.rename({ dir: ROOT, name: 'a' }, { dir: ROOT, name: 'b' }).flush();
      const [change] = (await changes(3)).commits;
      expect(change?.entries).toEqual([
        { dir: ROOT, name: 'a', fid: null },
        { dir: ROOT, name: 'b', fid: fidOf(2) },
      ]);
      expect(change?.vnodes.map(({ fid, links }) => [fid, links])).toEqual([
        [ROOT, 1],
        [fidOf(3), 0],
      ]);
    });

    it('contains a commit that changed nothing', async () => {
      const log = { volume: VOLUME, device: 1, seq: 7, when: FIRST.when } as const;
      await store.commit([{ kind: 'log', commit: at(2), ...log, seq: 7 as never }]);
      const { commits, upTo } = await changes(1);
      expect(commits).toEqual([{ commit: 2, device: 1, seq: 7, vnodes: [], entries: [] }]);
      expect(upTo).toBe(2);
    });

    it('has what a device says of the name that its commit sets', async () => {
      const log = { volume: VOLUME, device: 1, when: FIRST.when } as const;
      const marks = [{ copyOf: 'doc' }, { copyOf: null }, {}];
      const writes = marks.map((mark, at) => {
        const [commit, seq] = [commitNumber(2 + at), updateSeq(7 + at)];
        return { kind: 'log', commit, ...log, seq, ...mark } as const;
      });
      await store.commit(writes);
      const { commits } = await changes(1);
      expect(commits.map(({ copyOf }) => copyOf)).toEqual(['doc', null, undefined]);
      expect(commits.map((change) => 'copyOf' in change)).toEqual([true, true, false]);
    });

    it('comes in pages and reports how far it has read', async () => {
      await script.create(fidOf(2), ROOT, 'a').store(fidOf(2), 1).store(fidOf(2), 2).flush();
      const first = await changes(1, 2);
      expect(first.commits.map(({ commit }) => commit)).toEqual([2, 3]);
      expect(first.upTo).toBe(3);
      const second = await changes(3, 2);
      expect(second.commits.map(({ commit }) => commit)).toEqual([4]);
      expect(second.upTo).toBe(4);
      expect(await changes(4)).toEqual({ commits: [], upTo: 4 });
    });
  });

  describe(`a snapshot of a MetaStore (${name})`, () => {
    const shown = ({ vnodes }: VolumePage) =>
      vnodes.map(({ status, names: places }) => [status.fid, places.map((each) => each.name)]);

    it('lists each vnode with its names, in the order of vnode numbers', async () => {
      await script.mkdir(fidOf(10), ROOT, 'd').create(fidOf(9), ROOT, 'z').flush();
      await script.link(fidOf(9), fidOf(10), 'a').link(fidOf(9), ROOT, 'b').flush();
      await script.create(fidOf(9, 3), ROOT, 'c').flush();
      const whole = await snapshot(script.head);
      expect(shown(whole)).toEqual([
        [ROOT, []],
        [fidOf(9), ['b', 'z', 'a']],
        [fidOf(9, 3), ['c']],
        [fidOf(10), ['d']],
      ]);
      expect(whole.vnodes[1]?.names[2]).toEqual({ dir: fidOf(10), name: 'a' });
      expect(whole.more).toBe(false);
      expect(shown(await snapshot(script.head, fidOf(9), 1))).toEqual([[fidOf(9, 3), ['c']]]);
      expect((await snapshot(script.head, fidOf(9), 1)).more).toBe(true);
    });

    it('shows an older commit as it was, without vnodes that had ended', async () => {
      await script.create(fidOf(2), ROOT, 'a').create(fidOf(3), ROOT, 'b').flush();
      const old = script.head;
      await script.remove(ROOT, 'a').create(fidOf(4), ROOT, 'a').flush();
      expect(shown(await snapshot(old))).toEqual([
        [ROOT, []],
        [fidOf(2), ['a']],
        [fidOf(3), ['b']],
      ]);
      expect(shown(await snapshot(script.head))).toEqual([
        [ROOT, []],
        [fidOf(3), ['b']],
        [fidOf(4), ['a']],
      ]);
    });
  });

  describe(`a random history in a MetaStore (${name})`, () => {
    it.each([1, 2, 3, 4])(
      'reads the same through feed, snapshot and directories: seed %d',
      async (seed) => {
        const random = new SeededRandom(`history ${seed}`);
        for (let step = 0; step < 60; step++) {
          randomStep(script, random, step);
          if (random.chance(0.4)) await script.flush();
        }
        await script.flush();
        const feed: ChangeSet[] = [];
        while (feed.length < script.head) feed.push(...(await changes(feed.length, 7)).commits);
        const replay = new Replay();
        for (const change of feed) {
          replay.apply(change);
          expect(await wholeSnapshot(change.commit)).toEqual(replay.snapshot());
          expect(await wholeDirectory(change.commit)).toEqual(replay.directory(ROOT));
        }
      },
    );

    async function wholeSnapshot(commit: number) {
      const all: Array<VolumePage['vnodes'][number]> = [];
      for (let more = true; more;) {
        const part = await snapshot(commit, all.at(-1)?.status.fid ?? null, 3);
        all.push(...part.vnodes);
        more = part.more;
      }
      return all;
    }

    async function wholeDirectory(commit: number) {
      const all: Array<DirectoryPage['entries'][number]> = [];
      for (let more = true; more;) {
        const part = await page({ at: commit, after: all.at(-1)?.name ?? null, limit: 2 });
        all.push(...part.entries);
        more = part.more;
      }
      return all;
    }
  });
}

const NAMES = ['a', 'b', 'c', '\ue000', '\u{10000}'];

function randomStep(script: MetaScript, random: SeededRandom, step: number): void {
  const directories = [...script.vnodes.values()]
    .filter(({ status }) => status.kind === 'directory' && status.links > 0)
    .map(({ status }) => status.fid);
  const to = { dir: random.pick(directories), name: random.pick(NAMES) };
  const [place, entry] =
    script.entries.size === 0 ? [] : random.pick([...script.entries.entries()]);
  if (place === undefined || entry === undefined || random.chance(0.35)) {
    if (script.entries.has(placeText(to))) return;
    const kind = random.pick(['file', 'file', 'directory', 'symlink'] as const);
    script.create(fidOf(100 - step, 2 + (step % 2)), to.dir, to.name, kind);
    return;
  }
  const from = {
    dir: place.slice(0, place.indexOf('/')) as Fid,
    name: place.slice(place.indexOf('/') + 1),
  };
  const row = present(script.vnodes.get(entry.fid), 'the vnode is there');
  if (row.status.kind === 'directory') {
    if (row.entries === 0) script.remove(from.dir, from.name);
    return;
  }
  const over = script.entries.get(placeText(to));
  const movable = over === undefined || script.status(over.fid).kind !== 'directory';
  switch (random.below(5)) {
    case 0:
    case 1:
      if (movable && over?.fid !== entry.fid) script.rename(from, to);
      return;
    case 2:
      script.remove(from.dir, from.name);
      return;
    case 3:
      if (over === undefined) script.link(entry.fid, to.dir, to.name);
      return;
    default:
      if (row.status.kind === 'file') script.store(entry.fid, step);
  }
}

/** The state that a device builds from the feed. */
class Replay {
  readonly #vnodes = new Map<Fid, VnodeStatus>();
  readonly #entries = new Map<string, { dir: Fid; name: string; fid: Fid }>();

  apply({ vnodes, entries }: ChangeSet): void {
    for (const status of vnodes) {
      if (status.links === 0) this.#vnodes.delete(status.fid);
      else this.#vnodes.set(status.fid, status);
    }
    for (const { dir, name, fid } of entries) {
      if (fid === null) this.#entries.delete(placeText({ dir, name }));
      else this.#entries.set(placeText({ dir, name }), { dir, name, fid });
    }
  }

  snapshot() {
    return [...this.#vnodes.values()]
      .sort((a, b) => compareFids(a.fid, b.fid))
      .map((status) => ({
        status,
        names: [...this.#entries.values()]
          .filter(({ fid }) => fid === status.fid)
          .map(({ dir, name }) => ({ dir, name }))
          .sort((a, b) => compareFids(a.dir, b.dir) || compareNames(a.name, b.name)),
      }));
  }

  directory(directory: Fid) {
    return [...this.#entries.values()]
      .filter(({ dir }) => dir === directory)
      .sort((a, b) => compareNames(a.name, b.name))
      .map(({ name, fid }) => ({ name, status: this.#vnodes.get(fid) }));
  }
}

function compareFids(a: Fid, b: Fid): number {
  const [left, right] = [present(parseFid(a), 'a fid'), present(parseFid(b), 'a fid')];
  return left.vnode - right.vnode || left.uniquifier - right.uniquifier;
}
