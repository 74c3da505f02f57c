/**
 * What a program was told and the disk has not: a killed daemon has it still, and a loss of power may take it, whole, with all that came
 * after it. Nobody else has heard of it then.
 */
import { describe, expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import type { UserFiles } from '../../app/lab/simulator/cluster/user-files.ts';
import type { SeededRandom } from '../../shared/util/seeded-random.ts';
import { agreed } from './agreed.ts';

const SEEDS = Array.from({ length: 20 }, (_, index) => index + 1);
const ALL = { below: (count: number) => count - 1 } as unknown as SeededRandom;
const NONE = { below: () => 0 } as unknown as SeededRandom;

async function begun(seed = 1) {
  const cluster = await Cluster.start({ seed });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, (files) => files.write('/doc', 'first'));
  await cluster.settled();
  return { cluster, ada, bob };
}

/** As editors save: the whole file beside, then its name. */
async function save(files: UserFiles, text: string): Promise<void> {
  await files.write('/doc.tmp', text);
  await files.rename('/doc.tmp', '/doc');
}

/** Power lost with all rows there that were recorded, and of contents what was synced. */
function losePowerTorn(ada: ClientNode): void {
  ada.crash();
  ada.disk.crash(NONE);
  ada.clientStore.losePower(ALL);
}

/** How many contents the server has been given. */
async function storedAt(cluster: Cluster): Promise<number> {
  const history = await cluster.run(cluster.server.history());
  const digests = history.flatMap(({ vnodes }) => vnodes.map(({ digest }) => digest));
  return new Set(digests.filter((digest) => digest !== null)).size;
}

const lostAt = (ada: ClientNode) =>
  ada.status.errors.filter(({ code }) => code === 'save-lost').map(({ path }) => path);

describe('a daemon that is killed right after its answer', () => {
  it.each(SEEDS)('has kept every acknowledged change (seed %d)', async (seed) => {
    const { cluster, ada } = await begun(seed);
    await cluster.at(ada, async (files) => {
      await files.mkdir('/dir');
      await save(files, 'second');
      ada.crash();
    });
    await cluster.restart(ada);
    expect(await cluster.at(ada, (files) => files.read('/doc'))).toBe('second');
    expect(await agreed(cluster)).toEqual({ '/dir': null, '/doc': 'second' });
    expect(lostAt(ada)).toEqual([]);
  });

  it('has made its acknowledged changes durable when it runs again', async () => {
    const { cluster, ada } = await begun();
    cluster.cut(ada);
    await cluster.at(ada, async (files) => {
      await save(files, 'second');
      ada.crash();
    });
    await cluster.restart(ada);
    ada.losePower();
    await cluster.restart(ada);
    cluster.heal(ada);
    expect(await agreed(cluster)).toEqual({ '/doc': 'second' });
  });
});

describe('a loss of power right after the answer', () => {
  it.each(SEEDS)('loses a save entirely or not at all (seed %d)', async (seed) => {
    const { cluster, ada, bob } = await begun(seed);
    await cluster.at(ada, async (files) => {
      await save(files, 'second');
      ada.losePower();
    });
    const heard = await storedAt(cluster);
    await cluster.restart(ada);
    const found = await cluster.at(ada, (files) => files.read('/doc'));
    expect(['first', 'second']).toContain(found);
    // What the power took has not left the machine.
    expect(heard).toBe(1);
    // Other updates may have its numbers now, and are taken for what they are.
    await cluster.at(ada, (files) => files.write('/other', 'of the next start'));
    await cluster.settled();
    const shown = cluster.shown(bob);
    expect(shown).toMatchObject({ '/doc': found, '/other': 'of the next start' });
    expect(await storedAt(cluster)).toBe(found === 'second' || '/doc.tmp' in shown ? 3 : 2);
  });

  it.each(SEEDS)('loses no update that the server has heard of (seed %d)', async (seed) => {
    const { cluster, ada } = await begun(seed);
    await cluster.at(ada, (files) => files.write('/doc', 'second'));
    const isHeard = (): boolean =>
      cluster.server.inside.volumes.marksOf(ada.device ?? 0).length > 0;
    await cluster.until(isHeard, 'the server to hear of it');
    ada.losePower();
    await cluster.restart(ada);
    expect(await cluster.at(ada, (files) => files.read('/doc'))).toBe('second');
    expect(await agreed(cluster)).toEqual({ '/doc': 'second' });
  });

  it('leaves the version before when the contents of a save are torn, and reports that', async () => {
    const { cluster, ada, bob } = await begun();
    await cluster.at(ada, async (files) => {
      await save(files, 'second');
      losePowerTorn(ada);
    });
    await cluster.restart(ada);
    expect(await cluster.at(ada, (files) => files.read('/doc'))).toBe('first');
    expect(lostAt(ada)).toEqual(['doc.tmp']);
    await cluster.settled();
    expect([ada, bob].map((each) => cluster.shown(each)['/doc'])).toEqual(['first', 'first']);
    expect(await storedAt(cluster)).toBe(1);
  });

  it('loses no change that came before the torn one', async () => {
    const { cluster, ada } = await begun();
    ada.paces.disk.extraMs = 500;
    await cluster.at(ada, async (files) => {
      await files.mkdir('/before');
      await save(files, 'second');
      await files.mkdir('/after');
      losePowerTorn(ada);
    });
    await cluster.restart(ada);
    const names = await cluster.at(ada, (files) => files.names('/'));
    expect(names).not.toContain('after');
    expect(names).toContain('before');
    expect(await cluster.at(ada, (files) => files.read('/doc'))).toBe('first');
    await cluster.restart(ada);
    expect(lostAt(ada)).toEqual([]);
  });
});
