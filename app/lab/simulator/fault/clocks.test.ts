import { beforeEach, describe, expect, it } from '@jest/globals';
import { seconds } from '../../../../shared/model/time.ts';
import { begun } from '../../../../test/support/fault-target.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import { Cluster } from '../cluster/cluster.ts';
import { serverSuspend, suspend, wallJump } from './clocks.ts';

let cluster: Cluster;
let ada: ClientNode;
let bob: ClientNode;

beforeEach(async () => {
  cluster = await Cluster.start();
  [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, (files) => files.write('/doc', 'first'));
  await cluster.settled();
});

describe('a jump of a wall clock', () => {
  it('changes the wall clock and nothing else', async () => {
    const [now, wall] = [ada.clock.now(), ada.clock.wall()];
    await begun(cluster, wallJump, { laptop: 0, to: 'elsewhere', byMs: -3_600_000 });
    expect([ada.clock.now(), ada.clock.wall()]).toEqual([now, wall - 3_600_000]);
    await begun(cluster, wallJump, { laptop: -1, to: '1970', byMs: 0 });
    expect(cluster.server.clock.wall()).toBe(0);
    expect(bob.clock.wall()).toBe(wall);
    await cluster.at(bob, (files) => files.write('/doc', 'second'));
    await cluster.settled();
    expect(cluster.shown(ada)).toEqual({ '/doc': 'second' });
  });
});

describe('a machine that sleeps', () => {
  it('runs nothing, is unreachable, and continues where it was', async () => {
    const lines = ada.log.lines.length;
    const end = await begun(cluster, suspend, { laptop: 0, answer: 'none', networkMs: 0 });
    await cluster.at(bob, (files) => files.write('/doc', 'second'));
    await cluster.run(bob.daemon.flush(null));
    await cluster.pass(seconds(3600));
    expect([ada.log.lines.length, cluster.shown(ada)]).toEqual([lines, { '/doc': 'first' }]);
    await end();
    await cluster.pass(seconds(60));
    expect(cluster.shown(ada)).toEqual({ '/doc': 'second' });
  });

  it('finds its network only some time after it wakes', async () => {
    const end = await begun(cluster, suspend, { laptop: 0, answer: 'reset', networkMs: 5_000 });
    await cluster.pass(seconds(300));
    await end();
    await cluster.pass(seconds(4));
    expect(ada.status.connected).toBe(false);
    await cluster.until(() => ada.status.connected, 'the laptop to be back', seconds(60));
  });

  it.each([
    ['reset', 2],
    ['none', 1],
  ])('learns that the server has closed its connection: answer %s', async (answer, sessions) => {
    const begunSessions = (): number =>
      ada.log.lines.filter(({ message }) => message === 'session begun').length;
    const end = await begun(cluster, suspend, { laptop: 0, answer, networkMs: 0 });
    await cluster.pass(seconds(300));
    await end();
    await cluster.pass(seconds(10));
    expect(begunSessions()).toBe(sessions);
    await cluster.pass(seconds(30));
    expect(begunSessions()).toBe(2);
  });

  it('can be the server', async () => {
    const end = await begun(cluster, serverSuspend, { answer: 'none' });
    await cluster.at(ada, (files) => files.write('/doc', 'second'));
    await cluster.pass(seconds(120));
    expect([ada.status.connected, bob.status.connected]).toEqual([false, false]);
    await end();
    await cluster.settled();
    expect(cluster.shown(bob)).toEqual({ '/doc': 'second' });
  });
});
