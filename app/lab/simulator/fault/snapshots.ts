/**
 * An administrator makes snapshots of a volume and removes them, and the server collects what no version needs, while people work, look into the
 * snapshots and bring things back out of them. Meanwhile the laptop may lose its connection, its rights or its daemon; the server may be killed, or put
 * back from a backup.
 *
 * It is in a run only where it is named, beside the other faults and from a random stream of its own: so other seeds keep their meaning.
 */
import type { RetentionPolicy } from '../../../../shared/model/retention.ts';
import { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import type { EndFault, FaultFamily, FaultTarget } from './fault.ts';
import { LookingBack } from './looking-back.ts';
import { meanwhileOf } from './meanwhile.ts';
import { restored } from './restored.ts';
import { rightsTaken } from './rights.ts';

const ACTS = [
  ...(['make', 'make', 'make', 'remove', 'collect', 'collect', 'collect'] as const),
  ...(['look', 'look', 'list', 'bring back', 'bring back', 'bring back elsewhere'] as const),
];
type Act = (typeof ACTS)[number];

const NAMES = ['yesterday', 'before', 'x', 'Y-2.z'];
const POLICIES: readonly RetentionPolicy[] = [
  { allDays: 0, dailyDays: 0 },
  { allDays: 0, dailyDays: 0 },
  { allDays: 0, dailyDays: 1 },
  { allDays: 7, dailyDays: 30 },
];
const MOST_ACTS = 12;
const LASTS_MS = [500, 10_000, 60_000, 200_000];

export const snapshots: FaultFamily = {
  name: 'snapshots',
  weight: 0,
  draw: (random, { laptops }) => ({
    family: 'snapshots',
    laptop: random.below(laptops.length),
    seed: random.below(1_000_000),
    acts: 2 + random.below(MOST_ACTS),
    meanwhile: random.pick([
      ...(['nothing', 'nothing', 'nothing', 'cut', 'killed', 'server killed'] as const),
      ...(['restored', 'rights'] as const),
    ]),
    lastsMs: random.below(random.pick(LASTS_MS)),
  }),
  begin: async ({ laptop, seed, acts, meanwhile, lastsMs }, target) => {
    const client = target.laptop(Number(laptop));
    const story = new Story(client, new SeededRandom(`snapshots ${String(seed)}`), target);
    const end = await troubleOf(String(meanwhile), client, target);
    story.plan(Number(acts), lastsMs);
    return async () => {
      story.end();
      await end?.();
    };
  },
};

async function troubleOf(
  meanwhile: string,
  client: ClientNode,
  target: FaultTarget,
): Promise<EndFault | null> {
  if (meanwhile === 'restored') {
    return restored.begin({ family: 'restored', lastsMs: 0 }, target);
  }
  if (meanwhile === 'rights') {
    const { user, volume, rights: back } = client;
    const taken = { family: 'rights', user, volume, rights: 'none', back, lastsMs: 0 };
    return rightsTaken.begin(taken, target);
  }
  return client.running && !client.machine.asleep ? meanwhileOf(meanwhile, client, target) : null;
}

/** What is done to the snapshots of one volume, one act after the other. */
class Story {
  readonly #client: ClientNode;
  readonly #random: SeededRandom;
  readonly #target: FaultTarget;
  #isOver = false;

  constructor(client: ClientNode, random: SeededRandom, target: FaultTarget) {
    this.#client = client;
    this.#random = random;
    this.#target = target;
  }

  /** The first one at once, all within this time. */
  plan(count: number, withinMs: number): void {
    const { time } = this.#target.cluster.world;
    this.#do('make');
    for (let i = 1; i < count; i++) {
      time.in(this.#random.fraction() * withinMs, 'snapshots', () => {
        if (!this.#isOver) this.#do(this.#random.pick(ACTS));
      });
    }
  }

  /** Nothing of it begins any more. */
  end(): void {
    this.#isOver = true;
  }

  #do(act: Act): void {
    const { cluster } = this.#target;
    const { volume } = this.#client;
    const { server, hear } = cluster;
    const name = this.#random.pick(NAMES);
    const isThere = server.metaStore.snapshotsOf(volume).some((each) => each.name === name);
    switch (act) {
      case 'make': {
        if (isThere) return;
        const snapshot = server.metaStore.makeSnapshot(volume, name, server.clock.wall());
        return hear({ kind: 'snapshot-made', volume, snapshot });
      }
      case 'remove':
        if (!isThere) return;
        server.metaStore.removeSnapshot(volume, name);
        return hear({ kind: 'snapshot-removed', volume, name });
      case 'collect':
        return this.#collect();
      default:
        return this.#looks(act);
    }
  }

  #collect(): void {
    const { world, server } = this.#target.cluster;
    server
      .collect(this.#random.pick(POLICIES))
      .then((gone) => world.note(`${gone === null ? 'nothing' : gone.length} collected`))
      .catch((error: unknown) => world.fault(error));
  }

  #looks(act: Exclude<Act, 'make' | 'remove' | 'collect'>): void {
    const [client, random] = [this.#client, this.#random.fork(act)];
    if (!client.running || client.machine.asleep) return;
    this.#target.works(client, `snapshots, ${act}`, () =>
      new LookingBack(client, random, this.#target.cluster.hear).does(act),
    );
  }
}
