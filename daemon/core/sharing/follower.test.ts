import { beforeEach, describe, expect, it } from '@jest/globals';
import { digestOfText } from '../../../test/support/bench-disk.ts';
import { ClientBench, ROOT, VOLUME, type BenchClient } from '../../../test/support/client-bench.ts';
import type { ChangeSet } from '../../../shared/model/change.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import type { CommitNumber, VnodeStatus } from '../../../shared/model/vnode.ts';
import type { SnapshotPage } from '../../../shared/ports/feed.ts';
import type { Attributes } from '../../../shared/ports/file-system.ts';
import { giveUpBlockOf } from '../names/vnode-blocks.ts';

const made = { mode: 0o644, observed: true } as const;

describe('a client that a folder follows', () => {
  let bench: ClientBench;
  let other: BenchClient;
  let folder: BenchClient;
  let position: CommitNumber;

  beforeEach(async () => {
    bench = await ClientBench.start();
    other = await bench.join();
    folder = await bench.join({ frontEnd: 'folder' });
    const page = await folder.do<SnapshotPage>({ op: 'snapshot', volume: VOLUME, position: null });
    position = page.at;
  });

  const changes = async (): Promise<ChangeSet[]> => {
    const sets = await folder.do<ChangeSet[]>({ op: 'changes', volume: VOLUME, since: position });
    position = sets.at(-1)?.commit ?? position;
    return sets;
  };
  const observe = (fid: Fid, text: string, base: number): Promise<Attributes> =>
    folder.store(fid, text, base);
  const offered = () => folder.client.adjustments(VOLUME);
  const requests = (): string[] =>
    [...folder.client.inside.requests.values()].map((request) => request.purpose.for);
  /** The folder works offline, then the other one; then the folder is back. */
  const apart = async (mine: () => Promise<unknown>, theirs: () => Promise<unknown>) => {
    folder.cutOff();
    await bench.pass(2_000);
    await mine();
    await theirs();
    await bench.pass(100);
    folder.online = true;
    await bench.pass(40_000);
  };

  it('knows the whole volume after a snapshot, without requests', async () => {
    await other.write(ROOT, 'f', 'text');
    await bench.settle();
    const page = await folder.do<SnapshotPage>({ op: 'snapshot', volume: VOLUME, position: null });
    expect(page.vnodes.map(({ names }) => names)).toEqual([[], [{ dir: ROOT, name: 'f' }]]);
    folder.cutOff();
    await bench.pass(2_000);
    expect(await folder.list()).toEqual(['f']);
  });

  it('requests nothing while it holds the promise, and again after its break', async () => {
    const waiting = folder.call({ op: 'changes', volume: VOLUME, since: position });
    await bench.settle();
    expect(requests()).toEqual([]);
    expect(folder.client.inside.sharing.promises.holdsVolume(VOLUME)).toBe(true);
    await other.write(ROOT, 'f', 'text');
    await bench.settle();
    const answer = folder.answers.get(waiting);
    expect(answer).toMatchObject({ ok: true });
  });

  it('returns its own commits too, in order', async () => {
    const { fid } = await folder.do({ op: 'create', dir: ROOT, name: 'f', options: made });
    await observe(fid, 'text', 0);
    await bench.settle();
    const sets = await changes();
    expect(sets.flatMap(({ vnodes }) => vnodes.map((status) => status.version))).toEqual([0, 1, 1]);
  });

  it('reports pending updates until they are answered', async () => {
    folder.cutOff();
    const { fid } = await folder.do({ op: 'create', dir: ROOT, name: 'f', options: made });
    expect(folder.client.pendingVnode(fid)).toBe(true);
    expect(folder.client.pendingEntry(ROOT, 'f')).toBe(true);
    expect(folder.client.pendingEntry(ROOT, 'g')).toBe(false);
    const before = folder.woken;
    folder.online = true;
    await bench.pass(5_000);
    expect(folder.client.pendingVnode(fid)).toBe(false);
    expect(folder.client.pendingEntry(ROOT, 'f')).toBe(false);
    expect(folder.woken).toBeGreaterThan(before);
  });

  it.each([0, 60_000])(
    'reports a row as outdated by its own change, made %i ms before it could be sent',
    async (waited) => {
      const { fid } = await folder.do({ op: 'create', dir: ROOT, name: 'f', options: made });
      await observe(fid, 'text', 0);
      await bench.settle();
      const stored = (await changes()).flatMap(({ vnodes }) => vnodes).at(-1) as VnodeStatus;
      expect(folder.client.isOutdated(stored)).toBe(false);
      folder.cutOff();
      await folder.do({ op: 'setattr', fid, change: { mode: 0o600 } });
      await bench.pass(waited);
      expect(folder.client.isOutdated(stored)).toBe(false);
      folder.online = true;
      await bench.pass(40_000);
      expect(folder.client.pendingVnode(fid)).toBe(false);
      expect(folder.client.isOutdated(stored)).toBe(true);
      const last = (await changes()).flatMap(({ vnodes }) => vnodes).at(-1) as VnodeStatus;
      expect(last).toMatchObject({ fid, mode: 0o600 });
      expect(folder.client.isOutdated(last)).toBe(false);
    },
  );

  it('reports a row as outdated by an answer', async () => {
    const { fid } = await other.write(ROOT, 'f', 'one');
    await bench.settle();
    const before = await folder.do<VnodeStatus>({ op: 'getattr', fid });
    await other.store(fid, 'two');
    await bench.settle();
    const now = await folder.do<VnodeStatus>({ op: 'getattr', fid });
    expect(folder.client.isOutdated(before)).toBe(true);
    expect(folder.client.isOutdated(now)).toBe(false);
  });

  it('knows after a restart what it has made and never stored', async () => {
    const making = { op: 'create', dir: ROOT, options: made } as const;
    const { fid } = await folder.do({ ...making, name: 'never' });
    const stored = (await folder.do({ ...making, name: 'stored' })).fid;
    await observe(stored, 'text', 0);
    const theirs = await other.do({ op: 'create', dir: ROOT, name: 'theirs', options: made });
    await bench.settle();
    await changes();
    const isUnfinished = (): boolean[] =>
      [fid, stored, theirs.fid].map((each) => folder.client.isUnfinished(each));
    expect(isUnfinished()).toEqual([false, false, false]);
    folder.crash();
    folder.begin();
    await bench.pass(2_000);
    expect(isUnfinished()).toEqual([true, false, false]);
    const now = await folder.do({ ...making, name: 'now' });
    await bench.settle();
    expect(folder.client.isUnfinished(now.fid)).toBe(false);
    folder.cutOff();
    await observe(fid, 'text', 0);
    expect(isUnfinished()).toEqual([false, false, false]);
  });

  it('does not count a file as its own when a copy of its data folder may have made it', async () => {
    const { fid } = await folder.do({ op: 'create', dir: ROOT, name: 'never', options: made });
    await bench.settle();
    await changes();
    folder.crash();
    folder.begin();
    await bench.pass(2_000);
    expect(folder.client.isUnfinished(fid)).toBe(true);
    giveUpBlockOf(folder.client.inside, VOLUME, fid);
    expect(folder.client.isUnfinished(fid)).toBe(false);
  });

  it('wakes the folder when a pending file was made and removed unsent', async () => {
    folder.cutOff();
    const { fid } = await folder.do({ op: 'create', dir: ROOT, name: 'f', options: made });
    const before = folder.woken;
    await folder.do({ op: 'remove', place: { dir: ROOT, name: 'f' }, options: {} });
    await bench.settle();
    expect(folder.client.pendingVnode(fid)).toBe(false);
    expect(folder.client.pendingEntry(ROOT, 'f')).toBe(false);
    expect(folder.woken).toBeGreaterThan(before);
  });

  it('obtains exactly the requested version', async () => {
    const { fid } = await other.write(ROOT, 'f', 'one');
    await bench.settle();
    await other.store(fid, 'two');
    await bench.settle();
    for (const [version, text] of [
      [1, 'one'],
      [2, 'two'],
    ] as const) {
      const digest = digestOfText(text);
      const what = { op: 'obtain', fid, version: version as never, digest } as const;
      const { path } = await folder.do<{ path: string }>(what);
      expect(folder.disk.get(path)).toBe(text);
    }
  });

  it('obtains only the contents with the right digest when a restored server reuses a number', async () => {
    const { fid } = await other.write(ROOT, 'f', 'one');
    await bench.settle();
    const asked = (text: string) =>
      ({ op: 'obtain', fid, version: 1 as never, digest: digestOfText(text) }) as const;
    const [before, now] = [folder.call(asked('of before')), folder.call(asked('one'))];
    await bench.pass(1_000);
    expect(folder.answers.get(before)).toMatchObject({ ok: false, code: 'version-gone' });
    expect(folder.answers.get(now)).toMatchObject({ ok: true });
  });

  it('lets an obtain wait for the server and cancels it on request', async () => {
    const { fid } = await other.write(ROOT, 'f', 'one');
    await bench.settle();
    folder.cutOff();
    const digest = digestOfText('one');
    const what = { op: 'obtain', fid, version: 1 as never, digest } as const;
    const [kept, dropped] = [folder.call(what), folder.call(what)];
    await bench.pass(60_000);
    expect([folder.answers.get(kept), folder.answers.get(dropped)]).toEqual([undefined, undefined]);
    folder.feed({ kind: 'cancel', call: dropped });
    folder.online = true;
    await bench.pass(40_000);
    expect(folder.answers.get(kept)).toMatchObject({ ok: true });
    expect(folder.answers.get(dropped)).toBeUndefined();
  });

  it('offers a losing change as a copy after its commit and accepts writes to it meanwhile', async () => {
    const { fid } = await other.write(ROOT, 'doc', 'old');
    await bench.settle();
    await changes();
    await apart(
      () => observe(fid, 'mine', 1),
      () => other.store(fid, 'theirs'),
    );
    expect(offered()).toMatchObject([{ kind: 'copied', fid }]);
    const [adjustment] = offered();
    if (adjustment?.kind !== 'copied') throw new Error('no copy');
    expect(adjustment.to.name).toContain('conflict');
    expect(folder.client.pendingVnode(fid)).toBe(false);
    // The disk still has the losing file under the old name.
    const later = await observe(fid, 'mine, later', 2);
    await bench.settle();
    expect(await other.read(adjustment.copy)).toBe('mine, later');
    expect(await other.read(fid)).toBe('theirs');
    // Its removal there is the copy's.
    const place = { dir: ROOT, name: 'doc' };
    const observed = { fid, base: later.version };
    await folder.do({ op: 'remove', place, options: { observed } });
    await bench.settle();
    expect(await other.list()).toEqual(['doc']);
    await folder.do({ op: 'adjusted', id: adjustment.id, became: null });
    expect(offered()).toEqual([]);
    await observe(fid, 'on theirs', 2);
    await bench.settle();
    expect(await other.read(fid)).toBe('on theirs');
  });

  it('applies saves over a losing change to the copy, whatever their numbers', async () => {
    const { fid } = await other.write(ROOT, 'doc', 'old');
    await other.store(fid, 'newer');
    await bench.settle();
    await changes();
    await apart(
      () => observe(fid, 'mine', 2),
      () => other.store(fid, 'theirs'),
    );
    const [adjustment] = offered();
    if (adjustment?.kind !== 'copied') throw new Error('no copy');
    let { version } = { version: 3 as number };
    for (const text of ['one more', 'two more', 'three more']) {
      const before = version;
      ({ version } = await observe(fid, text, version));
      expect(version).toBe(before + 1);
    }
    await bench.settle();
    expect(await other.list()).toEqual(['doc', adjustment.to.name]);
    expect(await other.read(adjustment.copy)).toBe('three more');
  });

  it("keeps another client's change of the copy beside a save over the losing change", async () => {
    const { fid } = await other.write(ROOT, 'doc', 'old');
    await bench.settle();
    await changes();
    await apart(
      () => observe(fid, 'mine', 1),
      () => other.store(fid, 'theirs'),
    );
    const [adjustment] = offered();
    if (adjustment?.kind !== 'copied') throw new Error('no copy');
    await other.store(adjustment.copy, 'theirs as well');
    await bench.settle();
    await changes();
    const { version } = await observe(fid, 'mine, later', 2);
    await bench.settle();
    expect(await other.read(adjustment.copy)).toBe('theirs as well');
    expect(await other.list()).toHaveLength(3);
    // What is saved on goes on in the copy of the copy, the removal is its own.
    const { version: last } = await observe(fid, 'mine, at last', version);
    await bench.settle();
    expect(await other.list()).toHaveLength(3);
    const observed = { fid, base: last };
    await folder.do({ op: 'remove', place: { dir: ROOT, name: 'doc' }, options: { observed } });
    await bench.settle();
    expect(await other.list()).toEqual(['doc', adjustment.to.name]);
  });

  it('keeps a write on the disk apart from both sides of a conflict, also over restarts', async () => {
    const { fid } = await other.write(ROOT, 'doc', 'old');
    await bench.settle();
    await changes();
    await apart(
      () => folder.store(fid, "a program's"),
      () => other.store(fid, 'theirs'),
    );
    const [adjustment] = offered();
    if (adjustment?.kind !== 'copied') throw new Error('no copy');
    folder.crash();
    folder.begin();
    // The disk has shown neither.
    await observe(fid, "the disk's", 1);
    await bench.settle();
    expect(await other.read(fid)).toBe('theirs');
    expect(await other.read(adjustment.copy)).toBe("a program's");
    expect(await other.list()).toHaveLength(3);
  });

  it('offers adjustments until they are done, also over restarts', async () => {
    const { fid } = await other.write(ROOT, 'doc', 'old');
    await bench.settle();
    await apart(
      () => observe(fid, 'mine', 1),
      () => other.store(fid, 'theirs'),
    );
    folder.crash();
    folder.begin();
    await bench.pass(5_000);
    const [adjustment] = offered();
    expect(adjustment).toMatchObject({ kind: 'copied', fid });
    await folder.do({ op: 'adjusted', id: adjustment?.id ?? 0, became: null });
    folder.crash();
    folder.begin();
    expect(offered()).toEqual([]);
  });

  it('renames a file that could not have its name', async () => {
    await apart(
      async () => {
        const { fid } = await folder.do({ op: 'create', dir: ROOT, name: 'f', options: made });
        await observe(fid, 'mine', 0);
      },
      () => other.write(ROOT, 'f', 'theirs'),
    );
    const [adjustment] = offered();
    expect(adjustment).toMatchObject({ kind: 'renamed', from: { dir: ROOT, name: 'f' } });
    if (adjustment?.kind !== 'renamed') return;
    expect(await other.list()).toEqual(['f', adjustment.to.name]);
    // A person moves the file before the folder does: then it is where it was moved to.
    await folder.do({
      op: 'rename',
      from: { dir: ROOT, name: 'f' },
      to: { dir: ROOT, name: 'moved' },
      options: { moved: adjustment.fid, observed: null },
    });
    await bench.settle();
    expect(await other.list()).toEqual(['f', 'moved']);
    expect(offered()).toMatchObject([{ to: { dir: ROOT, name: 'moved' } }]);
  });

  it('merges two directories of one name', async () => {
    const mine: Attributes[] = [];
    await apart(
      async () => {
        const { fid } = await folder.do({ op: 'mkdir', dir: ROOT, name: 'd', options: made });
        await folder.do({ op: 'create', dir: fid, name: 'f', options: made });
        mine.push(await folder.do({ op: 'getattr', fid }));
      },
      () => other.do({ op: 'mkdir', dir: ROOT, name: 'd', options: { mode: 0o755 } }),
    );
    const theirs = await other.do<Attributes>({ op: 'lookup', dir: ROOT, name: 'd' });
    const [from] = mine as [Attributes];
    expect(offered()).toMatchObject([{ kind: 'merged', fid: from.fid, into: theirs.fid }]);
    // What still names ours means theirs.
    await folder.do({ op: 'create', dir: from.fid, name: 'g', options: made });
    await bench.settle();
    expect(await other.list(theirs.fid)).toEqual(['f', 'g']);
  });

  it('restores a file that it could not remove', async () => {
    const { fid } = await other.write(ROOT, 'doc', 'old');
    await bench.settle();
    await changes();
    const observed = { fid, base: 1 as never };
    await apart(
      () => folder.do({ op: 'remove', place: { dir: ROOT, name: 'doc' }, options: { observed } }),
      () => other.store(fid, 'theirs'),
    );
    expect(offered()).toMatchObject([{ kind: 'restored', fid }]);
    const status = await folder.do<VnodeStatus>({ op: 'present', fid });
    expect(status).toMatchObject({ fid, version: 2, digest: digestOfText('theirs') });
  });

  it('sends nothing while it is paused', async () => {
    folder.feed({ kind: 'pause' });
    const { fid } = await folder.do({ op: 'create', dir: ROOT, name: 'f', options: made });
    await observe(fid, 'text', 0);
    await bench.pass(10_000);
    expect(await other.list()).toEqual([]);
    expect(folder.status()).toMatchObject({ state: 'paused', paused: true });
    folder.crash();
    folder.begin();
    await bench.pass(10_000);
    expect(await other.list()).toEqual([]);
    folder.feed({ kind: 'resume' });
    await bench.pass(10_000);
    expect(await other.list()).toEqual(['f']);
  });
});

describe('cached contents that are obtained', () => {
  const obtained = async (frontEnd: 'none' | 'folder', isPinned: boolean) => {
    const bench = await ClientBench.start();
    const other = await bench.join();
    const client = await bench.join({ frontEnd });
    const { fid, version } = await other.write(ROOT, 'f', 'one');
    await bench.pass(100);
    if (isPinned) await client.do({ op: 'pin', fid });
    await client.read(fid);
    const what = { op: 'obtain', fid, version, digest: digestOfText('one') } as const;
    const given = await client.do<{ path: string }>(what);
    expect(client.disk.get(given.path)).toBe('one');
    return { bench, client, fid };
  };

  it.each([true, false])(
    'stay for programs when no folder keeps them (pinned: %s)',
    async (isPinned) => {
      const { bench, client, fid } = await obtained('none', isPinned);
      client.cutOff();
      await bench.pass(60_000);
      expect(await client.read(fid)).toBe('one');
    },
  );

  it('move into the folder and do not occupy space twice', async () => {
    const { client } = await obtained('folder', false);
    expect([...client.client.inside.cache.files.all()]).toEqual([]);
  });
});
