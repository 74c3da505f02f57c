import { beforeEach, describe, expect, it } from '@jest/globals';
import { makeFid, type Fid } from '../../../shared/model/fid.ts';
import type { Update } from '../../../shared/model/update.ts';
import type { DataVersion, Mtime } from '../../../shared/model/vnode.ts';
import { EMPTY_DIGEST } from '../../../shared/model/vnode.ts';
import { Outbox } from '../effects.ts';
import { ReadyQueue } from './ready-queue.ts';
import { UpdateLog, type LoggedUpdate } from './update-log.ts';

const AT = '1' as Mtime;
const ROOT = makeFid(1, 1, 1);
const fid = (n: number): Fid => makeFid(1, 100 + n, 7);
const [F, G, D, E] = [fid(1), fid(2), fid(3), fid(4)] as [Fid, Fid, Fid, Fid];

const create = (of: Fid, name: string, dir = ROOT): Update => {
  return { op: 'create', fid: of, dir, name, mode: 0o644, mtime: AT, xattrs: [], at: AT };
};
const mkdir = (of: Fid, name: string, dir = ROOT): Update => {
  return { op: 'mkdir', fid: of, dir, name, mode: 0o755, mtime: AT, xattrs: [], at: AT };
};
const store = (of: Fid, base = 0): Update => {
  const version = base as DataVersion;
  return { op: 'store', fid: of, base: version, size: 0, digest: EMPTY_DIGEST, mtime: AT };
};
const setattr = (of: Fid): Update => {
  return { op: 'setattr', fid: of, mode: 0o600, mtime: null, xattrs: null };
};
const remove = (of: Fid, name: string, dir = ROOT): Update => {
  return { op: 'remove', fid: of, dir, name, base: 0 as DataVersion, at: AT };
};
const rmdir = (of: Fid, name: string, dir = ROOT): Update => {
  return { op: 'rmdir', fid: of, dir, name, at: AT };
};
const link = (of: Fid, name: string, dir = ROOT): Update => {
  return { op: 'link', fid: of, dir, name, at: AT };
};
const rename = (
  of: Fid,
  from: string,
  to: string,
  over: Fid | null = null,
  toDir = ROOT,
): Update => {
  const replaced = over === null ? null : { fid: over, base: 0 as DataVersion };
  return {
    op: 'rename',
    fid: of,
    fromDir: ROOT,
    fromName: from,
    toDir,
    toName: to,
    over: replaced,
    at: AT,
  };
};

describe('the update log', () => {
  let log: UpdateLog;

  beforeEach(() => {
    log = new UpdateLog(new Outbox());
  });

  function append(update: Update, movesDirectory = false): LoggedUpdate {
    return log.append({
      update,
      content: null,
      place: null,
      ancestors: [],
      above: [],
      movesDirectory,
      endsVnode: false,
      rank: null,
      renumbered: 0,
      queueStatus: null,
    });
  }

  /** The numbers (from 1) that each of these updates waits for. */
  function waits(...updates: Update[]): number[][] {
    return updates.map((update) => [...append(update, isMove(update)).waitsFor]);
  }
  const moves = new Set<Fid>([D, E]);
  const isMove = (update: Update): boolean => update.op === 'rename' && moves.has(update.fid);

  it.each<[string, Update[], number[][]]>([
    ['a store waits for its create', [create(F, 'f'), store(F)], [[], [1]]],
    ['a store waits for the one before', [store(F), store(F, 1)], [[], [1]]],
    [
      'files are independent',
      [create(F, 'f'), store(F), create(G, 'g'), store(G)],
      [[], [1], [], [3]],
    ],
    ['setattr and stores keep their order', [store(F), setattr(F), store(F, 1)], [[], [1], [2]]],
    ['an entry waits for its directory', [mkdir(D, 'd'), create(F, 'f', D)], [[], [1]]],
    ['updates of one entry keep their order', [remove(F, 'f'), create(G, 'f')], [[], [1]]],
    [
      'a remove waits for all that is queued on its vnode',
      [create(F, 'f'), store(F), setattr(F), remove(F, 'f')],
      [[], [1], [1, 2], [1, 2, 3]],
    ],
    [
      'rmdir waits for all that is queued in the directory',
      [remove(F, 'f', D), remove(G, 'g', D), rmdir(D, 'd')],
      [[], [], [1, 2]],
    ],
    [
      'a safe save waits for its contents',
      [create(F, 'tmp'), store(F), rename(F, 'tmp', 'doc', G)],
      [[], [1], [1, 2]],
    ],
    [
      'a rename to a free name waits for its contents too, and for no attributes',
      [create(F, 'a'), store(F), rename(F, 'a', 'b'), setattr(F), rename(F, 'b', 'c')],
      [[], [1], [1, 2], [1, 2], [1, 2, 3]],
    ],
    [
      'a link waits for the contents it gives a name',
      [create(F, 'a'), store(F), link(F, 'b')],
      [[], [1], [1, 2]],
    ],
    [
      'a rename of a directory waits for no contents in it',
      [mkdir(D, 'd'), create(F, 'f', D), store(F), rename(D, 'd', 'x')],
      [[], [1], [2], [1]],
    ],
    [
      'a rename to a name that was just freed waits for its contents',
      [create(F, 'tmp'), store(F), rename(G, 'doc', 'doc~'), rename(F, 'tmp', 'doc')],
      [[], [1], [], [1, 2, 3]],
    ],
    [
      'a rename over waits for what is queued on the vnode it replaces',
      [store(G), rename(F, 'a', 'b', G)],
      [[], [1]],
    ],
    [
      'the last name does not go before the next one is there',
      [link(F, 'g'), remove(F, 'f')],
      [[], [1]],
    ],
    [
      'moves of directories keep their order',
      [rename(D, 'd', 'x'), rename(E, 'e', 'y')],
      [[], [1]],
    ],
    [
      'what comes after a making waits for it, whatever is queued on the vnode before that',
      [rename(D, 'x', 'y'), mkdir(D, 'd'), create(F, 'f', D), setattr(D)],
      [[], [], [2], [2]],
    ],
  ])('knows dependencies: %s', (_name, updates, expected) => {
    expect(waits(...updates)).toEqual(expected);
  });

  it('lets later updates wait for a second create of a vnode when the first is answered', () => {
    const [first, second] = [append(mkdir(D, 'd')), append(mkdir(D, 'd'))];
    log.answered(first, { commit: 5 as never, touched: [] });
    expect([...append(create(F, 'f', D)).waitsFor]).toEqual([second.seq]);
  });

  it('finds all direct and indirect dependents of an update', () => {
    const all = [mkdir(D, 'd'), create(F, 'f', D), store(F), create(G, 'g')].map((u) => append(u));
    expect(log.dependents(all[0] as LoggedUpdate).map((e) => e.seq)).toEqual([2, 3]);
  });

  it('frees waiting updates when one is answered, and keeps it for the view', () => {
    const first = append(create(F, 'f'));
    const second = append(store(F));
    const freed = log.answered(first, { commit: 5 as never, touched: [] });
    expect(freed).toEqual([second]);
    expect(second.waitsFor.size).toBe(0);
    expect(log.get(first.seq)).toBe(first);
    expect(log.unanswered).toBe(1);
  });

  it('gives increasing numbers, also after a restart', () => {
    append(create(F, 'f'));
    const again = new UpdateLog(new Outbox());
    again.load([], 41);
    expect(again.append({ ...draft, update: create(G, 'g') }).seq).toBe(42);
  });

  const draft = {
    content: null,
    place: null,
    ancestors: [],
    above: [],
    movesDirectory: false,
    endsVnode: false,
    rank: null,
    renumbered: 0,
    queueStatus: null,
  };

  describe('a queue of ready updates', () => {
    const ready = (queue: ReadyQueue): number | undefined => queue.peek()?.seq;

    it('yields them in the order of the log', () => {
      const queue = new ReadyQueue(log);
      const all = ['c', 'a', 'b'].map((name, i) => append(create(fid(10 + i), name)));
      for (const entry of [...all].reverse()) queue.offer(entry);
      expect([queue.take(), queue.take(), queue.take()]).toEqual(all);
    });

    it('holds a store back until its metadata are on their way', () => {
      const [data, made] = [new ReadyQueue(log), append(create(F, 'f'))];
      const stored = append(store(F));
      data.offer(stored);
      expect(ready(data)).toBeUndefined();
      made.state = 'sent';
      data.offer(stored);
      expect(ready(data)).toBe(stored.seq);
    });

    it('holds a rename back until the store before it is committed', () => {
      const [queue, stored] = [new ReadyQueue(log), append(store(F))];
      const renamed = append(rename(F, 'tmp', 'doc', G));
      stored.state = 'sent';
      queue.offer(renamed);
      expect(ready(queue)).toBeUndefined();
      log.answered(stored, { commit: 5 as never, touched: [] });
      queue.offer(renamed);
      expect(ready(queue)).toBe(renamed.seq);
    });

    it('drops an update that was blocked meanwhile', () => {
      const [queue, made] = [new ReadyQueue(log), append(create(F, 'f'))];
      queue.offer(made);
      made.state = 'blocked';
      expect(ready(queue)).toBeUndefined();
    });
  });

  it('the update log gives an amended update a new name, since a copy has it under the old one', () => {
    log.name = '0123456789abcdff';
    const entry = append(store(F));
    log.amend(entry, store(F), 'another');
    expect(entry.name).toBe('0123456789abce00');
    expect(append(store(G)).name).toBe('0123456789abcdff');
  });

  it('knows an update without a name by its number alone', () => {
    const entry = append(store(F));
    log.amend(entry, store(F), 'another');
    expect(entry.name).toBeNull();
  });
});
