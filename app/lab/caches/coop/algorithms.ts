/** The algorithms by name, with the settings of the paper (section 4.1). */
import { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import { CentralPolicy } from './central.ts';
import type { CostTable } from './costs.ts';
import { NChancePolicy } from './n-chance.ts';
import { PlainPolicy } from './plain.ts';
import type { CoopPolicy, Room } from './policy.ts';
import { WeightedLruPolicy } from './weighted-lru.ts';

export const ALGORITHMS = [
  'base',
  'direct',
  'greedy',
  'central',
  'hash',
  'weighted-lru',
  'n-chance',
  'best',
  'server-memory',
] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

export interface AlgorithmSettings {
  /** Of each client's cache that is managed for all; 0 to 1. */
  readonly centralShare: number;
  /** How often a block that nobody uses goes on to another client. */
  readonly n: number;
  readonly prefersIdle: boolean;
  /** Blocks of remote memory for each client; left out: as many as its cache has. */
  readonly remote?: number;
  readonly seed: number;
}

export const PAPER_SETTINGS: AlgorithmSettings = {
  centralShare: 0.8,
  n: 2,
  prefersIdle: false,
  seed: 1,
};

export function makePolicy(
  name: Algorithm,
  room: Room,
  costs: CostTable,
  settings: AlgorithmSettings,
): CoopPolicy {
  const { centralShare: shared, n, prefersIdle, remote = room.client, seed } = settings;
  switch (name) {
    case 'base':
      return new PlainPolicy(room, { remote: 0, forwards: false });
    case 'direct':
      return new PlainPolicy(room, { remote, forwards: false });
    case 'greedy':
      return new PlainPolicy(room, { remote: 0, forwards: true });
    case 'central':
      return new CentralPolicy(room, { shared });
    case 'hash':
      return new CentralPolicy(room, { shared, isHashed: true });
    case 'best':
      return new CentralPolicy(room, { shared: 1, isDoubled: true });
    case 'weighted-lru':
      return new WeightedLruPolicy(room, costs);
    case 'n-chance':
      return new NChancePolicy(room, { n, prefersIdle }, new SeededRandom(seed).fork('peers'));
    case 'server-memory':
      return new PlainPolicy(atServer(room, shared), { remote: 0, forwards: false });
  }
}

/** That share of the clients' memory moved to the server (section 4.5). */
function atServer({ clients, client, server }: Room, share: number): Room {
  const moved = Math.round(client * share);
  return { clients, client: client - moved, server: server + moved * clients };
}
