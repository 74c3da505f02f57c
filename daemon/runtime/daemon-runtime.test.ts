import { describe, expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { minutes, seconds } from '../../shared/model/time.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';

async function one(): Promise<{ cluster: Cluster; ada: ClientNode }> {
  const cluster = await Cluster.start({ frontEnd: 'none', clients: 1 });
  return { cluster, ada: cluster.clients[0] as ClientNode };
}

describe('a running daemon', () => {
  it('acknowledges only durable changes and continues when the disk has space again', async () => {
    const { cluster, ada } = await one();
    ada.clientStore.fault = () => new GodwitError('disk-full', 'full');
    let done = false;
    const writing = ada.files.write('/doc', 'text').then(() => (done = true));
    await cluster.pass(minutes(1));
    expect(done).toBe(false);
    expect(ada.status).toMatchObject({ state: 'error', errors: [{ code: 'disk-full' }] });
    ada.clientStore.fault = null;
    await cluster.run(writing);
    await cluster.settled();
    expect(ada.status).toMatchObject({ state: 'idle', errors: [] });
  });

  it('publishes a revision for a change, at most four a second', async () => {
    const { cluster, ada } = await one();
    await cluster.pass(seconds(1));
    const { revision } = ada.daemon.snapshot();
    const changed = ada.daemon.changed(revision, 60_000);
    for (let i = 0; i < 20; i++) await cluster.at(ada, (files) => files.write('/doc', `${i}`));
    await cluster.run(changed);
    expect(ada.daemon.snapshot().revision).toBeGreaterThan(revision);
    const from = ada.daemon.snapshot().revision;
    const began = cluster.world.time.now();
    for (let i = 0; i < 50; i++) {
      await cluster.at(ada, (files) => files.write(`/f${i}`, 'x'));
      ada.daemon.snapshot();
    }
    const took = cluster.world.time.now() - began;
    expect(ada.daemon.snapshot().revision - from).toBeLessThanOrEqual(took / 250 + 1);
  });

  it('answers a long poll in time when nothing changes', async () => {
    const { cluster, ada } = await one();
    await cluster.pass(seconds(1));
    const { revision } = ada.daemon.snapshot();
    await cluster.run(ada.daemon.changed(revision, 2_000));
    expect(ada.daemon.snapshot().revision).toBe(revision);
  });

  it('reports its activity and is idle only when everything is committed', async () => {
    const { cluster, ada } = await one();
    await cluster.at(ada, (files) => files.names('/'));
    cluster.cut(ada);
    await cluster.pass(minutes(1));
    await cluster.at(ada, (files) => files.write('/doc', 'text'));
    await cluster.pass(seconds(1));
    expect(ada.status).toMatchObject({
      state: 'offline',
      connected: false,
      queues: { metadata: { updates: 1 }, data: { updates: 1, bytes: 4 } },
    });
    cluster.heal(ada);
    await cluster.run(ada.daemon.flush(null));
    await cluster.pass(seconds(1));
    expect(ada.status).toMatchObject({ state: 'idle', summary: 'Everything is synced' });
  });

  it('flushes in time or reports that it did not', async () => {
    const { cluster, ada } = await one();
    await cluster.at(ada, (files) => files.names('/'));
    cluster.cut(ada);
    await cluster.pass(minutes(1));
    await cluster.at(ada, (files) => files.write('/doc', 'text'));
    await expect(cluster.run(ada.daemon.flush(3_000))).rejects.toMatchObject({ code: 'timed-out' });
    cluster.heal(ada);
    await cluster.run(ada.daemon.flush(60_000));
    expect(ada.status.queues.data.updates).toBe(0);
  });

  it('ends in good order and refuses later calls', async () => {
    const { cluster, ada } = await one();
    const { fileSystem } = ada.daemon;
    await cluster.at(ada, (files) => files.write('/doc', 'text'));
    await cluster.run(ada.close());
    await expect(fileSystem.volumes()).rejects.toMatchObject({ code: 'not-running' });
    await cluster.run(ada.start());
    expect(await cluster.at(ada, (files) => files.read('/doc'))).toBe('text');
  });
});
