/** A copied data folder (rule I2): one of the two goes on; the other is paired again, and loses nothing. */
import { describe, expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { minutes } from '../../shared/model/time.ts';
import { present } from '../../shared/util/assert.ts';
import { agreed } from './agreed.ts';

interface Copied {
  readonly cluster: Cluster;
  readonly ada: ClientNode;
  readonly copy: ClientNode;
}

/** Disconnects ada's laptop with something queued, and copies its disk to a laptop that does not run yet. */
async function copied(): Promise<Copied> {
  const cluster = await Cluster.start({ clients: 1 });
  const [ada] = cluster.clients as [ClientNode];
  await cluster.at(ada, (files) => files.write('/doc', 'first'));
  await cluster.settled();
  cluster.cut(ada);
  await cluster.at(ada, (files) => files.write('/queued', 'by ada'));
  await cluster.at(ada, (files) => files.write('/doc', 'second'));
  ada.crash();
  return { cluster, ada, copy: present(cluster.copy(ada), 'there is a name for it') };
}

async function start(cluster: Cluster, client: ClientNode): Promise<void> {
  await cluster.run(client.start(), `${client.name} to start`);
}

const codeOf = (client: ClientNode): string | undefined => client.status.errors[0]?.code;

describe('a data folder that was copied', () => {
  it('is refused when it connects second and can be paired again as another device', async () => {
    const { cluster, ada, copy } = await copied();
    await start(cluster, copy);
    await cluster.until(() => copy.status.connected, 'the copy to connect');
    await cluster.settled([copy]);
    const before = copy.device;
    await start(cluster, ada);
    await cluster.at(ada, (files) => files.write('/mine', 'only here'));
    cluster.heal(ada);
    await cluster.until(
      () => codeOf(ada) === 'incarnation-reused',
      'ada to be refused',
      minutes(5),
    );
    ada.crash();
    cluster.inviteAgain(ada, 'another');
    await start(cluster, ada);
    await cluster.until(() => ada.status.connected, 'ada to connect', minutes(5));
    expect(ada.device).not.toBe(before);
    // The updates that both copies had queued are there once, since the contents are equal.
    expect(await agreed(cluster)).toEqual({
      '/doc': 'second',
      '/mine': 'only here',
      '/queued': 'by ada',
    });
  });

  it('loses no version when both copies went on differently', async () => {
    const { cluster, ada, copy } = await copied();
    await start(cluster, copy);
    await cluster.at(copy, (files) => files.write('/doc', 'third, in the copy'));
    await start(cluster, ada);
    await cluster.at(ada, (files) => files.write('/doc', 'third, by ada'));
    cluster.heal(ada);
    await cluster.until(() => ada.status.connected || copy.status.connected, 'one of them');
    const refused = (): ClientNode | undefined =>
      [ada, copy].find((each) => codeOf(each) === 'incarnation-reused');
    await cluster.until(() => refused() !== undefined, 'one to be refused', minutes(5));
    const second = present(refused(), 'one was refused');
    second.crash();
    cluster.inviteAgain(second, 'another');
    await start(cluster, second);
    await cluster.until(() => second.status.connected, 'it to connect', minutes(5));
    const shown = Object.values(await agreed(cluster));
    expect(shown).toContain('third, in the copy');
    expect(shown).toContain('third, by ada');
  });

  it('is refused when the other copy has gone on, even if it connects first', async () => {
    const cluster = await Cluster.start({ clients: 1 });
    const [ada] = cluster.clients as [ClientNode];
    await cluster.at(ada, (files) => files.write('/doc', 'first'));
    await cluster.settled();
    const copy = present(cluster.copy(ada), 'there is a name for it');
    // The copy has not assigned these numbers yet, and would assign them to its own updates.
    await cluster.at(ada, (files) => files.write('/mine', 'by ada'));
    await cluster.settled([ada]);
    await start(cluster, copy);
    await cluster.until(() => codeOf(copy) === 'incarnation-reused', 'the copy to be refused');
    await cluster.at(copy, (files) => files.write('/its', 'by the copy'));
    copy.crash();
    cluster.inviteAgain(copy, 'another');
    await start(cluster, copy);
    await cluster.until(() => copy.status.connected, 'it to connect', minutes(5));
    expect(await agreed(cluster)).toEqual({
      '/doc': 'first',
      '/its': 'by the copy',
      '/mine': 'by ada',
    });
    expect(await cluster.at(copy, (files) => files.read('/mine'))).toBe('by ada');
  });

  it('is refused when the other copy has used its update number, although its Hello is in order', async () => {
    const cluster = await Cluster.start({ clients: 1 });
    const [ada] = cluster.clients as [ClientNode];
    await cluster.at(ada, (files) => files.write('/doc', 'first'));
    await cluster.settled();
    const copy = present(cluster.copy(ada), 'there is a name for it');
    cluster.cut(copy);
    await start(cluster, copy);
    await cluster.at(copy, (files) => files.write('/its', 'by the copy'));
    // The same numbers, and ada goes on; nobody has told the server yet that these answers have come.
    await cluster.at(ada, (files) => files.write('/mine', 'by ada'));
    await cluster.until(() => ada.status.queues.data.updates === 0, 'ada to be answered');
    cluster.heal(copy);
    await cluster.until(() => codeOf(copy) === 'incarnation-reused', 'the copy to be refused');
    // By its Hello the copy had taken ada's place.
    await cluster.until(() => codeOf(ada) === 'incarnation-reused', 'ada to be refused too');
    for (const each of [ada, copy]) {
      each.crash();
      cluster.inviteAgain(each, 'another');
      await start(cluster, each);
      await cluster.until(() => each.status.connected, 'it to connect', minutes(5));
    }
    expect(await agreed(cluster)).toEqual({
      '/doc': 'first',
      '/its': 'by the copy',
      '/mine': 'by ada',
    });
  });

  it('is refused when the other copy has the answers to its queued updates', async () => {
    const cluster = await Cluster.start({ clients: 1 });
    const [ada] = cluster.clients as [ClientNode];
    ada.daemon.pause();
    await cluster.at(ada, (files) => files.write('/doc', 'queued in both'));
    const copy = present(cluster.copy(ada), 'there is a name for it');
    ada.daemon.resume();
    await cluster.settled([ada]);
    // Keeping its lease alive it tells the server that these answers are not needed any more.
    await cluster.pass(minutes(1));
    await start(cluster, copy);
    await cluster.until(() => copy.running, 'the copy to be up');
    copy.daemon.resume();
    await cluster.until(() => codeOf(copy) === 'incarnation-reused', 'the copy to be refused');
    copy.crash();
    cluster.inviteAgain(copy, 'another');
    await start(cluster, copy);
    await cluster.until(() => copy.status.connected, 'it to connect', minutes(5));
    expect(await agreed(cluster)).toEqual({ '/doc': 'queued in both' });
  });

  it('resolves a number to the folder of the other copy once its own folder has a new number', async () => {
    const cluster = await Cluster.start({ clients: 2 });
    const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
    await cluster.at(ada, (files) => files.mkdir('/gone'));
    await cluster.settled();
    cluster.cut(bob);
    await cluster.at(bob, (files) => files.mkdir('/gone/z'));
    await cluster.at(bob, (files) => files.write('/gone/z/n', 'in both copies'));
    bob.crash();
    const copy = present(cluster.copy(bob), 'there is a name for it');
    await cluster.at(ada, (files) => files.rmdir('/gone'));
    cluster.inviteAgain(bob, 'another');
    await start(cluster, bob);
    cluster.heal(bob);
    // The folder moves up, as its own is gone, and has another number; before the server hears of that, it gets the copy's.
    await cluster.until(
      () => bob.daemon.inside.names.aliases.size > 0,
      'bob to be refused',
      minutes(5),
    );
    cluster.cut(bob);
    await start(cluster, copy);
    await cluster.until(() => copy.status.connected, 'the copy to connect', minutes(5));
    await cluster.settled([ada, copy]);
    cluster.heal(bob);
    await cluster.until(() => bob.status.connected, 'bob to connect', minutes(5));
    expect(await agreed(cluster)).toEqual({ '/z': null, '/z/n': 'in both copies' });
  });

  it.each<'none' | 'folder'>(['none', 'folder'])(
    'shows the folder of the other copy under a number that was refused for its own folder (%s)',
    async (frontEnd) => {
      const cluster = await Cluster.start({ clients: 1, frontEnd });
      const [ada] = cluster.clients as [ClientNode];
      const { server } = cluster;
      await cluster.at(ada, (files) => files.list('/'));
      await cluster.settled();
      cluster.cut(ada);
      await cluster.at(ada, (files) => files.mkdir('/w'));
      ada.crash();
      const copy = present(cluster.copy(ada), 'there is a name for it');
      cluster.inviteAgain(ada, 'another');
      // She does not hear that it is refused, and hears of the copy's first.
      server.crashAtCommit({
        when: 'after',
        fits: (rows) => rows.some((row) => row.kind === 'applied'),
      });
      await start(cluster, ada);
      cluster.heal(ada);
      await cluster.until(() => !server.running, 'the server to die', minutes(5));
      ada.daemon.pause();
      await cluster.run(server.start(), 'the server to start');
      await start(cluster, copy);
      await cluster.until(() => copy.status.connected, 'the copy to connect', minutes(5));
      await cluster.settled([copy]);
      await cluster.until(() => ada.status.connected, 'ada to connect', minutes(5));
      expect(await cluster.at(ada, (files) => files.names('/'))).toEqual(['w']);
      ada.daemon.resume();
      await cluster.settled();
      expect(await cluster.at(ada, (files) => files.names('/w'))).toEqual([]);
      expect(await cluster.at(copy, (files) => files.names('/'))).toEqual(['w']);
    },
  );
});
