/**
 * What can be searched: a world that begins somewhere, with what may happen next in it and what then is. The protocol of
 * one volume is the first machine (`actions.ts`). Worlds of one subject each stand beside it (`cells/`), told by
 * `worldOfMoves`.
 */
import { copyOf } from './state.ts';
import type { Finding, PromiseName } from './world.ts';

export interface Reached<S> {
  readonly state: S;
  readonly findings: readonly Finding[];
  readonly said: readonly string[] | null;
}

export interface Machine<S, A> {
  readonly start: S;
  /** All that may happen, in a fixed order. */
  readonly actions: (state: S) => readonly A[];
  readonly apply: (state: S, action: A, tells: boolean) => Reached<S>;
  /** Equal states have equal keys. */
  readonly keyOf: (state: S) => number;
}

/** Who listens to a step: sentences of the story, and promises that it breaks. */
export interface Teller {
  readonly say: (text: string) => void;
  readonly find: (promise: PromiseName, text: string) => void;
}

/** One thing that may happen. It changes the state that it is given, and keeps none of another. */
export interface Move<S> {
  readonly says: string;
  readonly run: (state: S, tell: Teller) => void;
}

/** A world of moves: what may happen, and what must hold in each state. */
export interface WorldOfMoves<S> {
  readonly start: S;
  readonly moves: (state: S) => readonly Move<S>[];
  readonly check: (state: S, tell: Teller) => void;
}

/** Makes a world of moves searchable. Its state is a tree of arrays and plain objects whose keys have a fixed order. */
export function machineOfMoves<S extends object>(
  world: WorldOfMoves<S>,
  hash: (text: string) => number,
): Machine<S, Move<S>> {
  return {
    start: world.start,
    actions: world.moves,
    keyOf: (state) => hash(JSON.stringify(state)),
    apply: (before, move, tells) => {
      const state = copyOf(before);
      const findings: Finding[] = [];
      const said = [move.says];
      const tell: Teller = {
        say: (text) => said.push(text),
        find: (promise, text) => findings.push({ promise, text }),
      };
      move.run(state, tell);
      world.check(state, tell);
      return { state, findings, said: tells ? said : null };
    },
  };
}

/** The moves that may happen now, of a list in which some may not. */
export function possible<S>(moves: readonly (Move<S> | false)[]): Move<S>[] {
  return moves.filter((move) => move !== false);
}
