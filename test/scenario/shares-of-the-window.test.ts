/** What the window asks for in one call: a folder is shared, what is offered is accepted and left, with real daemons on a simulated network. */
import { describe, expect, it } from '@jest/globals';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { Cluster, HOME } from '../../app/lab/simulator/cluster/cluster.ts';
import { acceptShare, leaveShare } from '../../daemon/adapters/control/shares/share-calls.ts';
import {
  lookAtShare,
  shareFolder,
  type Guest,
} from '../../daemon/adapters/control/shares/share-folder.ts';
import type { SharingDaemon } from '../../daemon/adapters/control/shares/share-place.ts';
import { USUAL_SETS } from '../../shared/model/access-list.ts';
import { rootOf, type VolumeId } from '../../shared/model/fid.ts';
import { present } from '../../shared/util/assert.ts';

const FOLDER = { mode: 0o755 };
const BOBS = 2 as VolumeId;
const BOB = { kind: 'person', name: 'bob', rights: USUAL_SETS.write } as const;

/** ada administers the volume home, in which there is a folder; bob has the second volume for his own. */
async function world() {
  const cluster = await Cluster.start({ volumes: 2, clients: 1 });
  const [ada] = cluster.clients as [ClientNode];
  const bob = await cluster.join('write', 'bob', { volume: BOBS });
  const { fid } = await cluster.run(ada.daemon.programs.mkdir(rootOf(HOME), 'trip', FOLDER));
  await cluster.settled();
  const share = (guest: Guest, path: readonly string[] = ['trip']) => {
    const place = { volume: 'home', path };
    return cluster.run(shareFolder(ada.daemon, { place, guests: [guest], makes: false }));
  };
  return { cluster, ada, bob, fid, share };
}

const namesSeen = ({ status }: ClientNode): string[] => status.volumes.map(({ name }) => name);

const at = ({ programs }: ClientNode['daemon'], volume: VolumeId, name: string) =>
  programs.lookup(rootOf(volume), name);

/** The same daemon with a folder in which volumes are kept, as those of the simulator are not: it tells where a volume is shown. */
function withFolder({ daemon }: ClientNode, volume: VolumeId, name: string): SharingDaemon {
  const { access, programs } = daemon;
  const shares = async (): ReturnType<typeof access.shares> => {
    const told = await access.shares();
    const found = await programs.lookup(rootOf(volume), name).catch(() => null);
    const placed = told.shares.map((share) => {
      const isThere = found?.mounted?.volume === share.volume;
      return isThere ? { ...share, path: [name] } : share;
    });
    return { ...told, shares: placed };
  };
  return {
    programs,
    access: {
      shares,
      list: (of) => access.list(of),
      set: (of, row) => access.set(of, row),
      makeVolume: (of, label, nonce) => access.makeVolume(of, label, nonce),
      handOver: (...asked) => access.handOver(...asked),
      leave: (of) => access.leave(of),
    },
    scan: () => daemon.scan(),
    flush: (timeoutMs) => daemon.flush(timeoutMs),
    leftOut: (of, path) => daemon.leftOut(of, path),
    acrossMounts: (place) => daemon.acrossMounts(place),
    changed: (revision, waitMs) => daemon.changed(revision, waitMs),
    snapshot: () => daemon.snapshot(),
  };
}

/** The name of the volume that is bob's own. */
const homeOf = async (cluster: Cluster, { daemon }: ClientNode): Promise<string> =>
  present(
    (await cluster.run(daemon.programs.volumes())).find(({ id }) => id === BOBS),
    'bob sees his volume',
  ).name;

describe('sharing in the window', () => {
  it('makes a folder a volume of two people, which the other one accepts and leaves', async () => {
    const { cluster, ada, bob, share } = await world();
    const name = await share(BOB);
    expect(await cluster.run(at(ada.daemon, HOME, 'trip'))).toMatchObject({
      mounted: { volume: name },
    });
    expect(await share({ ...BOB, rights: USUAL_SETS.read })).toBe(name);
    expect(await share(BOB)).toBe(name);
    await cluster.until(() => namesSeen(bob).includes(name), 'bob to hear of it');

    const own = await homeOf(cluster, bob);
    const daemon = withFolder(bob, BOBS, 'with ada');
    const place = { volume: own, path: ['with ada'] };
    await cluster.run(acceptShare(daemon, name, place));
    expect(await cluster.run(at(bob.daemon, BOBS, 'with ada'))).toMatchObject({
      mounted: { volume: name },
    });
    const again = acceptShare(daemon, name, { volume: own, path: ['elsewhere'] });
    await expect(cluster.run(again)).rejects.toMatchObject({ code: 'exists' });
    await cluster.settled();

    expect(await cluster.run(leaveShare(daemon, name))).toBe(false);
    await cluster.settled();
    await expect(cluster.run(at(bob.daemon, BOBS, 'with ada'))).rejects.toMatchObject({
      code: 'not-found',
    });
    expect(namesSeen(ada)).toContain(name);
    await expect(cluster.run(leaveShare(daemon, name))).rejects.toMatchObject({
      code: 'no-such-volume',
    });
  });

  it('leaves the folder as it is where the guest is refused, and goes on with what it has made', async () => {
    const { cluster, ada, fid, share } = await world();
    await expect(share({ ...BOB, name: 'nobody' })).rejects.toMatchObject({ code: 'not-found' });
    const found = await cluster.run(at(ada.daemon, HOME, 'trip'));
    expect([found.fid, found.mounted]).toEqual([fid, undefined]);
    const [, made] = namesSeen(ada);
    expect(await share(BOB)).toBe(made);
  });

  it.each([
    [[], 'usage'],
    [['nowhere'], 'not-found'],
    [['file'], 'not-a-directory'],
    // A laptop without a folder can not move the files over.
    [['full'], 'usage'],
  ])('refuses to share %j: %s', async (path, code) => {
    const { cluster, ada, share } = await world();
    const { programs } = ada.daemon;
    await cluster.run(programs.create(rootOf(HOME), 'file', { mode: 0o644 }));
    const { fid } = await cluster.run(programs.mkdir(rootOf(HOME), 'full', FOLDER));
    await cluster.run(programs.mkdir(fid, 'inner', FOLDER));
    await expect(share(BOB, path)).rejects.toMatchObject({ code });
    if (code !== 'not-found') {
      const look = cluster.run(lookAtShare(ada.daemon, { volume: 'home', path }));
      await expect(look).rejects.toMatchObject({ code });
    }
    expect(namesSeen(ada)).toEqual(['home']);
  });
});
