/** Mount points (rules M2, M6): one volume shown in a directory of another, through the port that programs use. */
import { describe, expect, it } from '@jest/globals';
import { Cluster, HOME } from '../../app/lab/simulator/cluster/cluster.ts';
import { rightSet } from '../../shared/model/access-list.ts';
import { rootOf, type VolumeId } from '../../shared/model/fid.ts';
import { seconds } from '../../shared/model/time.ts';
import { present } from '../../shared/util/assert.ts';

const TEAM = 2 as VolumeId;
const FOLDER = { mode: 0o755 };

type Node = Awaited<ReturnType<Cluster['join']>>;

/** ada sees both volumes and works in the first, bob sees `second` alone, carl the first alone. */
async function three() {
  const cluster = await Cluster.start({ volumes: 2, clients: 0 });
  const ada = await cluster.join('write', 'ada', { frontEnd: 'none' });
  cluster.server.metaStore.allow('ada', TEAM, 'write');
  const bob = await cluster.join('write', 'bob', { volume: TEAM, frontEnd: 'none' });
  const carl = await cluster.join('write', 'carl', { frontEnd: 'none' });
  await cluster.until(() => ada.status.volumes.length === 2, 'ada to see both');
  return { cluster, ada, bob, carl };
}

const programs = (node: Node) => node.daemon.programs;
const mount = (cluster: Cluster, node: Node, name = 'team') =>
  cluster.run(programs(node).mkdir(rootOf(HOME), name, { ...FOLDER, mounts: TEAM }));
const listed = async (cluster: Cluster, node: Node, volume = HOME) =>
  Object.fromEntries(
    (await cluster.run(programs(node).readdir(rootOf(volume)))).map(({ name, attributes }) => [
      name,
      attributes,
    ]),
  );

/** ada makes it while she is away, and its volume is withdrawn before she is back. */
async function mountedUnseen(cluster: Cluster, ada: Node): Promise<void> {
  await listed(cluster, ada);
  cluster.cut(ada);
  await mount(cluster, ada);
  cluster.server.metaStore.allow('ada', TEAM, null);
  await cluster.pass(seconds(2));
  cluster.heal(ada);
  await cluster.until(() => ada.status.errors.length > 0, 'the server to refuse it');
}

describe('a mount point', () => {
  it('makes one tree of two volumes for whoever sees both', async () => {
    const { cluster, ada, bob } = await three();
    await cluster.at(bob, (files) => files.write('/doc', "bob's"));
    await cluster.settled();
    await mount(cluster, ada);
    expect(await cluster.at(ada, (files) => files.read('/team/doc'))).toBe("bob's");
    await cluster.at(ada, (files) => files.mkdir('/team/dir'));
    await cluster.at(ada, (files) => files.write('/team/dir/new', "ada's"));
    await cluster.settled();
    expect(await cluster.at(bob, (files) => files.read('/dir/new'))).toBe("ada's");
    expect((await listed(cluster, ada))['team']).toMatchObject({
      fid: rootOf(TEAM),
      mounted: { volume: expect.any(String), why: null },
    });
  });

  it('is an empty folder that refuses writes to whoever may not see its volume', async () => {
    const { cluster, ada, bob, carl } = await three();
    await cluster.at(bob, (files) => files.write('/doc', "bob's"));
    await mount(cluster, ada);
    await cluster.settled();
    const { team } = await listed(cluster, carl);
    expect(team).toMatchObject({
      kind: 'directory',
      mounted: { volume: null, why: 'it shows a volume that this laptop may not see' },
    });
    expect(await cluster.at(carl, (files) => files.names('/team'))).toEqual([]);
    await expect(cluster.run(carl.files.write('/team/x', 'x'))).rejects.toMatchObject({
      code: 'no-right',
      message: expect.stringContaining('may not see'),
    });
    await expect(
      cluster.run(programs(carl).mkdir(rootOf(HOME), 'x', { ...FOLDER, mounts: TEAM })),
    ).rejects.toMatchObject({ code: 'no-such-volume' });
  });

  it('shows nothing while its volume is withdrawn, and everything when the right is back', async () => {
    const { cluster, ada, bob } = await three();
    const { metaStore } = cluster.server;
    await cluster.at(bob, (files) => files.write('/doc', "bob's"));
    await mount(cluster, ada);
    expect(await cluster.at(ada, (files) => files.read('/team/doc'))).toBe("bob's");
    metaStore.allow('ada', TEAM, null);
    await cluster.pass(seconds(5));
    expect((await listed(cluster, ada))['team']?.mounted).toMatchObject({ volume: null });
    expect(await cluster.at(ada, (files) => files.names('/team'))).toEqual([]);
    metaStore.allow('ada', TEAM, 'read');
    await cluster.pass(seconds(5));
    expect(await cluster.at(ada, (files) => files.read('/team/doc'))).toBe("bob's");
    await expect(cluster.run(ada.files.write('/team/x', 'x'))).rejects.toMatchObject({
      code: 'no-right',
    });
    await cluster.settled();
    expect(await cluster.at(bob, (files) => files.read('/doc'))).toBe("bob's");
  });

  it('is made offline, renamed, and unmounted by nothing but an order', async () => {
    const { cluster, ada, bob } = await three();
    await cluster.at(bob, (files) => files.write('/doc', "bob's"));
    await cluster.settled();
    await listed(cluster, ada);
    cluster.cut(ada);
    await mount(cluster, ada);
    cluster.heal(ada);
    await cluster.settled();
    await cluster.at(ada, (files) => files.rename('/team', '/ours'));
    expect(await cluster.at(ada, (files) => files.read('/ours/doc'))).toBe("bob's");
    const place = { dir: rootOf(HOME), name: 'ours' };
    await expect(cluster.run(programs(ada).rmdir(place))).rejects.toMatchObject({
      code: 'not-empty',
    });
    await cluster.run(programs(ada).rmdir(place, { unmounts: true }));
    await cluster.settled();
    expect(await cluster.at(ada, (files) => files.names('/'))).toEqual([]);
    expect(await cluster.at(bob, (files) => files.names('/'))).toEqual(['doc']);
  });

  it('goes by itself with the right, where its volume was withdrawn before it was sent', async () => {
    const { cluster, ada, carl } = await three();
    await mountedUnseen(cluster, ada);
    const why = 'this device may not see the volume that it is to show';
    expect(ada.status.errors).toEqual([
      expect.objectContaining({
        ...{ code: 'sync-blocked', path: 'team', message: why },
        remedy: expect.stringContaining('queue cancel'),
      }),
    ]);
    await expect(cluster.run(ada.daemon.flush(null))).rejects.toMatchObject({
      code: 'sync-blocked',
      message: `/team: ${why}`,
    });
    cluster.server.metaStore.allow('ada', TEAM, 'read');
    await cluster.until(() => ada.status.errors.length === 0, 'it to go by itself');
    await cluster.settled();
    expect(await cluster.at(carl, (files) => files.names('/'))).toEqual(['team']);
  });

  it('is made also where the right is back before anybody hears that the server refused it', async () => {
    const { cluster, ada, carl } = await three();
    await listed(cluster, ada);
    cluster.cut(ada);
    await mount(cluster, ada);
    cluster.server.metaStore.allow('ada', TEAM, null);
    await cluster.pass(seconds(2));
    let isRefused = false;
    cluster.watch((observation) => {
      if (isRefused || observation.kind !== 'committed') return;
      isRefused = observation.writes.some(({ kind }) => kind === 'applied');
      if (isRefused) cluster.cut(ada);
    });
    cluster.heal(ada);
    await cluster.until(() => isRefused, 'the server to refuse it');
    cluster.server.metaStore.allow('ada', TEAM, 'write');
    await cluster.pass(seconds(2));
    cluster.heal(ada);
    await cluster.settled();
    expect(ada.status.errors).toEqual([]);
    expect(await cluster.at(carl, (files) => files.names('/'))).toEqual(['team']);
  });

  it('waits for the right to make names in its own folder under the right reason', async () => {
    const { cluster, ada, carl } = await three();
    const { metaStore } = cluster.server;
    await listed(cluster, ada);
    const deny = (rights: number): void =>
      metaStore.changeAccess({
        ...{ ask: 'set', volume: HOME, kind: 'person', name: 'ada', negative: true, rights },
      });
    deny(rightSet(['insert']));
    await cluster.pass(seconds(2));
    await mount(cluster, ada);
    await cluster.until(() => ada.status.errors.length > 0, 'the server to refuse it');
    const message = 'this device may not write here';
    expect(ada.status.errors).toEqual([expect.objectContaining({ path: 'team', message })]);
    deny(0);
    await cluster.until(() => ada.status.errors.length === 0, 'it to go by itself');
    await cluster.settled();
    expect(await cluster.at(carl, (files) => files.names('/'))).toEqual(['team']);
  });

  it('refused by the server goes with what waits for it when a person takes it out of the queue', async () => {
    const { cluster, ada, carl } = await three();
    await mountedUnseen(cluster, ada);
    await cluster.at(ada, (files) => files.rename('/team', '/ours'));
    const [refused] = [...ada.daemon.inside.log.all()];
    await cluster.run(ada.giveUp(present(refused?.seq, 'what was refused')));
    expect(await cluster.at(ada, (files) => files.names('/'))).toEqual([]);
    await cluster.until(() => ada.status.errors.length === 0, 'the status to say no more of it');
    await cluster.settled();
    expect(await cluster.at(carl, (files) => files.names('/'))).toEqual([]);
  });

  it('refused by the server is gone when it is unmounted', async () => {
    const { cluster, ada } = await three();
    await mountedUnseen(cluster, ada);
    const place = { dir: rootOf(HOME), name: 'team' };
    await cluster.run(programs(ada).rmdir(place, { unmounts: true }));
    await cluster.run(ada.daemon.flush(null));
    expect([...ada.daemon.inside.log.all()]).toEqual([]);
  });

  it('takes in nothing that was changed elsewhere in the folder whose name it has by now', async () => {
    const { cluster, ada, carl } = await three();
    await cluster.at(ada, (files) => files.mkdir('/trip'));
    await cluster.at(ada, (files) => files.write('/trip/plan', 'the plan'));
    await cluster.settled();
    for (const at of ['/', '/trip']) await cluster.at(carl, (files) => files.names(at));
    await cluster.at(carl, (files) => files.read('/trip/plan'));
    cluster.cut(carl);
    await cluster.at(carl, (files) => files.write('/trip/plan', "carl's plan"));
    await cluster.at(carl, (files) => files.mkdir('/trip/days'));
    await cluster.at(carl, (files) => files.write('/trip/days/first', "carl's day"));
    await cluster.at(ada, (files) => files.remove('/trip/plan'));
    await cluster.at(ada, (files) => files.rmdir('/trip'));
    await mount(cluster, ada, 'trip');
    await cluster.settled([ada]);
    cluster.heal(carl);
    await cluster.settled();
    expect(carl.status.errors).toEqual([]);
    const names = await cluster.at(carl, (files) => files.names('/'));
    const copy = names.find((name) => name !== 'trip') ?? '';
    expect(names).toEqual(['trip', expect.stringMatching(/^trip \(conflict/)]);
    for (const node of [ada, carl]) {
      expect(await cluster.at(node, (files) => files.read(`/${copy}/plan`))).toBe("carl's plan");
      const day = await cluster.at(node, (files) => files.read(`/${copy}/days/first`));
      expect(day).toBe("carl's day");
    }
  });

  it('is no way for a rename or a second name into another volume', async () => {
    const { cluster, ada } = await three();
    await mount(cluster, ada);
    await cluster.at(ada, (files) => files.write('/doc', 'text'));
    const { fid } = await cluster.at(ada, (files) => files.look('/doc'));
    const [from, to] = [
      { dir: rootOf(HOME), name: 'doc' },
      { dir: rootOf(TEAM), name: 'doc' },
    ];
    const refused = { code: 'other-volume' };
    await expect(cluster.run(programs(ada).rename(from, to))).rejects.toMatchObject(refused);
    await expect(cluster.run(programs(ada).link(fid, to))).rejects.toMatchObject(refused);
    expect(await cluster.at(ada, (files) => files.read('/doc'))).toBe('text');
  });

  it('is beside a folder of its name, and one with another of the same volume', async () => {
    const { cluster, ada, carl } = await three();
    const eve = await cluster.join('write', 'ada', { frontEnd: 'none' });
    await cluster.until(() => eve.status.volumes.length === 2, 'eve to see both');
    for (const node of [ada, eve, carl]) {
      await listed(cluster, node);
      cluster.cut(node);
    }
    await mount(cluster, ada);
    await mount(cluster, eve);
    cluster.heal(ada);
    await cluster.settled([ada]);
    await cluster.at(carl, (files) => files.mkdir('/team'));
    await cluster.at(carl, (files) => files.write('/team/own', "carl's"));
    for (const node of [eve, carl]) cluster.heal(node);
    await cluster.settled();
    const names = await cluster.at(carl, (files) => files.names('/'));
    const copy = names.find((name) => name !== 'team') ?? '';
    expect(names).toEqual(['team', copy].sort());
    expect(await cluster.at(carl, (files) => files.read(`/${copy}/own`))).toBe("carl's");
    expect(Object.keys(await listed(cluster, ada)).sort()).toEqual(['team', copy].sort());
    expect((await listed(cluster, eve))['team']).toMatchObject({ fid: rootOf(TEAM) });
  });

  it('is a mount point again when the server has lost it', async () => {
    const { cluster, ada } = await three();
    const { server } = cluster;
    await cluster.settled();
    const backup = server.backUp();
    await mount(cluster, ada);
    await cluster.settled();
    server.crash();
    server.restore(backup);
    await cluster.run(server.start(), 'the server to start');
    await cluster.settled();
    await cluster.pass(seconds(30));
    const again = await cluster.join('write', 'ada', { frontEnd: 'none' });
    await cluster.until(() => again.status.volumes.length === 2, 'the next laptop to see both');
    await cluster.settled();
    expect((await listed(cluster, again))['team']).toMatchObject({ fid: rootOf(TEAM) });
  });
});
