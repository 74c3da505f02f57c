import { describe, expect, it } from '@jest/globals';
import { fidOf, FIRST, MetaScript, ROOT } from '../../../../test/conformance/meta-script.ts';
import { MemoryMetaStore } from './memory-meta-store.ts';

describe('the in-memory MetaStore', () => {
  it('refuses a commit on demand, once', async () => {
    const store = new MemoryMetaStore();
    await store.open(FIRST);
    const script = await MetaScript.on(store);
    script.create(fidOf(2), ROOT, 'a');
    const group = [...script.pending];
    store.failNextCommit('server-full');
    await expect(store.commit(group)).rejects.toMatchObject({ code: 'server-full' });
    expect(await store.load([{ kind: 'vnode', fid: fidOf(2) }])).toEqual([null]);
    await store.commit(group);
    expect(store.commits).toBe(1);
  });

  it('answers when the test lets it', async () => {
    const deliveries: Array<() => void> = [];
    const store = new MemoryMetaStore({ defer: (deliver) => deliveries.push(deliver) });
    let answered = false;
    const opened = store.open(FIRST).then(() => (answered = true));
    await Promise.resolve();
    expect(answered).toBe(false);
    deliveries.shift()?.();
    await opened;
    expect(answered).toBe(true);
  });

  it('can be cloned, and both copies are independent', async () => {
    const store = new MemoryMetaStore();
    await store.open(FIRST);
    const script = await MetaScript.on(store);
    await script.create(fidOf(2), ROOT, 'a').flush();
    const backup = store.clone();
    const keys = [
      { kind: 'entry', dir: ROOT, name: 'a' },
      { kind: 'snapshot', volume: 1 as never, at: 99 as never, after: null, limit: 9 },
      { kind: 'changes', volume: 1 as never, since: 0 as never, limit: 9 },
    ] as const;
    const before = await store.load(keys);
    const other = script.rename({ dir: ROOT, name: 'a' }, { dir: ROOT, name: 'b' });
    await other.flush();
    const state = await backup.open({ ...FIRST, epoch: 'd'.repeat(32) });
    expect(state).toMatchObject({ epoch: FIRST.epoch, volumes: [{ head: 2 }] });
    expect(await backup.load(keys)).toEqual(before);
    expect(await store.load(keys)).not.toEqual(before);
  });
});
