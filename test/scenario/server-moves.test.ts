/** The server moves to another address, which each laptop is given: no queued update is lost, and another server at that address is refused. */
import { describe, expect, it } from '@jest/globals';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import { SERVER_HOST, SERVER_PORT } from '../../app/lab/simulator/cluster/server-node.ts';
import { MemoryTransport } from '../../app/lab/simulator/net/memory-transport.ts';
import { simulatedIdentity } from '../../app/lab/simulator/net/identity.ts';
import { MemoryDisk } from '../../app/lab/simulator/disk/memory-disk.ts';
import { Recorder } from '../support/link-recorder.ts';
import { minutes, seconds } from '../../shared/model/time.ts';
import { present } from '../../shared/util/assert.ts';
import { agreed } from './agreed.ts';

const OLD = { host: SERVER_HOST, port: SERVER_PORT };
const NEW = { host: SERVER_HOST, port: SERVER_PORT + 1 };
const BIG = 'a large save '.repeat(8_000);
const SLOW = { bytesPerSecond: 25_000 };

async function scene(): Promise<{ cluster: Cluster; ada: ClientNode; bob: ClientNode }> {
  const cluster = await Cluster.start({ seed: 1, frontEnd: 'folder' });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, (files) => files.write('/doc', 'first'));
  await cluster.settled();
  return { cluster, ada, bob };
}

/** Moves the server to the new address; open connections stay. */
function move({ network }: Cluster): void {
  const server = present(network.listener(OLD.host, OLD.port), 'the server listens');
  network.unlisten(server);
  network.listen(NEW.host, NEW.port, server);
}

describe('a server that has moved', () => {
  it('is found at once by a laptop that was away and gets its queued updates', async () => {
    const { cluster, ada, bob } = await scene();
    move(cluster);
    for (const { name } of [ada, bob])
      cluster.network.lose(name, SERVER_HOST, ['client', 'server']);
    await cluster.at(ada, (files) => files.write('/doc', 'while away'));
    await cluster.pass(minutes(5));
    expect(ada.status).toMatchObject({ state: 'offline', queues: { data: { updates: 1 } } });
    const start = cluster.world.time.now();
    for (const laptop of [ada, bob]) laptop.daemon.readdress(NEW);
    expect(await agreed(cluster)).toEqual({ '/doc': 'while away' });
    expect(cluster.world.time.now() - start).toBeLessThan(5000);
    await cluster.until(() => ada.status.server.address.endsWith(String(NEW.port)), 'it is told');
  });

  it('takes over an upload in the middle, which resumes where it stopped', async () => {
    const { cluster, ada, bob } = await scene();
    cluster.network.shape(ada.name, SERVER_HOST, SLOW);
    const { carriedBytes } = cluster.network.pipe(ada.name, SERVER_HOST);
    await cluster.at(ada, (files) => files.write('/big', BIG));
    await cluster.until(() => ada.status.queues.data.sentBytes > BIG.length / 2, 'half is sent');
    move(cluster);
    for (const laptop of [ada, bob]) laptop.daemon.readdress(NEW);
    expect(await agreed(cluster)).toEqual({ '/big': BIG, '/doc': 'first' });
    const sent = cluster.network.pipe(ada.name, SERVER_HOST).carriedBytes - carriedBytes;
    expect(sent).toBeLessThan(BIG.length * 1.4);
  });

  it('has the last of two addresses that were set in a row', async () => {
    const { cluster, ada, bob } = await scene();
    ada.daemon.readdress(NEW);
    ada.daemon.readdress(OLD);
    await cluster.at(ada, (files) => files.write('/doc', 'second'));
    expect(await agreed(cluster)).toEqual({ '/doc': 'second' });
    expect(bob.status.connected && ada.status.connected).toBe(true);
  });

  it('is tried at an unused address until another one is set, and local work goes on', async () => {
    const { cluster, ada } = await scene();
    ada.daemon.readdress(NEW);
    await cluster.at(ada, (files) => files.write('/doc', 'nobody there'));
    await cluster.pass(minutes(2));
    expect(ada.status.state).toBe('offline');
    ada.daemon.readdress(OLD);
    expect(await agreed(cluster)).toEqual({ '/doc': 'nobody there' });
  });
});

describe('another server at the address', () => {
  it('is refused because of its key, with its address, and the old one can be set again', async () => {
    const { cluster, ada } = await scene();
    const other = new MemoryTransport(cluster.network, {
      host: 'other',
      disk: new MemoryDisk(),
      identity: simulatedIdentity('another server'),
      spool: '/spool',
      maxHeaderBytes: 1000,
      handler: new Recorder(),
    });
    await cluster.run(other.listen({ host: 'other', port: 7 }), 'it listens');
    await cluster.at(ada, (files) => files.write('/doc', 'mine'));
    await cluster.settled();
    ada.daemon.readdress({ host: 'other', port: 7 });
    await cluster.until(() => ada.status.errors.length > 0, 'it is refused');
    expect(ada.status).toMatchObject({
      connected: false,
      errors: [
        { code: 'wrong-fingerprint', message: expect.stringMatching(/^other:7: /) as unknown },
      ],
    });
    await cluster.at(ada, (files) => files.write('/doc', 'kept'));
    await cluster.pass(seconds(30));
    expect(ada.status.queues.data.updates).toBe(1);
    ada.daemon.readdress(OLD);
    expect(await agreed(cluster)).toEqual({ '/doc': 'kept' });
    await cluster.until(() => ada.status.errors.length === 0, 'all is well');
  });
});
