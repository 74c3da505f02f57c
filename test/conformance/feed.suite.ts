/** What every Feed must do (shared/ports/feed.ts, 1 and 2): the walk, the commits after it, and contents. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Fid } from '../../shared/model/fid.ts';
import {
  commitNumber,
  dataVersion,
  type DataVersion,
  type Digest,
  type VnodeStatus,
} from '../../shared/model/vnode.ts';
import { FeedsFrontEnd, watched, type FeedHarness } from './feed-harness.ts';

export function feedSuite(name: string, start: () => Promise<FeedHarness>): void {
  let harness: FeedHarness;
  let front: FeedsFrontEnd;

  const statusOf = (sets: readonly { vnodes: readonly VnodeStatus[] }[], fid: Fid) =>
    sets.flatMap(({ vnodes }) => vnodes.filter((status) => status.fid === fid));
  const present = async (fid: Fid): Promise<VnodeStatus | null> =>
    harness.run(harness.feed.present(fid, front.signal));
  const obtain = (status: VnodeStatus, signal = front.signal) =>
    harness.feed.obtain(status.fid, status.version, status.digest as Digest, signal);
  const obtained = async (status: VnodeStatus): Promise<string> =>
    harness.files.read((await harness.run(obtain(status))).path);
  /** Makes or replaces a file. Returns its new status. */
  const written = async (path: string, text: string): Promise<VnodeStatus> => {
    const fid = await harness.other.write(path, text);
    return (await present(fid)) as VnodeStatus;
  };

  const begin = async (): Promise<void> => {
    harness = await start();
    front = new FeedsFrontEnd(harness);
    await front.walk();
  };

  describe(`the walk of a Feed (${name})`, () => {
    beforeEach(begin);
    afterEach(() => harness.end());

    it('yields the whole volume, each vnode once with all its names', async () => {
      const dir = await harness.other.mkdir('dir');
      const file = await harness.other.write('dir/file', 'text');
      await harness.other.link('dir/file', 'other');
      const { vnodes } = await front.walk();
      const named = new Map(vnodes.map(({ status, names }) => [status.fid, new Set(names)]));
      expect(vnodes).toHaveLength(3);
      expect(named).toEqual(
        new Map([
          [front.root, new Set()],
          [dir, new Set([{ dir: front.root, name: 'dir' }])],
          [
            file,
            new Set([
              { dir, name: 'file' },
              { dir: front.root, name: 'other' },
            ]),
          ],
        ]),
      );
      const status = vnodes.find((vnode) => vnode.status.fid === file)?.status;
      expect(status).toMatchObject({ kind: 'file', size: 4, version: 1, links: 2 });
    });

    it('ends at the newest commit, from which the changes continue', async () => {
      await harness.other.write('file', 'text');
      const { at } = await front.walk();
      const [last] = (await front.all()).slice(-1);
      expect(last?.commit).toBe(at);
      const fid = await harness.other.make('later');
      const next = await front.changes(at);
      expect(next.map(({ commit }) => commit)).toEqual([at + 1]);
      expect(statusOf(next, fid)).toHaveLength(1);
    });

    it('continues from any vnode as of the commit at which it began', async () => {
      await harness.other.write('changed', 'old');
      await harness.other.write('removed', 'text');
      await harness.other.mkdir('dir');
      const whole = await front.walk();
      await harness.other.write('changed', 'new');
      await harness.other.remove('removed');
      await harness.other.write('dir/made', 'text');
      for (let i = 0; i < whole.vnodes.length; i++) {
        const after = whole.vnodes[i]?.status.fid as Fid;
        const rest = await front.walk({ at: whole.at, after });
        expect(rest).toEqual({ ...whole, vnodes: whole.vnodes.slice(i + 1) });
      }
    });

    it('continues after a restart', async () => {
      await harness.other.write('file', 'old');
      const whole = await front.walk();
      await harness.other.write('file', 'new');
      await harness.restart();
      const rest = await front.walk({ at: whole.at, after: front.root });
      expect(rest.vnodes).toEqual(whole.vnodes.slice(1));
    });

    it('refuses a commit that the server does not know', async () => {
      const { at } = await front.walk();
      const page = front.page({ at: commitNumber(at + 100), after: front.root });
      await expect(page).rejects.toMatchObject({ code: 'history-gone' });
    });
  });

  describe(`the changes of a Feed (${name})`, () => {
    beforeEach(begin);
    afterEach(() => harness.end());

    it('contain each commit in order, own ones included', async () => {
      const theirs = await harness.other.write('theirs', 'text');
      const { fid: ours } = await front.create('ours');
      await front.store(ours, 0, 'text');
      await front.committed();
      await harness.other.remove('theirs');
      const sets = await front.all();
      expect(sets.map(({ commit }) => commit)).toEqual(sets.map((_, i) => i + 1));
      for (const { commit, vnodes } of sets) {
        for (const status of vnodes) expect(status.commit).toBe(commit);
      }
      expect(statusOf(sets, ours).map(({ version }) => version)).toEqual([0, 1]);
      expect(statusOf(sets, theirs).at(-1)).toMatchObject({ links: 0 });
      const entries = sets.flatMap((set) => set.entries.map((entry) => [entry.name, entry.fid]));
      expect(entries).toEqual([
        ['theirs', theirs],
        ['ours', ours],
        ['theirs', null],
      ]);
    });

    it('describe each commit as it was, whatever came later', async () => {
      const fid = await harness.other.write('file', 'one');
      await harness.other.write('file', 'of two');
      const told = statusOf(await front.all(), fid).slice(-2);
      expect(told.map(({ version, size }) => [version, size])).toEqual([
        [1, 3],
        [2, 6],
      ]);
    });

    it('begin where requested, also after a restart', async () => {
      await harness.other.make('one');
      await harness.other.make('two');
      const sets = await front.all();
      const rest = sets.slice(1);
      expect(await front.all(sets[0]?.commit)).toEqual(rest);
      await harness.restart();
      expect(await front.all(sets[0]?.commit)).toEqual(rest);
    });

    it('wait for a commit and are never empty', async () => {
      const { at } = await front.walk();
      const waiting = watched(harness.feed.changes(harness.volume, at, front.signal));
      await harness.rest();
      expect(waiting.settled).toBe(false);
      const fid = await harness.other.make('file');
      const sets = await harness.run(waiting.work);
      expect(statusOf(sets, fid)).toHaveLength(1);
    });

    it('refuse a commit that the server does not know', async () => {
      const { at } = await front.walk();
      const asked = front.changes(commitNumber(at + 1));
      await expect(asked).rejects.toMatchObject({ code: 'history-gone' });
    });
  });

  describe(`the contents from a Feed (${name})`, () => {
    beforeEach(begin);
    afterEach(() => harness.end());

    it('belong to exactly the requested version, the present one or an earlier one', async () => {
      const one = await written('file', 'one');
      const two = await written('file', 'of two');
      const { length } = await harness.run(obtain(two));
      expect(length).toBe(6);
      expect(await obtained(one)).toBe('one');
      expect(await obtained(two)).toBe('of two');
    });

    it('can be empty for an empty file', async () => {
      const status = await written('file', '');
      const { path, length } = await harness.run(obtain(status));
      expect([harness.files.read(path), length]).toEqual(['', 0]);
    });

    it('come in a file that belongs to the caller', async () => {
      const status = await written('file', 'text');
      const { path } = await harness.run(obtain(status));
      harness.files.write(path, 'something else');
      const again = await harness.run(obtain(status));
      expect(again.path).not.toBe(path);
      harness.files.remove(path);
      expect(harness.files.read(again.path)).toBe('text');
    });

    it('come in separate files when several callers ask at once', async () => {
      const status = await written('file', 'text');
      const both = await harness.run(Promise.all([obtain(status), obtain(status)]));
      harness.files.remove(both[0].path);
      expect(harness.files.read(both[1].path)).toBe('text');
    });

    it('are reported gone when the version has other contents or never existed', async () => {
      const one = await written('file', 'one');
      const other = await written('other', 'of another');
      const wrong: VnodeStatus[] = [
        { ...one, digest: other.digest },
        { ...one, version: dataVersion(7) },
        { ...one, fid: other.fid },
      ];
      for (const each of wrong) {
        await expect(harness.run(obtain(each))).rejects.toMatchObject({ code: 'version-gone' });
      }
      expect(await obtained(one)).toBe('one');
    });

    it('are refused when they do not match their digest', async () => {
      const status = await written('file', 'text');
      await harness.damage('file');
      const damaged = harness.run(obtain(status));
      await expect(damaged).rejects.toMatchObject({ code: 'damaged-contents' });
    });
  });

  describe(`a Feed without the server (${name})`, () => {
    let status: VnodeStatus;
    let waits: ReadonlyArray<readonly [string, (signal: AbortSignal) => Promise<unknown>]>;

    beforeEach(async () => {
      await begin();
      status = await written('file', 'text');
      const { at } = await front.walk();
      const { volume } = harness;
      waits = [
        ['snapshot', (signal) => harness.feed.snapshot(volume, null, signal)],
        ['changes', (signal) => harness.feed.changes(volume, commitNumber(at - 1), signal)],
        ['obtain', (signal) => obtain(status, signal)],
        ['present', (signal) => harness.feed.present(status.fid, signal)],
      ];
    });
    afterEach(() => harness.end());

    it('waits and answers when the server is back', async () => {
      await harness.connect(false);
      const calls = waits.map(([, call]) => watched(call(front.signal)));
      await harness.rest();
      expect(calls.map(({ settled }) => settled)).toEqual(waits.map(() => false));
      await harness.connect(true);
      const [page, sets, file, now] = await harness.run(Promise.all(calls.map(({ work }) => work)));
      expect(page).toMatchObject({ vnodes: [{}, { status: { fid: status.fid } }], more: false });
      expect(sets).toMatchObject([{ commit: status.commit }]);
      expect(file).toMatchObject({ length: 4 });
      expect(now).toEqual(status);
    });

    it('rejects only the stopped call, with the reason of its signal', async () => {
      await harness.connect(false);
      const stop = new AbortController();
      const reason = new Error('enough');
      const [stopped, others] = [stop.signal, front.signal].map((signal) =>
        waits.map(([, call]) => watched(call(signal))),
      ) as [ReturnType<typeof watched>[], ReturnType<typeof watched>[]];
      stop.abort(reason);
      for (const { work } of stopped) await expect(harness.run(work)).rejects.toBe(reason);
      await harness.rest();
      expect(others.map(({ settled }) => settled)).toEqual(waits.map(() => false));
      await harness.connect(true);
      await harness.run(Promise.all(others.map(({ work }) => work)));
    });

    it('stops waiting for a commit, too', async () => {
      const { at } = await front.walk();
      const stop = new AbortController();
      const waiting = harness.feed.changes(harness.volume, at, stop.signal);
      stop.abort('enough');
      await expect(harness.run(waiting)).rejects.toBe('enough');
    });

    it('does nothing for a call whose signal was aborted before', async () => {
      const reason = new Error('enough');
      const signal = AbortSignal.abort(reason);
      for (const [, call] of waits) await expect(harness.run(call(signal))).rejects.toBe(reason);
    });
  });

  describe(`the present status in a Feed (${name})`, () => {
    beforeEach(begin);
    afterEach(() => harness.end());

    it("is the server's, and null when the vnode is gone", async () => {
      const before = await written('file', 'one');
      const now = await written('file', 'of two');
      expect(now).toMatchObject({ fid: before.fid, version: 2, size: 6 });
      await harness.other.remove('file');
      expect(await present(before.fid)).toBeNull();
    });

    it('is outdated once an own update of the vnode is answered and not before', async () => {
      const { fid } = await front.create('file');
      await front.store(fid, 0, 'text');
      await front.committed();
      const before = statusOf(await front.all(), fid).at(-1) as VnodeStatus;
      expect(harness.feed.isOutdated(before)).toBe(false);
      await harness.connect(false);
      await harness.run(harness.fileSystem.setattr(fid, { mode: 0o600 }));
      expect(harness.feed.isOutdated(before)).toBe(false);
      await harness.connect(true);
      await front.committed();
      expect(harness.feed.isOutdated(before)).toBe(true);
      const now = statusOf(await front.all(), fid).at(-1) as VnodeStatus;
      expect(now).toMatchObject({ mode: 0o600, version: 1 as DataVersion });
      expect(harness.feed.isOutdated(now)).toBe(false);
    });
  });
}
