import { describe, expect, it } from '@jest/globals';
import { bodyOf, CoreServer } from '../../../test/support/core-server.ts';
import { chmod, create, remove, ROOT, VOLUME } from '../../../test/support/core-updates.ts';
import { UPDATES_AT_ONCE } from '../../limits.ts';
import type { CommitNumber } from '../../../shared/model/vnode.ts';

describe('a group commit', () => {
  it('writes together what arrived together', async () => {
    const server = await CoreServer.start();
    const a = await server.join();
    const { commits } = server.meta;
    const calls = Array.from({ length: 50 }, (_, n) =>
      a.sendUpdates([{ update: create(a.fid(n), `f${n}`) }]),
    );
    await server.settle();
    expect(server.meta.commits - commits).toBe(1);
    const numbers = calls.map((call) => {
      const [result] = bodyOf<'Apply'>(server.outcome(call)).results;
      return result?.ok === true ? result.commit : 0;
    });
    expect(numbers).toEqual(calls.map((_, n) => n + 2));
  });

  it('lets updates build on others that are not durable yet, while reads wait', async () => {
    const server = await CoreServer.start();
    const a = await server.join();
    server.hold.commits = true;
    const made = a.sendUpdates([{ update: create(a.fid(0), 'x') }]);
    await server.settle();
    const gone = a.sendUpdates([{ update: remove(a.fid(0), 'x') }]);
    const read = a.send('FetchStatus', { fids: [ROOT] });
    await server.settle();
    expect([made, gone, read].map((call) => server.outcome(call))).toEqual([
      ...[undefined, undefined, undefined],
    ]);
    await server.releaseOne('commits');
    expect(server.outcome(made)).toBeDefined();
    expect(server.outcome(read)).toBeUndefined();
    await server.release('commits');
    expect(bodyOf<'FetchStatus'>(server.outcome(read)).items[0]?.status).toMatchObject({
      version: 2,
    });
    expect(bodyOf<'Apply'>(server.outcome(gone)).results[0]?.ok).toBe(true);
  });

  it('waits for no read, however many are asked for', async () => {
    const server = await CoreServer.start();
    const [a, b] = [await server.join(), await server.join()];
    server.hold.loads = true;
    for (let n = 0; n < 50; n++) b.send('FetchStatus', { fids: [ROOT] });
    const made = a.sendUpdates([{ update: create(a.fid(0), 'x') }]);
    await server.settle();
    await server.releaseAt('loads', server.heldCount('loads') - 1);
    expect(bodyOf<'Apply'>(server.outcome(made)).results[0]?.ok).toBe(true);
  });

  it('waits for no update when somebody waits for the next group', async () => {
    const server = await CoreServer.start();
    const [a, b] = [await server.join(), await server.join()];
    server.hold.loads = true;
    const made = a.sendUpdates([{ update: create(a.fid(0), 'x') }]);
    b.sendUpdates([{ update: create(b.fid(0), 'y') }]);
    await server.releaseOne('loads');
    expect(server.outcome(made)).toBeUndefined();
    server.feed({ kind: 'full', group: server.state.commits.collecting.id });
    await server.settle();
    expect(bodyOf<'Apply'>(server.outcome(made)).results[0]?.ok).toBe(true);
  });

  it('decides a long message in pieces, and other callers come in between', async () => {
    const server = await CoreServer.start();
    const [a, b] = [await server.join(), await server.join()];
    server.hold.loads = true;
    const count = 3 * UPDATES_AT_ONCE;
    const [long, longer] = [0, 1].map((batch) =>
      a.sendUpdates(
        Array.from({ length: count }, (_, n) => ({
          update: create(a.fid(batch * count + n), `f ${batch} ${n}`),
        })),
      ),
    );
    await server.settle();
    expect(server.heldCount('loads')).toBe(1);
    const short = b.sendUpdates([{ update: create(b.fid(0), 'y') }]);
    await server.settle();
    await server.releaseOne('loads');
    await server.releaseOne('loads');
    expect(bodyOf<'Apply'>(server.outcome(short)).results[0]).toMatchObject({
      commit: UPDATES_AT_ONCE + 2,
    });
    expect(server.outcome(long ?? 0)).toBeUndefined();
    await server.release('loads');
    const commits = [long, longer].map((call) =>
      bodyOf<'Apply'>(server.outcome(call ?? 0)).results.map((each) => (each.ok ? each.commit : 0)),
    );
    const all = commits.flat();
    expect(all).toEqual([...all].sort((one, other) => one - other));
    expect(new Set(all).size).toBe(2 * count);
  });

  it('keeps its rows visible to loads that began before they were durable', async () => {
    const server = await CoreServer.start();
    const a = await server.join();
    await a.apply(create(a.fid(0), 'x'));
    server.hold.loads = true;
    const changed = a.sendUpdates([{ update: chmod(a.fid(0), 0) }]);
    a.sendUpdates([{ update: chmod(a.fid(9), 0) }]); // will be refused
    await server.releaseOne('loads'); // decided; its group waits for the other one
    const slow = a.sendUpdates([{ update: remove(a.fid(0), 'x') }]); // its rows are those before
    await server.settle();
    await server.releaseOne('loads');
    expect(bodyOf<'Apply'>(server.outcome(changed)).results[0]?.ok).toBe(true);
    expect(server.stagedRows).toBeGreaterThan(0);
    await server.release('loads');
    expect(bodyOf<'Apply'>(server.outcome(slow)).results[0]).toMatchObject({ ok: true, commit: 4 });
    expect(server.stagedRows).toBe(0);
    const feed = {
      volume: VOLUME,
      since: 2 as CommitNumber,
      limit: 9,
      wait: false,
      promise: false,
    };
    const { commits } = await a.ask('Changes', feed);
    expect(commits.map(({ vnodes }) => vnodes[0]?.links)).toEqual([1, 0]);
  });
});

describe('a group that fails to commit', () => {
  it('has no effect: its callers get an error and may try again', async () => {
    const server = await CoreServer.start();
    const a = await server.join();
    server.meta.failNextCommit('server-full');
    const update = create(a.fid(0), 'x');
    const call = a.sendUpdates([{ seq: 1, update }]);
    await server.settle();
    expect(server.outcome(call)).toEqual({ code: 'server-full' });
    const again = a.sendUpdates([{ seq: 1, update }]);
    await server.settle();
    expect(bodyOf<'Apply'>(server.outcome(again)).results[0]).toMatchObject({
      ok: true,
      commit: 2,
    });
  });

  it('takes with it what was decided upon it and nothing else', async () => {
    const server = await CoreServer.start();
    const a = await server.join();
    server.hold.commits = true;
    server.meta.failNextCommit('server-full');
    const first = a.sendUpdates([{ seq: 1, update: create(a.fid(0), 'x') }]);
    await server.settle();
    const second = a.sendUpdates([{ seq: 2, update: chmod(a.fid(0), 0) }]);
    await server.settle();
    server.hold.loads = true;
    const third = a.sendUpdates([{ seq: 3, update: create(a.fid(1), 'y') }]);
    await server.settle();
    await server.release('commits');
    expect(server.outcome(first)).toEqual({ code: 'server-full' });
    expect(server.outcome(second)).toEqual({ code: 'server-full' });
    await server.release('loads');
    expect(bodyOf<'Apply'>(server.outcome(third)).results[0]).toMatchObject({
      ok: true,
      commit: 2,
    });
  });

  it('leaves marks and sessions unchanged', async () => {
    const server = await CoreServer.start();
    const [a, b] = [await server.join(), await server.join()];
    await a.apply(create(a.fid(0), 'x'));
    const store = a.sendStore(a.fid(0), 0);
    await server.settle();
    server.hold.commits = true;
    server.meta.failNextCommit('server-full');
    a.sendContent(store);
    await server.settle();
    await server.release('commits');
    expect(server.outcome(store)).toEqual({ code: 'server-full' });
    expect(server.state.volumes.isDirtyFor(a.fid(0), b.id)).toBe(true);
    server.meta.failNextCommit('server-full');
    expect(await b.hello()).toEqual({ code: 'server-full' });
    expect(server.sessions()).toEqual([a.id]);
    b.incarnation--;
    expect(await b.hello()).toMatchObject({ body: { device: b.id } });
  });
});
