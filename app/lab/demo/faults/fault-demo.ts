/** What a step of the demo under faults has to work with. */
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { Demo } from '../demo-step.ts';
import type { Laptop } from '../laptop.ts';
import type { Ledger } from './ledger.ts';
import type { SmallDisk } from './small-disk.ts';
import type { UdpRelay } from '../../shaper/udp-relay.ts';

export interface FaultDemo extends Demo {
  /** Paired when all is over: it has what the server has. */
  readonly late: Laptop;
  /** Of A and of B. */
  readonly relays: readonly UdpRelay[];
  /** B's; null: none could be made. */
  readonly disk: SmallDisk | null;
  readonly random: SeededRandom;
  readonly ledger: Ledger;
  readonly kills: number;
  readonly cuts: number;
  readonly onProgress: (text: string) => void;
}
