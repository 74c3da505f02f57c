/**
 * People share folders: each has a volume made for a new folder of theirs, offers it, changes what others may do there, and takes it back; others
 * accept it at a place of their own, work in it, move files into it, and leave. Meanwhile a laptop may be cut off or killed, and the server restarted or
 * put back. Somebody without any right asks about it all the time (`spy.ts`).
 *
 * What was taken from a person is given back when the fault ends: so in the end all that was written has to arrive.
 *
 * It is in a run only where it is named, beside the other faults and from a random stream of its own: so other seeds keep their meaning.
 */
import type { FaultFamily } from './fault.ts';
import { meanwhileOf } from './meanwhile.ts';
import { restored } from './restored.ts';
import { SHARING_DEEDS, SharingAct, type SharingDeed } from './sharing-act.ts';
import { spyOut } from './spy.ts';

const MOST_SHARED = 3;
const SEEDS = 1_000_000;
const LASTS_MS = [500, 10_000, 60_000, 300_000];

export const sharing: FaultFamily = {
  name: 'sharing',
  weight: 0,
  draw: (random, { laptops }) => ({
    family: 'sharing',
    laptop: random.below(laptops.length),
    other: random.below(laptops.length),
    act: random.pick(SHARING_DEEDS),
    which: random.below(MOST_SHARED),
    seed: random.below(SEEDS),
    meanwhile: random.pick([
      ...(['nothing', 'nothing', 'nothing', 'nothing', 'nothing', 'nothing'] as const),
      ...(['cut', 'killed', 'server killed', 'restored'] as const),
    ]),
    lastsMs: random.below(random.pick(LASTS_MS)),
  }),
  begin: async ({ laptop, other, act, which, seed, meanwhile }, target) => {
    const client = target.laptop(Number(laptop));
    const about = { which: Number(which), seed: Number(seed) };
    if (act === 'spy') return spyOut(client.volume, about, target.cluster);
    if (!client.running || client.machine.asleep) return null;
    const deed = new SharingAct(client, target.laptop(Number(other)), about, target.cluster);
    const end =
      meanwhile === 'restored'
        ? await restored.begin({ family: 'restored', lastsMs: 0 }, target)
        : meanwhileOf(String(meanwhile), client, target);
    target.works(client, `sharing, ${String(act)}`, () => deed.does(act as SharingDeed));
    return async () => {
      deed.end();
      await end?.();
    };
  },
};
