/**
 * A disk on which what tells contents in part can now and then not be written, read, synced or renamed, on the server or on a laptop, while
 * transfers are cut off half way: the begun parts of both sides, what deltas are made of and what they make (rules D2, D3). The rest of the
 * disk goes on, so that the transfers are tried again and again.
 *
 * It weighs nothing, so that the seeds of the default mix keep their meaning.
 */
import { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { EndFault, FaultFamily } from './fault.ts';
import { halfWay } from './half-way.ts';
import { drawMachine, machineOf } from './machine.ts';

const CHANCES = [0.02, 0.1, 0.5, 1];
const LONGEST_MS = 60_000;
/** Where both keep what is on its way; the server has it in its data folder. */
const FOLDERS = { server: ['/data/streams/', '/data/spool/'], laptop: ['/transfers/', '/spool/'] };

export const streamsFail: FaultFamily = {
  name: 'streams-fail',
  weight: 0,
  // What is received and can't be written is taken for a full disk.
  programsMeet: ['disk-failing', 'disk-full', 'damaged-contents'],
  draw: (random, settings) => ({
    ...halfWay.draw(random, settings),
    family: 'streams-fail',
    dies: 'connection',
    machine: drawMachine(random, settings),
    code: random.pick(['ENOSPC', 'ENOSPC', 'EIO']),
    folder: random.pick([0, 0, 0, 1]),
    chance: random.pick(CHANCES),
    seed: random.below(1_000_000),
    lastsMs: 1 + random.below(LONGEST_MS),
  }),
  begin: async (event, target) => {
    const { is, node } = machineOf(target, event);
    const folder = FOLDERS[is][Number(event['folder'])] ?? '/';
    const random = new SeededRandom(`streams fail ${String(event['seed'])}`);
    const isFull = event['code'] === 'ENOSPC';
    const endDisk = node.disk.troubles.add((call, path, growth) => {
      if (!path.startsWith(folder) || call === 'remove') return null;
      if (isFull && (call !== 'write' || growth <= 0)) return null;
      if (!random.chance(Number(event['chance']))) return null;
      return isFull ? 'ENOSPC' : 'EIO';
    });
    const endCuts = (await halfWay.begin(event, target)) as EndFault;
    return async () => {
      endDisk();
      await endCuts();
    };
  },
};
