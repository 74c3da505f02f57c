/**
 * A family of faults. Drawing one and doing it are apart: what is drawn is data in a plan, and may be done again in a
 * shortened plan, where other faults are left out.
 */
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { ErrorCode } from '../../../../shared/wire/error-codes.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { FaultEvent, PlanSettings } from '../plan/plan.ts';

/** Ends a fault that lasts. What it undoes may be undone already. */
export type EndFault = () => void | Promise<void>;

/** What a fault acts on. */
export interface FaultTarget {
  readonly cluster: Cluster;
  /** The laptop of that index. */
  laptop(index: number): ClientNode;
  /** Kills a laptop's daemon, and its programs with it; with power, what was not synced is gone. */
  kill(client: ClientNode, how: 'killed' | 'power'): void;
  /** Takes a laptop away for good. */
  leaves(client: ClientNode): void;
  /** Starts a process that is down, and waits until it is up, has died on its way, or its disk did not let it come up. */
  start(node: ClientNode | Cluster['server']): Promise<void>;
  /**
   * A program of that laptop changes files: in its turn, as two that change one file at the same moment lose something on any
   * file system. Left out where the laptop is down or too busy. `run` says how it went; what it throws is a finding.
   */
  works(client: ClientNode, what: string, run: () => Promise<string>): void;
}

export interface FaultFamily {
  /** As `--faults` takes it. */
  readonly name: string;
  /** How often it is drawn beside the others, where a run has it; 0: only where nothing else is asked for. */
  readonly weight: number;
  /** Codes that a program may meet because of it, beside those it may always meet. */
  readonly programsMeet?: readonly ErrorCode[];
  draw(random: SeededRandom, settings: PlanSettings): FaultEvent;
  /** Gives how to end it; null where it is over, or makes no sense now. */
  begin(event: FaultEvent, target: FaultTarget): EndFault | null | Promise<EndFault | null>;
}
