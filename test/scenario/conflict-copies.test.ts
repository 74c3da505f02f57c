/** What is a conflict copy is said by the device that makes it (rule C4), and not told by its name. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import type { UserFiles } from '../../app/lab/simulator/cluster/user-files.ts';
import { replaceMethod } from '../../app/lab/simulator/mutant/replace-method.ts';
import { Client } from '../../daemon/core/client.ts';
import { PROTOCOL } from '../../shared/wire/rpcs.ts';
import { COPIES_FROM } from '../../shared/wire/updates.ts';

const STEM = 'doc (conflict, bob, 2026-11-27 08.16.33)';
const CALLED = `/${STEM}`;

const mends: Array<() => void> = [];
afterEach(() => {
  for (const mend of mends.splice(0)) mend();
});

/** From now on these laptops say in their Hello that they speak the version before marks. */
function olderDaemons(...names: string[]): void {
  const mend = replaceMethod(Client.prototype, 'step', (step) => {
    return function (this: Client, event, now) {
      const done = step.call(this, event, now);
      if (!names.includes(this.inside.deviceName)) return done;
      const effects = done.effects.map((effect) => {
        if (effect.kind !== 'request' || effect.message.rpc !== 'Hello') return effect;
        const protocol = { min: 1, max: COPIES_FROM - 1 };
        return {
          ...effect,
          message: { rpc: 'Hello' as const, body: { ...effect.message.body, protocol } },
        };
      });
      return { ...done, effects };
    };
  });
  mends.push(mend);
}

async function begun(): Promise<[Cluster, ...ClientNode[]]> {
  const cluster = await Cluster.start({ seed: 1, clients: 3 });
  const [ada] = cluster.clients as [ClientNode];
  await cluster.at(ada, (files) => files.write('/doc', 'first'));
  await cluster.settled();
  return [cluster, ...cluster.clients];
}

/** Ada loses doc to bob, and keeps her side as the copy. */
async function lost(cluster: Cluster, ada: ClientNode, bob: ClientNode): Promise<void> {
  cluster.cut(ada);
  await cluster.at(ada, (files) => files.write('/doc', "ada's"));
  await cluster.at(bob, (files) => files.write('/doc', "bob's"));
  await cluster.settled(cluster.clients.filter((each) => each !== ada));
  cluster.heal(ada);
  await cluster.settled();
}

const kinds = (laptop: ClientNode | undefined): string[] =>
  (laptop?.status.conflicts ?? []).map(({ kind }) => kind);

type Work = (files: UserFiles) => Promise<unknown>;

describe('a name like that of a conflict copy, beside what it seems to be a copy of,', () => {
  it.each<[string, Work]>([
    ['a new file', (files) => files.write(CALLED, 'of an old archive')],
    ['a new folder', (files) => files.mkdir(CALLED)],
    ['a link to a path', (files) => files.symlink(CALLED, 'doc')],
    ['a second name', (files) => files.link('/doc', CALLED)],
    [
      'a file that was called otherwise',
      async (files) => {
        await files.write('/other', 'x');
        await files.rename('/other', CALLED);
      },
    ],
    [
      'a file that an editor saves',
      async (files) => {
        await files.write(CALLED, 'x');
        await files.write('/tmp', 'y');
        await files.rename('/tmp', CALLED);
      },
    ],
    [
      'a file with a name of nearly full length',
      (files) => files.write(`/${'n'.repeat(213)}${STEM.slice('doc'.length)}`, 'x'),
    ],
  ])('is no conflict when a person gives it to %s', async (_what, work) => {
    const [cluster, ada] = await begun();
    await cluster.at(ada as ClientNode, work);
    await cluster.settled();
    for (const laptop of cluster.clients) {
      expect(kinds(laptop)).toEqual([]);
      await cluster.restart(laptop);
    }
    await cluster.settled();
    for (const laptop of cluster.clients) expect(kinds(laptop)).toEqual([]);
  });

  it('is no conflict for laptops that hear of it late, from a server that has started anew', async () => {
    const [cluster, ada, bob, cem] = (await begun()) as [
      Cluster,
      ClientNode,
      ClientNode,
      ClientNode,
    ];
    cluster.cut(cem);
    await cluster.at(ada, (files) => files.write(CALLED, 'of an old archive'));
    await cluster.settled([ada, bob]);
    await cluster.restart(cluster.server);
    cluster.heal(cem);
    await cluster.settled();
    for (const laptop of cluster.clients) expect(kinds(laptop)).toEqual([]);
  });

  it('is no conflict when it comes back after a removal', async () => {
    const [cluster, ada] = (await begun()) as [Cluster, ClientNode];
    await cluster.at(ada, (files) => files.write(CALLED, 'of an old archive'));
    await cluster.settled();
    await cluster.at(ada, (files) => files.remove(CALLED));
    await cluster.settled();
    const back = { path: [STEM], version: null, at: null, to: null };
    await cluster.run(ada.daemon.past.restore('home', back), 'it to be back');
    await cluster.settled();
    for (const laptop of cluster.clients) expect(kinds(laptop)).toEqual([]);
  });

  it('is no conflict when its author wrote to it while another removed it', async () => {
    const [cluster, ada, bob] = (await begun()) as [Cluster, ClientNode, ClientNode];
    await cluster.at(ada, (files) => files.write(CALLED, 'first'));
    await cluster.settled();
    cluster.cut(ada);
    await cluster.at(ada, (files) => files.write(CALLED, 'second'));
    await cluster.at(bob, (files) => files.remove(CALLED));
    await cluster.settled([bob]);
    cluster.heal(ada);
    await cluster.settled();
    expect(cluster.shown(bob)[CALLED]).toBe('second');
    expect(kinds(bob)).toEqual([]);
  });
});

describe('a conflict copy', () => {
  it('is listed by laptops that were away, also after the server has started anew', async () => {
    const [cluster, ada, bob, cem] = (await begun()) as [
      Cluster,
      ClientNode,
      ClientNode,
      ClientNode,
    ];
    cluster.cut(cem);
    cluster.cut(ada);
    await cluster.at(ada, (files) => files.write('/doc', "ada's"));
    await cluster.at(bob, (files) => files.write('/doc', "bob's"));
    await cluster.settled([bob]);
    cluster.heal(ada);
    await cluster.settled([ada, bob]);
    await cluster.restart(cluster.server);
    cluster.heal(cem);
    await cluster.settled();
    expect([ada, bob, cem].map(kinds)).toEqual([['contents'], ['elsewhere'], ['elsewhere']]);
  });

  it('is listed once when an editor saved the losing version by renames', async () => {
    const [cluster, ada, bob] = (await begun()) as [Cluster, ClientNode, ClientNode];
    cluster.cut(ada);
    await cluster.at(ada, async (files) => {
      for (const text of ['1', '2', '3']) {
        await files.write('/new.tmp', text);
        await files.rename('/new.tmp', '/new');
      }
    });
    await cluster.at(bob, (files) => files.write('/new', "bob's"));
    await cluster.settled([bob]);
    cluster.heal(ada);
    await cluster.settled();
    expect([ada, bob].map(kinds)).toEqual([['name'], ['elsewhere']]);
  });

  it('stays the same conflict when it is given another such name', async () => {
    const [cluster, ada, bob, cem] = (await begun()) as [
      Cluster,
      ClientNode,
      ClientNode,
      ClientNode,
    ];
    await lost(cluster, ada, bob);
    const copy = ada.status.conflicts[0]?.copy ?? '';
    await cluster.at(bob, (files) => files.rename(`/${copy}`, CALLED));
    await cluster.settled();
    expect(cem.status.conflicts).toMatchObject([{ path: 'doc', copy: STEM }]);
  });

  it('ends as one when it was dealt with, and may have its name again', async () => {
    const [cluster, ada, bob] = (await begun()) as [Cluster, ClientNode, ClientNode];
    await lost(cluster, ada, bob);
    const copy = `/${ada.status.conflicts[0]?.copy ?? ''}`;
    await cluster.at(ada, (files) => files.rename(copy, '/mine'));
    await cluster.settled();
    for (const { daemon, status } of cluster.clients) {
      for (const { id } of status.conflicts) daemon.dismissConflict(id);
    }
    await cluster.at(ada, (files) => files.rename('/mine', copy));
    await cluster.settled();
    for (const laptop of cluster.clients) expect(kinds(laptop)).toEqual([]);
  });
});

describe('programs that do not know marks', () => {
  it('list conflicts by name, and others list theirs', async () => {
    olderDaemons('ada');
    const [cluster, ada, bob, cem] = (await begun()) as [
      Cluster,
      ClientNode,
      ClientNode,
      ClientNode,
    ];
    await lost(cluster, ada, bob);
    expect([ada, bob, cem].map(kinds)).toEqual([['contents'], ['elsewhere'], ['elsewhere']]);
    await lost(cluster, bob, ada);
    expect(kinds(ada)).toEqual(['elsewhere', 'contents']);
  });

  it('take a name for a conflict as before, and newer ones do not', async () => {
    olderDaemons('cleo');
    const [cluster, ada, bob, cleo] = (await begun()) as [
      Cluster,
      ClientNode,
      ClientNode,
      ClientNode,
    ];
    await cluster.at(ada, (files) => files.write(CALLED, 'of an old archive'));
    await cluster.settled();
    expect([ada, bob, cleo].map(kinds)).toEqual([[], [], ['elsewhere']]);
  });

  it('are judged by their marks once they are updated', async () => {
    olderDaemons('ada');
    const [cluster, ada, bob] = (await begun()) as [Cluster, ClientNode, ClientNode];
    await cluster.at(ada, (files) => files.write(CALLED, 'x'));
    await cluster.settled();
    expect(kinds(bob)).toEqual(['elsewhere']);
    for (const mend of mends.splice(0)) mend();
    await cluster.restart(ada);
    await cluster.at(ada, (files) => files.write('/other', 'x'));
    await cluster.at(ada, (files) => files.write(CALLED.replace('doc', 'other'), 'x'));
    await cluster.settled();
    expect(kinds(bob)).toEqual(['elsewhere']);
  });

  it('may be servers: no mark goes to one, and names count until it is updated', async () => {
    const { max } = PROTOCOL;
    Object.assign(PROTOCOL, { max: COPIES_FROM - 1 });
    mends.push(() => Object.assign(PROTOCOL, { max }));
    const [cluster, ada, bob] = (await begun()) as [Cluster, ClientNode, ClientNode];
    await cluster.at(ada, (files) => files.write(CALLED, 'x'));
    await cluster.settled();
    expect(kinds(bob)).toEqual(['elsewhere']);
    for (const mend of mends.splice(0)) mend();
    await cluster.restart(cluster.server);
    await cluster.at(ada, (files) => files.write('/doc (conflict, x, 2026-11-27 08.16.33)', 'x'));
    await lost(cluster, ada, bob);
    expect(kinds(bob)).toEqual(['elsewhere', 'elsewhere']);
  });
});
