import { describe, expect, it } from '@jest/globals';
import { CoreServer, VOLUME, ROOT, create, seqs } from '../../test/support/core-server.ts';

describe('the core of a server', () => {
  it('takes a device on, lets it make a file, and shows it to another', async () => {
    const server = await CoreServer.start();
    const [a, b] = [await server.join(), await server.join()];
    const [made] = await a.apply(create(a.fid(0), 'x'));
    expect(made).toMatchObject({ seq: 1, ok: true, commit: 2 });
    const page = await b.ask('FetchDir', { fid: ROOT, at: null, after: null, limit: 10 });
    expect(page.entries.map(({ name }) => name)).toEqual(['x']);
    expect(await a.store(a.fid(0), 0)).toMatchObject({ ok: true, commit: 3 });
    const feed = await b.ask('Changes', {
      volume: VOLUME,
      since: 0 as never,
      limit: 10,
      wait: false,
      promise: false,
    });
    expect(feed.commits.map(({ commit }) => commit)).toEqual([1, 2, 3]);
    expect(seqs(1)).toEqual([1]);
  });
});
