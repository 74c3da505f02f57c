/** The server serves nobody without a right (promise 6). */
import { describe, expect, it } from '@jest/globals';
import { Cluster, HOME } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { SERVER_HOST } from '../../app/lab/simulator/cluster/server-node.ts';
import { rootOf } from '../../shared/model/fid.ts';
import type { RowWrite } from '../../shared/model/stored.ts';
import { elapsed, milliseconds, minutes, seconds } from '../../shared/model/time.ts';
import { agreed } from './agreed.ts';

async function pair(): Promise<{ cluster: Cluster; ada: ClientNode; bob: ClientNode }> {
  const cluster = await Cluster.start({ seed: 1 });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, (files) => files.write('/doc', 'first'));
  await cluster.settled();
  return { cluster, ada, bob };
}

describe('a device that is revoked', () => {
  it('is disconnected within a second, and its writes reach nobody', async () => {
    const { cluster, ada, bob } = await pair();
    cluster.server.revoke(bob.device);
    await cluster.pass(seconds(1));
    expect(bob.status.connected).toBe(false);
    await cluster.at(bob, (files) => files.write('/doc', 'from bob'));
    await cluster.at(ada, (files) => files.write('/doc', 'second'));
    await cluster.pass(minutes(5));
    await cluster.settled([ada]);
    expect(cluster.shown(ada)).toEqual({ '/doc': 'second' });
    expect(cluster.shown(bob)).toEqual({ '/doc': 'first' });
    expect(bob.status.errors.map(({ code }) => code)).toContain('device-revoked');
  });

  it('gets no more messages on its old connection once it has asked for a new one', async () => {
    const { cluster, ada, bob } = await pair();
    // Bob notices that his connection is lost. The server does not, and can not read rights at that moment.
    const busy = new Error('the database is busy');
    cluster.server.metaStore.troubles.add((method) => (method === 'accessOf' ? busy : null));
    cluster.network.lose(bob.name, SERVER_HOST, ['client']);
    cluster.server.revoke(bob.device);
    const kept = (): boolean => bob.status.errors.some(({ code }) => code === 'device-revoked');
    await cluster.until(kept, 'bob to be told', milliseconds(500));
    const sent: string[] = [];
    cluster.watch((observation) => {
      if (observation.kind === 'sent') sent.push(observation.peer);
    });
    const begun = cluster.world.time.now();
    await cluster.at(ada, (files) => files.write('/doc', 'second'));
    await cluster.settled([ada]);
    expect(sent).toContain(ada.identity.fingerprint);
    expect(sent).not.toContain(bob.identity.fingerprint);
    expect(elapsed(begun, cluster.world.time.now())).toBeLessThan(seconds(1));
  });
});

describe('a device that may only read', () => {
  it('sees every change and cannot make one', async () => {
    const cluster = await Cluster.start({ seed: 1 });
    const reader = await cluster.join('read', 'guest');
    await cluster.at(cluster.clients[0] as ClientNode, (files) => files.write('/doc', 'first'));
    expect(await agreed(cluster)).toEqual({ '/doc': 'first' });
    for (const work of [
      () => reader.files.write('/doc', 'by the reader'),
      () => reader.files.write('/new', 'by the reader'),
      () => reader.files.remove('/doc'),
    ]) {
      await expect(cluster.run<unknown>(work())).rejects.toMatchObject({ code: 'no-right' });
    }
    expect(await agreed(cluster)).toEqual({ '/doc': 'first' });
  });

  it('reports local changes on its disk as refused and does not retry them for ever', async () => {
    const cluster = await Cluster.start({ seed: 1 });
    const reader = await cluster.join('read', 'guest');
    const { fileSystem } = reader.daemon;
    const made = fileSystem.mkdir(rootOf(HOME), 'new', { mode: 0o755, observed: true });
    await expect(cluster.run(made, 'the folder to be told')).rejects.toMatchObject({
      code: 'no-right',
    });
  });
});

describe('a folder that was removed in a volume without write access', () => {
  it.each(['folder', 'none'] as const)(
    'appears again under its new name when somebody renames it (front end %s)',
    async (frontEnd) => {
      const cluster = await Cluster.start({ clients: 1 });
      const guest = await cluster.join('read', 'guest', { frontEnd });
      const [ada] = cluster.clients as [ClientNode];
      await cluster.at(ada, (files) => files.mkdir('/dir'));
      await cluster.settled();
      expect(await cluster.at(guest, (files) => files.names('/'))).toEqual(['dir']);
      const { fileSystem } = guest.daemon;
      const place = { dir: rootOf(HOME), name: 'dir' };
      const { fid, version } = await cluster.run(fileSystem.lookup(place.dir, place.name));
      const observed = { fid, base: version };
      await cluster.run(fileSystem.rmdir(place, { observed }));
      await cluster.pass(seconds(1));
      expect(guest.status.errors.map(({ code }) => code)).toEqual(['sync-blocked']);
      expect(await cluster.at(guest, (files) => files.names('/'))).toEqual([]);
      await cluster.at(ada, (files) => files.rename('/dir', '/seen'));
      await cluster.at(ada, (files) => files.write('/seen/doc', 'text'));
      await cluster.pass(minutes(1));
      expect(await cluster.at(guest, (files) => files.read('/seen/doc'))).toBe('text');
      if (frontEnd === 'folder') expect(cluster.shown(guest)).toEqual(cluster.shown(ada));
    },
  );
});

describe('rights that change while everybody is connected', () => {
  it('reach the laptop at once, and refused updates are committed when the rights return', async () => {
    const { cluster, ada, bob } = await pair();
    cluster.cut(bob);
    await cluster.at(bob, (files) => files.write('/doc', 'from bob'));
    cluster.server.metaStore.allow('owner', HOME, 'read');
    await cluster.pass(seconds(2));
    cluster.heal(bob);
    await cluster.pass(minutes(1));
    expect(bob.status.errors.map(({ code }) => code)).toEqual(['sync-blocked']);
    await expect(cluster.run(ada.files.write('/new', 'x'))).rejects.toMatchObject({
      code: 'no-right',
    });
    cluster.server.metaStore.allow('owner', HOME, 'write');
    await cluster.pass(seconds(10));
    expect(await agreed(cluster)).toEqual({ '/doc': 'from bob' });
    expect(bob.status.errors).toEqual([]);
  });

  it('reach a laptop that missed their return because the server was down', async () => {
    const { cluster, bob } = await pair();
    cluster.cut(bob);
    await cluster.at(bob, (files) => files.write('/doc', 'from bob'));
    cluster.server.metaStore.allow('owner', HOME, 'read');
    await cluster.pass(seconds(2));
    cluster.heal(bob);
    await cluster.until(() => bob.status.errors.length > 0, 'it to be refused');
    cluster.server.crash();
    cluster.server.metaStore.allow('owner', HOME, 'write');
    await cluster.run(cluster.server.start(), 'the server to start');
    expect(bob.status.connected).toBe(true);
    await cluster.settled([bob]);
    expect(await agreed(cluster)).toEqual({ '/doc': 'from bob' });
  });

  it.each([
    ['', 0],
    [', however often it was refused before', 8],
  ])('an answer from before the right returned blocks no update%s', async (_, refusals) => {
    const { cluster, bob } = await pair();
    cluster.cut(bob);
    await cluster.at(bob, (files) => files.mkdir('/dir'));
    cluster.server.metaStore.allow('owner', HOME, 'read');
    await cluster.pass(minutes(1));
    for (let i = 0; i < refusals; i++) {
      cluster.heal(bob);
      await cluster.until(() => bob.status.errors.length > 0, 'it to be refused');
      await cluster.pass(minutes(1));
      cluster.cut(bob);
      await cluster.pass(minutes(1));
    }
    // The server refuses it and keeps that answer, which never arrives.
    const fits = (writes: readonly RowWrite[]): boolean =>
      writes.some(({ kind }) => kind === 'applied');
    cluster.server.crashAtCommit({ when: 'after', fits });
    cluster.heal(bob);
    await cluster.until(() => !cluster.server.running, 'the server to die');
    cluster.server.metaStore.allow('owner', HOME, 'write');
    await cluster.restart(cluster.server);
    await cluster.pass(minutes(2));
    expect(await agreed(cluster)).toEqual({ '/dir': null, '/doc': 'first' });
  });

  it('a right that is withdrawn during a transfer leaves no file missing when it returns', async () => {
    const network = { delayMs: 80, bytesPerSecond: 20_000 };
    const cluster = await Cluster.start({ clients: 1, diskMs: 20, network });
    const guest = await cluster.join('read', 'guest');
    const [ada] = cluster.clients as [ClientNode];
    cluster.cut(guest);
    for (let i = 0; i < 20; i++) {
      await cluster.at(ada, (files) => files.write(`/doc${i}`, new Uint8Array(10_000)));
    }
    await cluster.pass(minutes(1));
    cluster.heal(guest);
    const some = (): boolean => Object.keys(cluster.shown(guest)).length > 0;
    await cluster.until(some, 'the first of them to be there');
    cluster.server.metaStore.allow('guest', HOME, null);
    await cluster.pass(minutes(1));
    expect(Object.keys(cluster.shown(guest)).length).toBeLessThan(20);
    cluster.server.metaStore.allow('guest', HOME, 'read');
    await cluster.pass(minutes(2));
    expect(Object.keys(cluster.shown(guest))).toHaveLength(20);
  });

  it.each(['folder', 'none'] as const)(
    'files that may not be seen any more do not look deleted (front end %s)',
    async (frontEnd) => {
      const cluster = await Cluster.start({ clients: 1 });
      const guest = await cluster.join('write', 'guest', { frontEnd });
      const [ada] = cluster.clients as [ClientNode];
      await cluster.at(ada, (files) => files.write('/doc', 'first'));
      await cluster.settled();
      expect(await cluster.at(guest, (files) => files.read('/doc'))).toBe('first');
      cluster.server.metaStore.allow('guest', HOME, null);
      await cluster.pass(minutes(1));
      expect(await cluster.at(guest, (files) => files.names('/'))).toEqual(['doc']);
      await expect(cluster.run(guest.files.write('/doc', 'x'))).rejects.toMatchObject({
        code: 'no-right',
      });
      await cluster.at(ada, (files) => files.write('/doc', 'second'));
      cluster.server.metaStore.allow('guest', HOME, 'write');
      await cluster.pass(minutes(2));
      expect(await cluster.at(guest, (files) => files.read('/doc'))).toBe('second');
    },
  );

  it.each(['lookup', 'names', 'both', 'present'] as const)(
    'a device without access forgets nothing of the volume when it asks for an unknown file (%s)',
    async (asked) => {
      const cluster = await Cluster.start({ clients: 1 });
      const guest = await cluster.join('write', 'guest', { frontEnd: 'none' });
      const [ada] = cluster.clients as [ClientNode];
      await cluster.at(ada, (files) => files.write('/brief', 'not for long'));
      await cluster.at(ada, (files) => files.write('/doc', 'text'));
      await cluster.at(ada, (files) => files.mkdir('/dir'));
      await cluster.settled();
      const { files, daemon } = guest;
      const { fileSystem, feed } = daemon;
      await cluster.run(files.names('/'));
      const [doc, brief] = [
        await cluster.run(files.look('/doc')),
        await cluster.run(files.look('/brief')),
      ];
      await cluster.at(ada, (here) => here.remove('/brief'));
      await cluster.settled([ada]);
      // The folder still has the name; the update about the removed file has just been sent.
      await expect(cluster.run(fileSystem.getattr(brief.fid))).rejects.toMatchObject({
        code: 'not-found',
      });
      cluster.server.metaStore.allow('guest', HOME, null);
      await cluster.pass(minutes(1));
      const known = [...daemon.inside.names.attributes.all()];
      let isTold = false;
      if (asked === 'present') {
        void feed.present(doc.fid, new AbortController().signal).then(() => (isTold = true));
      } else {
        const path = { lookup: '/brief', names: '/dir', both: '/' }[asked];
        const looked = asked === 'lookup' ? files.look(path) : files.names(path);
        const answer = cluster.run<unknown>(looked, 'an answer');
        await expect(answer).rejects.toMatchObject({ code: 'no-right' });
      }
      await cluster.pass(minutes(1));
      expect([...daemon.inside.names.attributes.all()]).toEqual(known);
      expect(isTold).toBe(false);
      cluster.server.metaStore.allow('guest', HOME, 'write');
      await cluster.pass(minutes(1));
      expect(await cluster.run(files.names('/'))).toEqual(['dir', 'doc']);
      expect(isTold).toBe(asked === 'present');
    },
  );

  it('a laptop follows a volume again after its access was withdrawn for a while', async () => {
    const cluster = await Cluster.start({ clients: 1 });
    const guest = await cluster.join('read', 'guest');
    const [ada] = cluster.clients as [ClientNode];
    cluster.server.metaStore.allow('guest', HOME, null);
    await cluster.pass(minutes(1));
    await cluster.at(ada, (files) => files.write('/doc', 'meanwhile'));
    cluster.server.metaStore.allow('guest', HOME, 'read');
    await cluster.pass(minutes(2));
    expect(cluster.shown(guest)).toEqual({ '/doc': 'meanwhile' });
  });
});
