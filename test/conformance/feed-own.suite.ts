/** What every Feed must do (shared/ports/feed.ts, 3 to 5): own updates, adjustments, and what is kept in full. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Fid } from '../../shared/model/fid.ts';
import type { DataVersion } from '../../shared/model/vnode.ts';
import type { ConflictRepair } from '../../shared/ports/feed.ts';
import type { Attributes, Place } from '../../shared/ports/file-system.ts';
import { FeedsFrontEnd, type FeedHarness } from './feed-harness.ts';

export function feedOwnSuite(name: string, start: () => Promise<FeedHarness>): void {
  let harness: FeedHarness;
  let front: FeedsFrontEnd;

  const place = (called: string, dir = front.root): Place => ({ dir, name: called });
  const offered = (): readonly ConflictRepair[] => harness.feed.adjustments(harness.volume);
  const pending = (...fids: Fid[]): boolean[] => fids.map((fid) => harness.feed.pendingVnode(fid));
  const taken = (...called: string[]): boolean[] =>
    called.map((each) => harness.feed.pendingEntry(front.root, each));
  /** Makes a file that both sides have. */
  const shared = async (called: string): Promise<Fid> => {
    const fid = await harness.other.write(called, 'old');
    await front.walk();
    return fid;
  };
  const begin = async (): Promise<void> => {
    harness = await start();
    front = new FeedsFrontEnd(harness);
    await front.walk();
  };

  describe(`own updates in a Feed (${name})`, () => {
    beforeEach(begin);
    afterEach(() => harness.end());

    it('keep their vnodes and entries pending until they are committed', async () => {
      const [moved, replaced, stored] = [
        await shared('moved'),
        await shared('replaced'),
        await shared('stored'),
      ];
      await harness.connect(false);
      expect([...pending(moved, replaced, stored), ...taken('moved', 'new')]).not.toContain(true);
      const made = await front.create('new');
      const observed = { fid: replaced, base: 1 as never };
      const work = harness.fileSystem.rename(place('moved'), place('replaced'), {
        ...{ moved, observed },
      });
      await harness.run(work);
      await front.store(stored, 1, 'ours');
      expect(pending(made.fid, moved, replaced, stored)).toEqual([true, true, true, true]);
      expect(taken('new', 'moved', 'replaced')).toEqual([true, true, true]);
      expect(taken('stored', 'elsewhere')).toEqual([false, false]);
      expect(harness.feed.pendingEntry(stored, 'new')).toBe(false);
      await harness.connect(true);
      await front.committed();
      expect(pending(made.fid, moved, replaced, stored)).not.toContain(true);
      expect(taken('new', 'moved', 'replaced')).not.toContain(true);
    });

    it('keep an entry pending that they name, rename or remove, also in another folder', async () => {
      const dir = await harness.other.mkdir('dir');
      const [kept, gone] = [await shared('kept'), await shared('gone')];
      await harness.connect(false);
      await harness.run(harness.fileSystem.link(kept, place('link', dir)));
      await front.remove('gone', gone, 1);
      expect(harness.feed.pendingEntry(dir, 'link')).toBe(true);
      expect([...taken('gone', 'kept'), ...pending(kept, gone)]).toEqual([true, false, true, true]);
      await harness.connect(true);
      await front.committed();
      expect(harness.feed.pendingEntry(dir, 'link')).toBe(false);
      expect([...taken('gone', 'kept'), ...pending(kept, gone)]).not.toContain(true);
    });

    it('are still pending after a restart', async () => {
      const fid = await shared('file');
      await harness.connect(false);
      await front.store(fid, 1, 'ours');
      await harness.restart();
      expect([...pending(fid), ...taken('file')]).toEqual([true, false]);
      await harness.connect(true);
      await front.committed();
      expect(pending(fid)).toEqual([false]);
    });

    it('are blocked as long as all of a file are out of the queue, and pending all the while', async () => {
      const [fid, other] = [await shared('file'), await shared('other')];
      const blocked = (of = fid): Array<readonly [string, Fid]> | null =>
        harness.feed.blocked(of)?.map((update) => [update.op, update.fid] as const) ?? null;
      await harness.connect(false);
      await front.store(fid, 1, 'ours');
      expect([blocked(), blocked(other)]).toEqual([null, null]);
      await harness.order('cancel', 'file');
      expect([blocked(), blocked(other)]).toEqual([[['store', fid]], null]);
      await harness.restart();
      expect([blocked(), ...pending(fid)]).toEqual([[['store', fid]], true]);
      await harness.order('now', 'file');
      expect([blocked(), ...pending(fid)]).toEqual([null, true]);
      await harness.connect(true);
      await front.committed();
      expect([blocked(), ...pending(fid)]).toEqual([null, false]);
    });

    it('wake the front end when they are no longer pending', async () => {
      const fid = await shared('file');
      await harness.connect(false);
      await front.store(fid, 1, 'ours');
      const woken = front.wokenWhen(() => !harness.feed.pendingVnode(fid));
      await harness.connect(true);
      await harness.run(woken);
      expect(pending(fid)).toEqual([false]);
    });

    it('count as unfinished when an earlier run made a file and never stored it', async () => {
      const [never, stored] = [await front.create('never'), await front.create('stored')];
      await front.store(stored.fid, 0, 'text');
      const theirs = await harness.other.make('theirs');
      await front.committed();
      await front.walk();
      const all = [never.fid, stored.fid, theirs];
      const unfinished = (): boolean[] => all.map((fid) => harness.feed.isUnfinished(fid));
      expect(unfinished()).toEqual([false, false, false]);
      await harness.restart();
      expect(unfinished()).toEqual([true, false, false]);
      all.push((await front.create('now')).fid);
      await front.committed();
      expect(unfinished()).toEqual([true, false, false, false]);
      await harness.connect(false);
      await front.store(never.fid, 0, 'text');
      expect(unfinished()).toEqual([false, false, false, false]);
    });
  });

  describe(`the adjustments of a Feed (${name})`, () => {
    beforeEach(begin);
    afterEach(() => harness.end());

    const lostStore = async (called: string): Promise<Fid> => {
      const fid = await shared(called);
      await front.apart(
        () => front.store(fid, 1, 'mine'),
        () => harness.other.write(called, 'theirs'),
      );
      return fid;
    };

    it('name the losing contents when the conflict copy is committed', async () => {
      const fid = await lostStore('doc');
      const [adjustment] = offered();
      expect(offered()).toHaveLength(1);
      if (adjustment?.kind !== 'copied') throw new Error('no copy');
      expect(adjustment).toMatchObject({ volume: harness.volume, fid, lost: 1 });
      expect(adjustment.to).toMatchObject({ dir: front.root });
      const { vnodes } = await front.walk();
      const copy = vnodes.find(({ status }) => status.fid === adjustment.copy);
      expect(copy).toMatchObject({ status: { version: 1, size: 4 }, names: [adjustment.to] });
      expect(pending(fid, adjustment.copy)).toEqual([false, false]);
    });

    it('name the copy that could not have its own name', async () => {
      const made: Attributes[] = [];
      await front.apart(
        async () => {
          const file = await front.create('doc');
          made.push(file);
          await front.store(file.fid, 0, 'mine');
        },
        () => harness.other.write('doc', 'theirs'),
      );
      const [adjustment] = offered();
      expect(offered()).toHaveLength(1);
      if (adjustment?.kind !== 'renamed') throw new Error('not renamed');
      expect(adjustment).toMatchObject({ fid: made[0]?.fid, from: place('doc') });
      const { vnodes } = await front.walk();
      const names = new Map(vnodes.map((vnode) => [vnode.status.fid, vnode.names]));
      expect(names.get(adjustment.fid)).toEqual([adjustment.to]);
    });

    it("name the server's vnode that the own one was merged into", async () => {
      const made: Attributes[] = [];
      const theirs: Fid[] = [];
      await front.apart(
        async () => made.push(await front.mkdir('dir')),
        async () => theirs.push(await harness.other.mkdir('dir')),
      );
      expect(offered()).toMatchObject([{ kind: 'merged', fid: made[0]?.fid, into: theirs[0] }]);
    });

    it("name the file that is to be restored to the server's version", async () => {
      const fid = await shared('doc');
      await front.apart(
        () => front.remove('doc', fid, 1),
        () => harness.other.write('doc', 'theirs'),
      );
      expect(offered()).toMatchObject([{ kind: 'restored', fid }]);
      const present = harness.run(harness.feed.present(fid, front.signal));
      expect(await present).toMatchObject({ fid, version: 2, size: 6 });
    });

    it('name the paths of a new name whose file others removed', async () => {
      const fid = await shared('doc');
      await front.apart(
        async () => {
          const moved = { moved: fid, observed: null };
          await harness.run(harness.fileSystem.rename(place('doc'), place('new'), moved));
        },
        () => harness.other.remove('doc'),
      );
      const renamed = { path: 'new', copy: 'doc', isGone: true };
      expect(offered()).toMatchObject([{ kind: 'restored', fid, renamed }]);
      expect(await harness.run(harness.feed.present(fid, front.signal))).toBeNull();
      await harness.run(harness.feed.adjusted(offered()[0]?.id ?? 0, 'new'));
      expect(offered()).toEqual([]);
    });

    it('are offered in order until they are done, also after a restart', async () => {
      const [first, second] = [await lostStore('one'), await lostStore('two')];
      const all = [...offered()];
      expect(all.map(({ fid }) => fid)).toEqual([first, second]);
      await harness.restart();
      await front.committed();
      expect(offered()).toEqual(all);
      await harness.run(harness.feed.adjusted(all[0]?.id ?? 0));
      expect(offered()).toEqual(all.slice(1));
      await harness.restart();
      await front.committed();
      expect(offered()).toEqual(all.slice(1));
      await harness.run(harness.feed.adjusted(all[1]?.id ?? 0));
      await harness.run(harness.feed.adjusted(all[1]?.id ?? 0));
      expect(offered()).toEqual([]);
    });

    it('wake the front end when there is a new one', async () => {
      const fid = await shared('doc');
      await harness.connect(false);
      await harness.other.write('doc', 'theirs');
      await front.store(fid, 1, 'mine');
      const woken = front.wokenWhen(() => offered().length === 1);
      await harness.connect(true);
      await harness.run(woken);
      expect(offered()).toMatchObject([{ kind: 'copied', fid }]);
    });
  });

  describe(`the notes of a Feed (${name})`, () => {
    beforeEach(begin);
    afterEach(() => harness.end());

    const notes = () => harness.feed.notes(harness.volume);
    const ids = (): number[] => notes().map(({ id }) => id);
    const note = (id: number) => ({ id, text: `note ${id}` });
    const run = <T>(work: Promise<T>): Promise<T> => harness.run(work);

    /** Makes one call of each kind, with notes 1 to 7. */
    const tell = async (): Promise<Fid[]> => {
      const { fileSystem } = harness;
      const gone = await shared('gone');
      const made = { mode: 0o644, observed: true } as const;
      const { fid } = await run(fileSystem.create(front.root, 'a', { ...made, note: note(1) }));
      const how = { mode: 'write', truncate: true, base: 0 as DataVersion } as const;
      const { handle, path } = await run(fileSystem.open(fid, how));
      harness.files.write(path, 'text');
      await run(fileSystem.close(handle, { note: note(2) }));
      const link = await run(
        fileSystem.symlink(front.root, 'l', 'a', { observed: true, note: note(3) }),
      );
      const dir = await run(fileSystem.mkdir(front.root, 'd', { ...made, note: note(4) }));
      const seen = { fid, base: 1 as DataVersion };
      await run(fileSystem.link(fid, place('b', dir.fid), { observed: seen, note: note(5) }));
      const moved = { moved: fid, observed: null, note: note(6) };
      await run(fileSystem.rename(place('a'), place('c'), moved));
      const observed = { fid: gone, base: 1 as DataVersion };
      await run(fileSystem.remove(place('gone'), { observed, note: note(7) }));
      return [fid, fid, link.fid, dir.fid, fid, fid, gone];
    };

    it('are delivered in order with their answers, also after a restart, until they are acknowledged', async () => {
      const told = await tell();
      expect(notes().map(({ fid }) => fid)).toEqual(told);
      expect(notes()[1]).toEqual({ ...note(2), fid: told[1], version: 1 });
      await harness.restart();
      expect(ids()).toEqual([1, 2, 3, 4, 5, 6, 7]);
      expect(notes()[1]).toEqual({ ...note(2), fid: told[1], version: 1 });
      await front.committed();
      expect(ids()).toEqual([1, 2, 3, 4, 5, 6, 7]);
      await run(harness.feed.noted([1, 3, 4, 5, 6, 7, 99]));
      expect(ids()).toEqual([2]);
      await front.committed();
      await run(harness.feed.noted([2]));
      expect(notes()).toEqual([]);
    });

    it('are dropped with calls that are refused or given up', async () => {
      const fid = await shared('file');
      const { fileSystem } = harness;
      const made = { mode: 0o755, observed: true, note: note(1) } as const;
      const refused = run(fileSystem.mkdir(front.root, 'a/b', made));
      await expect(refused).rejects.toMatchObject({ code: 'bad-name' });
      const how = { mode: 'write', truncate: true, base: 1 as DataVersion } as const;
      const { handle } = await run(fileSystem.open(fid, how));
      await run(fileSystem.abandon(handle));
      expect(notes()).toEqual([]);
    });
  });

  describe(`the contents that a Feed keeps in full (${name})`, () => {
    beforeEach(begin);
    afterEach(() => harness.end());

    const isCached = async (fid: Fid): Promise<boolean> =>
      (await harness.run(harness.fileSystem.getattr(fid))).cached;
    /** Follows as a new run does, which reports everything again. */
    const follow = async (): Promise<void> => {
      const { at } = await front.walk();
      harness.feed.applied(harness.volume, at);
    };

    it('include everything until somebody sets a bound', async () => {
      expect(harness.feed.contentsBound(0, null)).toBeNull();
      await harness.bound(1000);
      expect(harness.feed.contentsBound(0, null)).toBe(1000);
      expect(harness.feed.contentsBound(5000, null)).toBe(1000);
      await harness.bound(null);
      expect(harness.feed.contentsBound(5000, null)).toBeNull();
    });

    it('are already bounded when the front end is woken', async () => {
      const woken = front.wokenWhen(() => harness.feed.contentsBound(0, null) === 1000);
      await harness.bound(1000);
      await harness.run(woken);
      expect(harness.feed.contentsBound(0, null)).toBe(1000);
    });

    it('include what a user has pinned or a pinned folder contains, and pinning wakes the front end', async () => {
      const dir = await harness.other.mkdir('dir');
      const inside = await harness.other.write('dir/inside', 'text');
      const beside = await harness.other.write('beside', 'text');
      await follow();
      const pinned = (): boolean[] =>
        [dir, inside, beside].map((fid) => harness.feed.isPinned(fid));
      expect(pinned()).toEqual([false, false, false]);
      const woken = front.wokenWhen(() => harness.feed.isPinned(inside));
      await harness.pin('dir');
      await harness.run(woken);
      expect(pinned()).toEqual([true, true, false]);
    });

    it('include what has arrived, except what the front end does not keep', async () => {
      const fid = await shared('file');
      expect(await isCached(fid)).toBe(false);
      await follow();
      expect(await isCached(fid)).toBe(true);
      harness.feed.keeps(fid, false);
      expect(await isCached(fid)).toBe(false);
      harness.feed.keeps(fid, true);
      expect(await isCached(fid)).toBe(true);
    });

    it('are declared again by the front end in each run', async () => {
      const fid = await shared('file');
      await follow();
      harness.feed.keeps(fid, false);
      await harness.restart();
      expect(await isCached(fid)).toBe(false);
      await follow();
      expect(await isCached(fid)).toBe(true);
    });
  });
}
