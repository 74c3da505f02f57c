/** A laptop that asks for a file and disconnects leaves nothing behind, whenever it does so. */
import { expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { milliseconds } from '../../shared/model/time.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';

it('a file that was fetched for a reader is discarded when the reader goes before the answer', async () => {
  const cluster = await Cluster.start({ frontEnd: 'none', diskMs: 20 });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, (files) => files.write('/doc', 'contents'));
  await cluster.settled();
  const { fid, version, digest } = await cluster.at(bob, (files) => files.look('/doc'));
  if (digest === null) throw new Error('it has contents');
  const ends = new Set<string>();
  for (let patience = 1; patience <= 150; patience++) {
    const stop = new AbortController();
    const gone = new GodwitError('timed-out', 'it went away');
    bob.daemon.timers.start(milliseconds(patience), () => stop.abort(gone));
    const asked = bob.daemon.feed.obtain(fid, version, digest, stop.signal).then(
      ({ path }) => {
        bob.disk.remove(path);
        return 'heard';
      },
      (error: unknown) => {
        if (error !== gone) throw error;
        return 'gone';
      },
    );
    // The database is busy: the answer waits its turn.
    await cluster.at(bob, (files) => files.write('/other', String(patience)));
    ends.add(await cluster.run(asked));
    await cluster.settled();
    expect(bob.disk.list('/store/out')).toEqual([]);
  }
  expect(ends).toEqual(new Set(['heard', 'gone']));
});
