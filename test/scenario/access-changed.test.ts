/** A person changes at a laptop who may do what, and other laptops hear of it at once; what may not be sent any more is kept (rules A1, A4). */
import { describe, expect, it } from '@jest/globals';
import { Cluster, HOME } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { rightSet, USUAL_SETS } from '../../shared/model/access-list.ts';
import { minutes, seconds } from '../../shared/model/time.ts';
import { agreed } from './agreed.ts';

async function world(): Promise<{ cluster: Cluster; ada: ClientNode; guest: ClientNode }> {
  const cluster = await Cluster.start({ clients: 1 });
  const guest = await cluster.join('write', 'guest');
  const [ada] = cluster.clients as [ClientNode];
  await cluster.at(ada, (files) => files.write('/doc', 'first'));
  await cluster.settled();
  return { cluster, ada, guest };
}

const guests = (rights: number, negative = false) =>
  ({ kind: 'person', name: 'guest', negative, rights }) as const;

const codesOf = ({ status }: ClientNode): string[] => status.errors.map(({ code }) => code);

describe('access that is changed at a laptop', () => {
  it('is in force at a connected laptop within a second, and its refused work goes on later', async () => {
    const { cluster, ada, guest } = await world();
    const { access } = ada.daemon;
    const begun = cluster.world.time.now();
    await cluster.run(access.set('home', guests(USUAL_SETS.read)));
    expect(cluster.world.time.now() - begun).toBeLessThanOrEqual(seconds(1));
    cluster.cut(guest);
    await cluster.run(access.set('home', guests(USUAL_SETS.write)));
    cluster.heal(guest);
    await cluster.settled();
    cluster.cut(guest);
    await cluster.at(guest, (files) => files.write('/doc', 'by the guest'));
    await cluster.run(access.set('home', guests(USUAL_SETS.read)));
    cluster.heal(guest);
    await cluster.until(() => codesOf(guest).includes('sync-blocked'), 'it to be refused');
    expect(await cluster.at(guest, (files) => files.read('/doc'))).toBe('by the guest');
    expect(cluster.shown(ada)).toEqual({ '/doc': 'first' });
    await cluster.run(access.set('home', guests(USUAL_SETS.write)));
    await cluster.settled();
    expect(await agreed(cluster)).toEqual({ '/doc': 'by the guest' });
    expect(codesOf(guest)).toEqual([]);
  });

  it('keeps a change that one of the seven rights does not cover, and sends the others', async () => {
    const { cluster, ada, guest } = await world();
    const { access } = ada.daemon;
    await cluster.run(access.set('home', guests(rightSet(['delete']), true)));
    await cluster.pass(seconds(5));
    await cluster.at(guest, (files) => files.write('/new', 'text'));
    await cluster.at(guest, (files) => files.remove('/doc'));
    await cluster.pass(minutes(1));
    expect(codesOf(guest)).toEqual(['sync-blocked']);
    expect(cluster.shown(ada)).toEqual({ '/doc': 'first', '/new': 'text' });
    await cluster.run(access.set('home', guests(0, true)));
    await cluster.settled();
    expect(await agreed(cluster)).toEqual({ '/new': 'text' });
  });

  it('lets work go on that was refused often when its laptop starts again with the right', async () => {
    const { cluster, ada, guest } = await world();
    const { access } = ada.daemon;
    await cluster.run(access.set('home', guests(rightSet(['write']), true)));
    await cluster.pass(seconds(5));
    await cluster.at(guest, (files) => files.write('/doc', 'by the guest'));
    await cluster.until(() => codesOf(guest).includes('sync-blocked'), 'it to be refused');
    guest.crash();
    await cluster.run(access.set('home', guests(0, true)));
    await cluster.restart(guest);
    await cluster.settled();
    expect(await agreed(cluster)).toEqual({ '/doc': 'by the guest' });
  });

  it('is listed for all who see the volume, and changed by who may', async () => {
    const { cluster, ada, guest } = await world();
    const entries = [
      { kind: 'person', name: 'guest', negative: false, rights: USUAL_SETS.write },
      { kind: 'person', name: 'owner', negative: false, rights: USUAL_SETS.admin },
    ];
    expect(await cluster.run(guest.daemon.access.list('home'))).toEqual({
      own: USUAL_SETS.write,
      entries,
    });
    const all = guests(USUAL_SETS.admin);
    await expect(cluster.run(guest.daemon.access.set('home', all))).rejects.toMatchObject({
      code: 'not-administrator',
    });
    await cluster.run(ada.daemon.access.changeTeam({ ask: 'make-team', team: 'crew' }));
    expect(await cluster.run(ada.daemon.access.teams(null))).toEqual({
      teams: [{ name: 'crew', owner: 'owner', isOff: false, size: 0 }],
    });
    await expect(cluster.run(guest.daemon.access.teams('crew'))).rejects.toMatchObject({
      code: 'not-found',
    });
    await expect(cluster.run(ada.daemon.access.list('none'))).rejects.toMatchObject({
      code: 'no-such-volume',
    });
  });

  it('is asked for again when the connection ends, and done once', async () => {
    const { cluster, ada, guest } = await world();
    const asked = ada.daemon.access.set('home', guests(USUAL_SETS.read));
    cluster.server.crash();
    await cluster.run(cluster.server.start(), 'the server to start');
    await cluster.run(asked);
    const { entries } = await cluster.run(ada.daemon.access.list('home'));
    expect(entries[0]).toEqual(guests(USUAL_SETS.read));
    const rights = () => guest.status.volumes.find(({ id }) => id === HOME)?.rights;
    await cluster.until(() => rights() === 'read', 'the guest to hear of it');
  });
});
