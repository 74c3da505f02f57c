import { describe, expect, it } from '@jest/globals';
import { ClientBench, ROOT, VOLUME } from '../../test/support/client-bench.ts';

describe('a client with its server', () => {
  it('pairs and sees its volume', async () => {
    const bench = await ClientBench.start();
    const a = await bench.join();
    const volumes = await a.do({ op: 'volumes' });
    expect(volumes).toMatchObject([{ id: VOLUME, name: 'home', root: ROOT, rights: 'write' }]);
    expect(a.status()).toMatchObject({ state: 'idle', connected: true });
  });

  it('shows a file of one client to another', async () => {
    const bench = await ClientBench.start();
    const [a, b] = [await bench.join(), await bench.join()];
    const dir = await a.do({ op: 'mkdir', dir: ROOT, name: 'd', options: { mode: 0o755 } });
    await a.write(dir.fid, 'hello', 'one');
    expect(await b.tree()).toEqual({ 'd/': '', 'd/hello': 'one' });
    expect(a.status().queues).toMatchObject({ metadata: { updates: 0 }, data: { updates: 0 } });
  });

  it('returns its promises with Hello and not with the answer', async () => {
    const bench = await ClientBench.start();
    const [a, b] = [await bench.join(), await bench.join()];
    const { fid } = await a.write(ROOT, 'f', 'one');
    await b.read(fid);
    expect(b.client.inside.sharing.promises.usable(fid)).toBe(true);
    b.feed({ kind: 'connected', token: 'f'.repeat(32) });
    expect(b.client.inside.sharing.promises.usable(fid)).toBe(false);
    expect(b.client.inside.session.phase).toBe('hello');
  });

  it('sees a file as another client closed it before the open', async () => {
    const bench = await ClientBench.start();
    const [a, b] = [await bench.join(), await bench.join()];
    const { fid } = await a.write(ROOT, 'f', 'one');
    expect(await b.read(fid)).toBe('one');
    await a.store(fid, 'two');
    expect(await b.read(fid)).toBe('two');
    await b.store(fid, 'three');
    expect(await a.read(fid)).toBe('three');
  });
});
