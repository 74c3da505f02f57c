import { beforeEach, describe, expect, it } from '@jest/globals';
import { digestOfText } from '../../../test/support/bench-disk.ts';
import { ClientBench, ROOT, type BenchClient } from '../../../test/support/client-bench.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import { EMPTY_DIGEST, type VnodeStatus } from '../../../shared/model/vnode.ts';
import type { Attributes } from '../../../shared/ports/file-system.ts';
import { present } from '../../../shared/util/assert.ts';
import { resolveRefusal } from './resolve.ts';
import { learnStatus } from '../log/learn.ts';

const MARK = 'conflict, laptop 2, 1970-01-01 00.00.';

/** Names with the time of the conflict cut out. */
function plain(tree: Record<string, string>): Record<string, string> {
  const entries = Object.entries(tree).map(([path, text]) => {
    return [path.replaceAll(/\(conflict, laptop (\d), [^)]*\)/g, '(of $1)'), text];
  });
  return Object.fromEntries(entries) as Record<string, string>;
}

describe('conflicts in the client', () => {
  let bench: ClientBench;
  let a: BenchClient;
  let b: BenchClient;

  beforeEach(async () => {
    bench = await ClientBench.start();
    a = await bench.join();
    b = await bench.join();
  });

  /** `b` works offline, then `a` works, then `b` comes back. What both have in the end. */
  async function apart(mine: () => Promise<unknown>, theirs: () => Promise<unknown>) {
    b.cutOff();
    await bench.pass(2_000);
    await mine();
    await theirs();
    await bench.pass(100);
    b.online = true;
    await bench.pass(40_000);
    const tree = await a.tree();
    expect(await b.tree()).toEqual(tree);
    expect(b.status().queues).toMatchObject({ metadata: { updates: 0 }, data: { updates: 0 } });
    expect(b.status().errors).toEqual([]);
    return plain(tree);
  }

  const lookup = (client: BenchClient, name: string, dir = ROOT): Promise<Attributes> =>
    client.do({ op: 'lookup', dir, name });
  const remove = (client: BenchClient, name: string, dir = ROOT): Promise<unknown> =>
    client.do({ op: 'remove', place: { dir, name }, options: {} });
  const mkdir = (client: BenchClient, name: string, dir = ROOT): Promise<Attributes> =>
    client.do({ op: 'mkdir', dir, name, options: { mode: 0o755 } });
  const rename = (client: BenchClient, from: string, to: string, dir = ROOT): Promise<unknown> =>
    client.do({ op: 'rename', from: { dir, name: from }, to: { dir, name: to }, options: {} });

  it('keep both contents of a file that two clients changed', async () => {
    const { fid } = await a.write(ROOT, 'doc.txt', 'old');
    await b.read(fid);
    await b.list();
    const tree = await apart(
      () => b.store(fid, 'mine'),
      () => a.store(fid, 'theirs'),
    );
    expect(tree).toEqual({ 'doc.txt': 'theirs', 'doc (of 2).txt': 'mine' });
    expect(b.status().conflicts).toMatchObject([{ path: 'doc.txt', kind: 'contents' }]);
    expect(b.status().conflicts[0]?.copy).toContain(MARK);
    expect(b.status().state).toBe('conflict');
  });

  it('keep contents in the cache that both clients stored', async () => {
    const { fid } = await a.write(ROOT, 'doc.txt', 'old');
    await b.list();
    b.cutOff();
    await b.store(fid, 'same');
    await a.store(fid, 'same');
    await bench.pass(100);
    b.online = true;
    await bench.pass(40_000);
    b.cutOff();
    expect(await b.do<Attributes>({ op: 'getattr', fid })).toMatchObject({ cached: true });
    expect(await b.read(fid)).toBe('same');
  });

  it('keep cached contents that another client also stored when they are overwritten before they are sent', async () => {
    const { fid } = await a.write(ROOT, 'doc.txt', 'old');
    await b.list();
    b.feed({ kind: 'pause' });
    await b.store(fid, 'same');
    await a.store(fid, 'same');
    await b.do({ op: 'getattr', fid });
    const status = b.client.inside.names.attributes.get(fid) as VnodeStatus;
    expect(status).toMatchObject({ version: 2, digest: digestOfText('same') });
    await b.store(fid, 'newer');
    expect(b.client.inside.log.index.onVnode(fid)).toHaveLength(1);
    expect(b.client.inside.cache.files.find(status)).not.toBeNull();
    b.feed({ kind: 'resume' });
    await bench.pass(40_000);
    expect(await a.read(fid)).toBe('same');
    expect(Object.values(await b.tree()).sort()).toEqual(['newer', 'same']);
  });

  it('do not arise when both stored the same contents', async () => {
    const { fid } = await a.write(ROOT, 'doc.txt', 'old');
    await b.list();
    const tree = await apart(
      () => b.store(fid, 'same'),
      () => a.store(fid, 'same'),
    );
    expect(tree).toEqual({ 'doc.txt': 'same' });
    expect(b.status().conflicts).toEqual([]);
  });

  it('give the later of two new files of one name another name', async () => {
    await b.list();
    const tree = await apart(
      () => b.write(ROOT, 'new', 'mine'),
      () => a.write(ROOT, 'new', 'theirs'),
    );
    expect(tree).toEqual({ new: 'theirs', 'new (of 2)': 'mine' });
  });

  it('merge two new files of one name and contents', async () => {
    await b.list();
    const tree = await apart(
      () => b.write(ROOT, 'new', 'same'),
      () => a.write(ROOT, 'new', 'same'),
    );
    expect(tree).toEqual({ new: 'same' });
    expect(b.status().conflicts).toEqual([]);
  });

  it('merge two new directories of one name entry by entry', async () => {
    await b.list();
    const tree = await apart(
      async () => {
        const { fid } = await mkdir(b, 'd');
        await b.write(fid, 'both', 'mine');
        await b.write(fid, 'b', 'b');
        const inner = await mkdir(b, 'inner', fid);
        await b.write(inner.fid, 'deep', 'b');
      },
      async () => {
        const { fid } = await mkdir(a, 'd');
        await a.write(fid, 'both', 'theirs');
        await a.write(fid, 'a', 'a');
        const inner = await mkdir(a, 'inner', fid);
        await a.write(inner.fid, 'other', 'a');
      },
    );
    expect(tree).toEqual({
      'd/': '',
      'd/a': 'a',
      'd/b': 'b',
      'd/both': 'theirs',
      'd/both (of 2)': 'mine',
      'd/inner/': '',
      'd/inner/deep': 'b',
      'd/inner/other': 'a',
    });
  });

  it('keep an update of a removed file under its name', async () => {
    const { fid } = await a.write(ROOT, 'doc', 'old');
    await b.read(fid);
    await b.list();
    const tree = await apart(
      () => b.store(fid, 'mine'),
      () => remove(a, 'doc'),
    );
    expect(tree).toEqual({ doc: 'mine' });
  });

  it('keep an update in the nearest directory when its own was removed', async () => {
    const outer = await mkdir(a, 'outer');
    const inner = await mkdir(a, 'inner', outer.fid);
    const { fid } = await a.write(inner.fid, 'doc', 'old');
    await b.tree();
    const tree = await apart(
      () => b.store(fid, 'mine'),
      async () => {
        await remove(a, 'doc', inner.fid);
        await a.do({ op: 'rmdir', place: { dir: outer.fid, name: 'inner' }, options: {} });
      },
    );
    expect(tree).toEqual({ 'outer/': '', 'outer/doc': 'mine' });
  });

  it('keep a new file whose directory was removed', async () => {
    const dir = await mkdir(a, 'd');
    await b.tree();
    const tree = await apart(
      () => b.write(dir.fid, 'new', 'mine'),
      () => a.do({ op: 'rmdir', place: { dir: ROOT, name: 'd' }, options: {} }),
    );
    expect(tree).toEqual({ new: 'mine' });
  });

  it('keep a whole new tree whose directory was removed', async () => {
    const dir = await mkdir(a, 'd');
    await b.tree();
    const tree = await apart(
      async () => {
        const made = await mkdir(b, 'e', dir.fid);
        await b.write(made.fid, 'new', 'mine');
      },
      () => a.do({ op: 'rmdir', place: { dir: ROOT, name: 'd' }, options: {} }),
    );
    expect(tree).toEqual({ 'e/': '', 'e/new': 'mine' });
  });

  it('undo the removal of a file that another client changed', async () => {
    const { fid } = await a.write(ROOT, 'doc', 'old');
    await b.tree();
    const tree = await apart(
      () => remove(b, 'doc'),
      () => a.store(fid, 'theirs'),
    );
    expect(tree).toEqual({ doc: 'theirs' });
  });

  it('report a path that is too deep as such, not as a removed directory', async () => {
    const dir = await mkdir(b, 'd');
    b.cutOff();
    await bench.pass(2_000);
    await mkdir(b, 'x', dir.fid);
    const state = b.client.inside;
    const entry = present([...state.log.all()].at(-1), 'a making that was not sent');
    resolveRefusal(state, entry, 'too-deep', null);
    await bench.pass(100);
    expect(b.status().conflicts).toMatchObject([{ path: 'd/x', copy: 'x', kind: 'too-deep' }]);
  });

  it.each(['mkdir', 'rename', 'link'] as const)(
    'give what loses twice in one second one mark, and a number (%s)',
    async (how) => {
      const file = await a.write(ROOT, 'file', 'x');
      await b.tree();
      b.cutOff();
      await bench.pass(2_000);
      if (how === 'mkdir') await mkdir(b, 'd');
      else if (how === 'rename') await rename(b, 'file', 'd');
      else {
        const place = { dir: ROOT, name: 'd' };
        await b.do({ op: 'link', fid: file.fid, place, options: {} });
      }
      const state = b.client.inside;
      const other = present(state.names.attributes.get(ROOT), 'the root');
      for (let time = 0; time < 2; time++) {
        const entry = present([...state.log.all()].at(-1), 'what was not sent');
        resolveRefusal(state, entry, 'name-taken', {
          ...{ ...other, fid: '1.99.1' as Fid, kind: 'file', digest: EMPTY_DIGEST },
        });
      }
      const { update } = present([...state.log.all()].at(-1), 'what is to be sent');
      const name = update.op === 'rename' ? update.toName : 'name' in update ? update.name : null;
      expect(name).toMatch(/^d \(conflict, laptop 2, [^()]* 2\)$/);
      expect(update).toMatchObject({ copyOf: 'd' });
    },
  );

  it('do not arise from a removal of what is gone already', async () => {
    await a.write(ROOT, 'doc', 'old');
    await b.tree();
    const tree = await apart(
      () => remove(b, 'doc'),
      () => remove(a, 'doc'),
    );
    expect(tree).toEqual({});
    expect(b.status().conflicts).toEqual([]);
  });

  it('undo the removal of a directory into which another client put a file', async () => {
    const dir = await mkdir(a, 'd');
    await b.tree();
    const tree = await apart(
      () => b.do({ op: 'rmdir', place: { dir: ROOT, name: 'd' }, options: {} }),
      () => a.write(dir.fid, 'new', 'theirs'),
    );
    expect(tree).toEqual({ 'd/': '', 'd/new': 'theirs' });
  });

  it('keep both sides of a save by rename over a changed file', async () => {
    const { fid } = await a.write(ROOT, 'doc', 'old');
    await b.tree();
    const tree = await apart(
      async () => {
        await b.write(ROOT, 'tmp', 'mine');
        await rename(b, 'tmp', 'doc');
      },
      () => a.store(fid, 'theirs'),
    );
    expect(tree).toEqual({ doc: 'theirs', 'doc (of 2)': 'mine' });
  });

  it('keep both sides of a save by rename over an own earlier save', async () => {
    const { fid } = await a.write(ROOT, 'doc', 'old');
    await b.tree();
    const tree = await apart(
      async () => {
        await b.store(fid, 'mine, before');
        await b.write(ROOT, 'tmp', 'mine');
        await rename(b, 'tmp', 'doc');
      },
      () => a.store(fid, 'theirs'),
    );
    expect(tree).toEqual({ doc: 'theirs', 'doc (of 2)': 'mine' });
  });

  it('keep the other side of a save by rename when the file has another name', async () => {
    const { fid } = await a.write(ROOT, 'doc', 'old');
    await a.do({ op: 'link', fid, place: { dir: ROOT, name: 'other' }, options: {} });
    await b.tree();
    const tree = await apart(
      async () => {
        await b.store(fid, 'mine, before');
        await b.write(ROOT, 'tmp', 'mine');
        await rename(b, 'tmp', 'doc');
      },
      () => a.store(fid, 'theirs'),
    );
    expect(Object.values(tree)).toContain('mine');
    expect(tree['doc']).toBe('theirs');
    expect(tree['other']).toBe('theirs');
  });

  it('accept a save by rename when the replaced file is gone', async () => {
    await a.write(ROOT, 'doc', 'old');
    await b.tree();
    const tree = await apart(
      async () => {
        await b.write(ROOT, 'tmp', 'mine');
        await rename(b, 'tmp', 'doc');
      },
      () => remove(a, 'doc'),
    );
    expect(tree).toEqual({ doc: 'mine' });
  });

  it('rename a file that was moved to a name taken by another client', async () => {
    await a.write(ROOT, 'doc', 'old');
    await b.tree();
    const tree = await apart(
      () => rename(b, 'doc', 'new'),
      () => a.write(ROOT, 'new', 'theirs'),
    );
    expect(tree).toEqual({ new: 'theirs', 'new (of 2)': 'old' });
  });

  it('follow the first of two renames of one file', async () => {
    await a.write(ROOT, 'doc', 'old');
    await b.tree();
    const tree = await apart(
      () => rename(b, 'doc', 'mine'),
      () => rename(a, 'doc', 'theirs'),
    );
    expect(tree).toEqual({ theirs: 'old' });
  });

  it('undo the later of two crossing moves of directories (C2)', async () => {
    const [x, y] = [await mkdir(a, 'x'), await mkdir(a, 'y')];
    await b.tree();
    const move = (client: BenchClient, name: string, dir: Attributes): Promise<unknown> =>
      client.do({
        op: 'rename',
        from: { dir: ROOT, name },
        to: { dir: dir.fid, name },
        options: {},
      });
    const tree = await apart(
      () => move(b, 'x', y),
      () => move(a, 'y', x),
    );
    expect(tree).toEqual({ 'x/': '', 'x/y/': '' });
  });

  it('move chains of changes to the copy', async () => {
    const { fid } = await a.write(ROOT, 'doc', 'old');
    await b.tree();
    const tree = await apart(
      async () => {
        await b.store(fid, 'mine 1');
        await b.do({ op: 'setattr', fid, change: { mode: 0o600 } });
        await b.store(fid, 'mine 2');
        await rename(b, 'doc', 'moved');
      },
      () => a.store(fid, 'theirs'),
    );
    expect(tree).toEqual({ moved: 'theirs', 'moved (of 2)': 'mine 2' });
    const copy = (await b.list()).find((name) => name.includes('conflict'));
    expect((await lookup(a, copy ?? '')).mode).toBe(0o600);
  });

  it('move an unfinished write to the copy, before and after its commit', async () => {
    const { fid } = await a.write(ROOT, 'doc', 'old');
    await b.read(fid);
    await b.list();
    b.cutOff();
    await bench.pass(2_000);
    await b.store(fid, 'mine');
    const open = () =>
      b.do<{ handle: number; content: string }>({
        op: 'open',
        fid,
        how: { mode: 'write', truncate: false },
      });
    const [early, late] = [await open(), await open()];
    const close = ({ handle, content }: typeof early, text: string): void => {
      b.disk.set(content, text);
      b.call({ op: 'close', handle, changed: {} });
    };
    await a.store(fid, 'theirs');
    b.online = true;
    // Until the answer is there: the copy is logged then, and not committed.
    for (let step = 0; step < 20_000 && b.status().conflicts.length === 0; step++) {
      if (!(await bench.one())) bench.advance(500);
    }
    const queued = b.client.inside.log.unanswered;
    close(early, 'mine, and more');
    expect(queued).toBeGreaterThan(0);
    await bench.pass(40_000);
    expect(plain(await a.tree())).toEqual({ doc: 'theirs', 'doc (of 2)': 'mine, and more' });
    close(late, 'mine, at last');
    await bench.pass(40_000);
    const shown = plain(await a.tree());
    expect(shown['doc']).toBe('theirs');
    expect(Object.values(shown)).toContain('mine, at last');
  });

  it('accept nothing older than the winning version', async () => {
    const { fid } = await a.write(ROOT, 'doc', 'old');
    await b.read(fid);
    const before = present(b.client.inside.names.attributes.get(fid), 'it was read');
    await apart(
      () => b.store(fid, 'mine'),
      () => a.store(fid, 'theirs'),
    );
    // An answer that was asked for before the conflict, and comes after it.
    learnStatus(b.client.inside, before);
    expect(b.client.inside.names.attributes.get(fid)?.version).toBe(2);
    expect(await b.read(fid)).toBe('theirs');
  });

  it('stay resolved after a crash at any step', async () => {
    const { fid } = await a.write(ROOT, 'doc', 'old');
    await b.tree();
    b.cutOff();
    await bench.pass(2_000);
    await b.store(fid, 'mine');
    await a.store(fid, 'theirs');
    b.online = true;
    for (let life = 0; life < 30; life++) {
      for (let step = 0; step < life; step++) await bench.one();
      b.crash();
      await bench.settle();
      b.begin();
    }
    await bench.pass(40_000);
    expect(plain(await a.tree())).toEqual({ doc: 'theirs', 'doc (of 2)': 'mine' });
  });

  it('do not arise from an update without a right, which is refused at once', async () => {
    const reader = await bench.join({ rights: 'read' });
    const answer = await reader.try({
      op: 'create',
      dir: ROOT,
      name: 'x',
      options: { mode: 0o644 },
    });
    expect(answer).toMatchObject({ ok: false, code: 'no-right' });
    expect(await reader.list()).toEqual([]);
  });
});
