/**
 * A program of the simulated world: it makes some calls, lets others have their turn, and goes on. Between two of its steps anything may happen: other
 * programs, the daemon, the end of the machine.
 *
 * What it yields is how many milliseconds it rests at least. What a call throws ends it, as most programs end: a file that it wanted is not there any more.
 */
import type { Hand } from '../hand.ts';

export type Program = Generator<number, void, void>;

export interface ProgramKind {
  readonly name: string;
  /** How often it is drawn. */
  readonly weight: number;
  /** Whose process it is; the person's where nothing is said. */
  readonly who?: 'person' | 'root';
  readonly run: (hand: Hand) => Program;
}

/** Lets others have their turn. */
export const SOON = 0;
