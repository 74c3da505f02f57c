/**
 * A program that gives files as many and as large extended attributes as they may have, for a while: a few of them fill a page of a
 * listing, of the feed or of a walk, which then has to be asked for in parts.
 */
import type { Fid } from '../../../../shared/model/fid.ts';
import { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import type { World } from '../world.ts';
import type { FaultFamily } from './fault.ts';

const MOST_FILES = 5;
const ATTRIBUTES = 45;
const VALUE_BYTES = 3_000;
const LONGEST_MS = 60_000;

export const heavyAttributes: FaultFamily = {
  name: 'heavy',
  weight: 1,
  draw: (random, { laptops }) => ({
    family: 'heavy',
    laptop: random.below(laptops.length),
    files: 2 + random.below(MOST_FILES - 1),
    seed: random.below(1_000_000),
    lastsMs: random.below(LONGEST_MS),
  }),
  begin: (event, target) => {
    const client = target.laptop(Number(event['laptop']));
    if (!client.running || client.machine.asleep) return null;
    const random = new SeededRandom(`heavy ${String(event['seed'])}`);
    const all = [...client.daemon.inside.names.attributes.all()].filter(
      ({ kind }) => kind === 'file',
    );
    const chosen = random.shuffled(all.map(({ fid }) => fid)).slice(0, Number(event['files']));
    const value = Buffer.from('x'.repeat(VALUE_BYTES)).toString('base64');
    const heavy = Array.from({ length: ATTRIBUTES }, (_, i) => ({ name: `user.heavy${i}`, value }));
    void give(client, chosen, heavy, target.cluster.world);
    return () => {
      if (client.running && !client.machine.asleep)
        void give(client, chosen, [], target.cluster.world);
    };
  },
};

type Attributes = ReadonlyArray<{ readonly name: string; readonly value: string }>;

async function give(
  client: ClientNode,
  fids: readonly Fid[],
  xattrs: Attributes,
  world: World,
): Promise<void> {
  const { fileSystem } = client.daemon;
  for (const fid of fids) {
    try {
      await fileSystem.setattr(fid, { xattrs });
    } catch (error) {
      if (!(error instanceof GodwitError) || error.code === 'internal') world.fault(error);
    }
  }
}
