/** Each fault of the network does what it says, to a laptop that goes on afterwards. */
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { milliseconds, seconds } from '../../../../shared/model/time.ts';
import { begun } from '../../../../test/support/fault-target.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import { Cluster } from '../cluster/cluster.ts';
import { SERVER_HOST } from '../cluster/server-node.ts';
import { MemoryDelta } from '../store/memory-delta.ts';
import { addressChange, connectionDeath } from './connection-death.ts';
import { halfWay } from './half-way.ts';
import { networkFlap } from './network-flap.ts';
import { jitter, packetLoss, rateTrace } from './network-path.ts';
import { replyLost } from './reply-lost.ts';

let cluster: Cluster;
let ada: ClientNode;

beforeEach(async () => {
  cluster = await Cluster.start({ clients: 1, network: { delayMs: 10 } });
  ada = cluster.clients[0] as ClientNode;
  await cluster.settled();
});

/** How long it takes until all that was written is committed. */
async function flushed(): Promise<number> {
  const { time } = cluster.world;
  const start = time.now();
  await cluster.run(ada.daemon.flush(null), 'the flush');
  return time.now() - start;
}

const connections = (): number =>
  ada.log.lines.filter(({ message }) => message === 'session begun').length;

describe('a bad network path', () => {
  it('loses packets, which arrive later', async () => {
    const [pipe] = [cluster.network.pipe(ada.name, SERVER_HOST)];
    const end = await begun(cluster, packetLoss, { laptop: 0, percent: 50 });
    const transits = Array.from({ length: 100 }, () => pipe.transitMs());
    expect(transits.filter((ms) => ms > 10).length).toBeGreaterThan(30);
    expect(Math.max(...transits)).toBeGreaterThan(100);
    await cluster.at(ada, (files) => files.write('/doc', 'text'));
    await flushed();
    await end();
    expect(pipe.transitMs()).toBe(10);
  });

  it('reorders streams by jitter', async () => {
    const pipe = cluster.network.pipe(SERVER_HOST, ada.name);
    const end = await begun(cluster, jitter, { laptop: 0, mostMs: 500 });
    const transits = Array.from({ length: 100 }, () => pipe.transitMs());
    expect(Math.min(...transits)).toBeLessThan(100);
    expect(Math.max(...transits)).toBeGreaterThan(400);
    await end();
    expect(pipe.transitMs()).toBe(10);
  });

  it('changes its rate, down to zero', async () => {
    await cluster.at(ada, (files) => files.write('/doc', '.'.repeat(20_000)));
    const details = { laptop: 0, trace: '0 4000', stepMs: 5_000, queueMs: 50 };
    const end = await begun(cluster, rateTrace, details);
    const took = await flushed();
    expect(took).toBeGreaterThan(5_000 + (20_000 / 4_000) * 1_000);
    // There and, for its own replica, back.
    expect(took).toBeLessThan(20_000);
    expect(connections()).toBe(1);
    await end();
    await cluster.at(ada, (files) => files.write('/doc', '.'.repeat(20_001)));
    expect(await flushed()).toBeLessThan(500);
  });

  it('comes and goes without ending a connection', async () => {
    const details = { laptop: 0, times: 3, downMs: 1_000, upMs: 5, told: false };
    const end = await begun(cluster, networkFlap, details);
    await cluster.at(ada, (files) => files.write('/doc', 'text'));
    expect(await flushed()).toBeGreaterThan(3_000);
    await end();
    expect(connections()).toBe(1);
  });
});

describe('a connection that dies', () => {
  it.each([
    ['both', 2],
    ['client', 2],
    // Silence takes 30 s.
    ['server', 1],
    ['nobody', 1],
  ])('is noticed at once by %s', async (noticed, sessions) => {
    await begun(cluster, connectionDeath, { laptop: 0, noticed });
    await cluster.pass(seconds(5));
    expect(connections()).toBe(sessions);
    await cluster.pass(seconds(40));
    expect(connections()).toBe(2);
    await cluster.until(() => ada.status.connected, 'the laptop to be back');
  });

  it('survives a change of address that is reported in time', async () => {
    const end = await begun(cluster, addressChange, { laptop: 0 });
    await cluster.at(ada, (files) => files.write('/doc', 'text'));
    await cluster.pass(seconds(5));
    expect(ada.status.queues.data.updates).toBe(1);
    await end();
    await cluster.pass(seconds(5));
    expect([ada.status.queues.data.updates, connections()]).toEqual([0, 1]);
  });
});

describe('a lost reply', () => {
  it.each(['request', 'commit', 'reply'])(
    'leaves the update applied once when it is lost at the %s',
    async (when) => {
      const before = (await cluster.run(cluster.server.history())).length;
      const end = await begun(cluster, replyLost, { laptop: 0, when, nth: 1, noticed: 'client' });
      await cluster.at(ada, (files) => files.mkdir('/dir'));
      await cluster.pass(milliseconds(100));
      await flushed();
      await end();
      expect(connections()).toBe(2);
      expect(await cluster.run(cluster.server.history())).toHaveLength(before + 1);
    },
  );
});

describe('a transfer that is cut off midway', () => {
  const details = { laptop: 0, way: 'up', parts: 5, times: 3, dies: 'connection', noticed: 'both' };
  const written = '.'.repeat(3_000);

  beforeEach(() => {
    const small = { bytesPerSecond: 20_000, packetBytes: 64 };
    cluster.network.shape(ada.name, SERVER_HOST, small);
  });

  it('resumes each time where it was', async () => {
    const end = await begun(cluster, halfWay, details);
    const join = jest.spyOn(MemoryDelta.prototype, 'join');
    await cluster.at(ada, (files) => files.write('/doc', written));
    await flushed();
    expect(connections()).toBe(4);
    expect(join.mock.calls.length).toBeGreaterThan(2);
    expect(cluster.shown(ada)['/doc']).toBe(written);
    jest.restoreAllMocks();
    await end();
  });

  it.each(['laptop', 'server'])('survives the death of the %s, which restarts', async (dies) => {
    const end = await begun(cluster, halfWay, { ...details, dies });
    await cluster.at(ada, (files) => files.write('/doc', written));
    const node = dies === 'laptop' ? ada : cluster.server;
    await cluster.until(() => !node.running, 'it to die');
    await end();
    await flushed();
    expect(cluster.shown(ada)['/doc']).toBe(written);
  });
});
