import { beforeEach, describe, expect, it } from '@jest/globals';
import { ClientBench, ROOT, type BenchClient } from '../../../test/support/client-bench.ts';
import { MOST_RENUMBERINGS } from '../../limits.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import type { VnodeStatus } from '../../../shared/model/vnode.ts';
import type { Attributes, Place } from '../../../shared/ports/file-system.ts';
import { present } from '../../../shared/util/assert.ts';
import { resolveRefusal } from './resolve.ts';

describe('an update in a folder that the server has no more', () => {
  let bench: ClientBench;
  let a: BenchClient;
  let b: BenchClient;

  beforeEach(async () => {
    bench = await ClientBench.start();
    a = await bench.join();
    b = await bench.join();
  });

  const mkdir = (client: BenchClient, name: string, dir = ROOT): Promise<Attributes> =>
    client.do({ op: 'mkdir', dir, name, options: { mode: 0o755 } });
  const rmdir = (client: BenchClient, name: string, dir = ROOT): Promise<unknown> =>
    client.do({ op: 'rmdir', place: { dir, name }, options: {} });
  const rename = (client: BenchClient, from: Place, to: Place): Promise<unknown> =>
    client.do({ op: 'rename', from, to, options: {} });

  /** Laptop b has sent all of its updates, and both show this. */
  async function bothHave(tree: Record<string, string>): Promise<void> {
    await bench.pass(40_000);
    expect(b.status().errors).toEqual([]);
    expect(b.status().queues).toMatchObject({ metadata: { updates: 0 }, data: { updates: 0 } });
    expect([await a.tree(), await b.tree()]).toEqual([tree, tree]);
  }

  const link = (fid: Fid, dir: Fid): Promise<unknown> =>
    b.do({ op: 'link', fid, place: { dir, name: 'new' }, options: {} });

  /** The folder d of b, who is paused, turns out to be a's; b lists the root after that. */
  async function becomeOne(): Promise<void> {
    const { fid } = await mkdir(a, 'd');
    await b.list();
    const state = b.client.inside;
    const theirs = state.names.attributes.get(fid) as VnodeStatus;
    const made = [...state.log.all()].find(({ update }) => update.op === 'mkdir');
    resolveRefusal(state, present(made, 'our folder'), 'name-taken', theirs);
  }

  it.each<[string, (dir: Fid, doc: Fid) => Promise<unknown>, Record<string, string>]>([
    ['a file', (dir) => b.write(dir, 'new', 'mine'), { new: 'mine' }],
    ['a folder', (dir) => mkdir(b, 'new', dir), { 'new/': '' }],
    ['a second name of a file', (dir, doc) => link(doc, dir), { new: 'text' }],
  ])('lands in the folder above if that had become one with theirs: %s', async (_, put, shown) => {
    const doc = await b.write(ROOT, 'doc', 'text');
    b.feed({ kind: 'pause' });
    const mine = await mkdir(b, 'd');
    await put(mine.fid, doc.fid);
    await becomeOne();
    await rmdir(a, 'd');
    b.feed({ kind: 'resume' });
    await bothHave({ doc: 'text', ...shown });
  });

  it('lands in theirs if that had become one with it, and a folder in it is too deep', async () => {
    b.feed({ kind: 'pause' });
    const mine = await mkdir(b, 'd');
    const inner = await mkdir(b, 'inner', mine.fid);
    await mkdir(b, 'new', inner.fid);
    await becomeOne();
    const state = b.client.inside;
    resolveRefusal(state, present([...state.log.all()].at(-1), 'new'), 'too-deep', null);
    b.feed({ kind: 'resume' });
    await bothHave({ 'd/': '', 'd/inner/': '', 'd/new/': '' });
  });

  it('does not go into a folder that has the name of the one above it by now, and is gone too', async () => {
    const above = await mkdir(a, 'x');
    const folder = await mkdir(a, 'y', above.fid);
    await b.tree();
    b.feed({ kind: 'pause' });
    await b.write(folder.fid, 'new', 'mine');
    await rename(a, { dir: above.fid, name: 'y' }, { dir: ROOT, name: 'y' });
    await rmdir(a, 'x');
    await rename(a, { dir: ROOT, name: 'y' }, { dir: ROOT, name: 'x' });
    await b.list();
    await b.try({ op: 'getattr', fid: above.fid });
    await rmdir(a, 'x');
    b.feed({ kind: 'resume' });
    await bothHave({ new: 'mine' });
  });

  it('climbs over more removed folders than the times that it may be renumbered', async () => {
    const chain = [ROOT];
    while (chain.length < MOST_RENUMBERINGS + 2) {
      const { fid } = await mkdir(a, 'd', chain.at(-1));
      chain.push(fid);
    }
    await b.tree();
    b.feed({ kind: 'pause' });
    await b.write(chain.at(-1) as Fid, 'new', 'mine');
    for (const dir of chain.slice(0, -1).reverse()) await rmdir(a, 'd', dir);
    b.feed({ kind: 'resume' });
    await bothHave({ new: 'mine' });
  });
});
