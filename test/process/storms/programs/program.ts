/** What a real program does on a laptop in a storm: a line of shell, drawn from a seed. */
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';

export interface StormProgram {
  readonly name: string;
  /** What it needs on this machine. */
  readonly tools: readonly string[];
  /**
   * The line; it runs in the synced folder. `$PREPARED` has what the programs begin with, `$OUTSIDE` is a folder beside the synced one, and `token`
   * is a word that nobody else writes.
   */
  readonly script: (random: SeededRandom, token: string) => string;
}

/** Where programs work together: what they do there touches these folders alone. */
export interface Scope {
  readonly name: string;
  readonly folders: readonly string[];
  /** Two laptops may work there at once, as two people do. */
  readonly isShared: boolean;
  readonly programs: readonly StormProgram[];
}

/** The first words of a line that runs in a folder of the scope, which is there then. */
export const inFolder = (folder: string): string => `mkdir -p ${folder} && cd ${folder} && `;
