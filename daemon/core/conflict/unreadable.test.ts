/** Updates that the server can not read, as one that is older than this program: they block nothing but themselves. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { ClientBench, ROOT, VOLUME, type BenchClient } from '../../../test/support/client-bench.ts';

let bench: ClientBench;
let laptop: BenchClient;
let unread = 0;

beforeEach(async () => {
  bench = await ClientBench.start();
  laptop = await bench.join();
  await laptop.list();
  unread = 0;
  bench.server.isUnreadable = ({ rpc, body }) => {
    const isOdd = rpc === 'Apply' && JSON.stringify(body).includes('"odd"');
    unread += Number(isOdd);
    return isOdd;
  };
});

const mkdir = (name: string) =>
  laptop.do({ op: 'mkdir', dir: ROOT, name, options: { mode: 0o755 } });

describe('an update that the server can not read', () => {
  it('is blocked by itself, and all that came with it goes on', async () => {
    laptop.cutOff();
    for (const name of ['a', 'odd', 'b', 'c']) await mkdir(name);
    laptop.online = true;
    await bench.pass(60_000);
    const { errors, queues } = laptop.status();
    expect(errors).toEqual([
      expect.objectContaining({ path: 'odd', message: expect.stringContaining('can not read it') }),
    ]);
    expect(queues.metadata).toMatchObject({ updates: 1, inFlight: 0 });
    const other = await bench.join();
    expect((await other.list()).sort()).toEqual(['a', 'b', 'c']);
  });

  it('is blocked likewise where it has contents', async () => {
    const { fid } = await laptop.write(ROOT, 'doc', 'first');
    await bench.pass(1_000);
    bench.server.isUnreadable = ({ rpc }) => {
      unread += Number(rpc === 'Store');
      return rpc === 'Store';
    };
    await laptop.store(fid, 'second');
    await mkdir('later');
    await bench.pass(600_000);
    expect(laptop.status().errors).toEqual([expect.objectContaining({ path: 'doc' })]);
    expect(unread).toBe(1);
    const other = await bench.join();
    expect((await other.list()).sort()).toEqual(['doc', 'later']);
  });

  it('is not sent again and again', async () => {
    await mkdir('odd');
    await bench.pass(1_000);
    await bench.pass(600_000);
    expect(unread).toBe(1);
  });

  it('is named by a flush', async () => {
    await mkdir('odd');
    const flushed = await laptop.try({ op: 'flush', volume: VOLUME, timeoutMs: null });
    expect(flushed).toMatchObject({ ok: false, code: 'sync-blocked' });
  });

  it('is sent when a server is there that can read it', async () => {
    await mkdir('odd');
    await bench.pass(1_000);
    bench.server.isUnreadable = () => false;
    laptop.cutOff();
    laptop.online = true;
    await bench.pass(60_000);
    expect(laptop.status().errors).toEqual([]);
    expect(await (await bench.join()).list()).toEqual(['odd']);
  });
});
