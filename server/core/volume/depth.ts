/**
 * How deep directories may lie (MAX_DEPTH): a walk from one up to the root takes so many steps at most.
 *
 * A new directory is looked at exactly. A directory that is moved takes along what is below it, and to measure that would take as long as it is
 * large. So a bound for the whole volume is kept: nothing below the moved one is further from it than the deepest of the volume from the place where
 * it was. Each move downwards may raise the bound above what is true. Only where it stands in the way something is measured: the volume anew where
 * many moves have raised it, and else what is moved.
 *
 * Invariants
 * 1. No walk assumes that the limit holds: older servers kept none, and a database may be damaged. What is too deep is refused, and the rest of its
 *    batch goes on.
 * 2. Rows that are staged count as those that are committed.
 */
import {
  ROOT_VNODE,
  parseFid,
  rootOf,
  type Fid,
  type VolumeId,
} from '../../../shared/model/fid.ts';
import { MAX_DEPTH, MEASURE_AGAIN, MOST_MEASURED } from '../../limits.ts';
import type { RowView } from '../commit/row-view.ts';

/** How deep the directories of a volume may be; the root is at 0. */
export interface DepthBound {
  /** No directory of the volume is deeper; null: that is not known. */
  readonly deepest: number | null;
  /** The deepest that was made since this server began. */
  readonly made: number;
  /** What `deepest` was when it was measured last. */
  readonly measured: number;
}

const UNMEASURED: DepthBound = { deepest: null, made: 0, measured: 0 };

/** What a volume knows of its depth. It is not taken back with a failed group: the bound is then above what is true, which is allowed. */
export class KnownDepth {
  #bound = UNMEASURED;
  #stagedIn = 0;

  get bound(): DepthBound {
    return this.#bound;
  }

  /** The group in which a directory was made or moved last. */
  get stagedIn(): number {
    return this.#stagedIn;
  }

  /** A directory was made or moved in this group. */
  put(bound: DepthBound, group: number): void {
    this.#bound = bound;
    this.#stagedIn = group;
  }
}

/** What a walk up from a directory comes to. `unknown`: rows are missing, and the decision is made again. */
export type Climb = number | 'within' | 'too-deep' | 'unknown';

/** How many directories are above `start`; or whether `ancestor` is one of them, or `start` itself. */
export function climb(view: RowView, start: Fid, ancestor: Fid | null): Climb {
  let directory: Fid | null = start;
  for (let above = 0; directory !== null; above++) {
    if (directory === ancestor) return 'within';
    const known = ancestor === null ? view.depths.get(directory) : undefined;
    if (known !== undefined) return depthAt(view, start, above + known);
    if (parseFid(directory)?.vnode === ROOT_VNODE) return depthAt(view, start, above);
    if (above >= MAX_DEPTH) return 'too-deep';
    directory = view.parent(directory);
  }
  return 'unknown';
}

function depthAt(view: RowView, start: Fid, depth: number): Climb {
  if (depth > MAX_DEPTH) return 'too-deep';
  view.depths.set(start, depth);
  return depth;
}

/** A directory was made so deep. */
export function withMade(bound: DepthBound, depth: number): DepthBound {
  const made = Math.max(bound.made, depth);
  const deepest = bound.deepest === null ? null : Math.max(bound.deepest, depth);
  return made === bound.made && deepest === bound.deepest ? bound : { ...bound, made, deepest };
}

interface Move {
  readonly fid: Fid;
  readonly volume: VolumeId;
  /** How deep it is, and is to be. */
  readonly from: number;
  readonly to: number;
}

/** A directory is moved, with all that is below it: the bound then. `staged`: what a measurement must see is not committed yet. */
export function withMoved(
  volume: VolumeDepth,
  move: Move,
  view: RowView,
): DepthBound | 'too-deep' | 'unknown' | 'staged' {
  const { to, from } = move;
  const { bound, stagedIn: asOf, durable } = volume;
  if (to > MAX_DEPTH) return 'too-deep';
  if (to <= from) return bound;
  // While it is not known no move downwards is let through, and what was made is counted.
  const first = bound.deepest === null ? measured(bound, move, view, 0) : bound;
  if (first === 'unknown') return first;
  if (reach(first, move) <= MAX_DEPTH) return withDeepest(first, reach(first, move));
  if (asOf > durable) return 'staged';
  const again = isOld(first) ? measured(first, move, view, asOf) : first;
  if (again === 'unknown') return again;
  if (reach(again, move) <= MAX_DEPTH) return withDeepest(again, reach(again, move));
  const height = view.height(move.fid, MOST_MEASURED, asOf);
  if (height === null) return 'unknown';
  return to + height > MAX_DEPTH ? 'too-deep' : withDeepest(again, to + height);
}

/** What a volume has of this. */
export interface VolumeDepth {
  readonly bound: DepthBound;
  /** The group in which a directory was made or moved last. */
  readonly stagedIn: number;
  /** The newest durable one. */
  readonly durable: number;
}

function measured(
  bound: DepthBound,
  { volume }: Move,
  view: RowView,
  asOf: number,
): DepthBound | 'unknown' {
  const height = view.height(rootOf(volume), null, asOf);
  if (height === null) return 'unknown';
  // What was made may not have been committed then.
  const deepest = Math.max(height, bound.made);
  return { ...bound, deepest, measured: deepest };
}

/** So many moves have raised it that another measurement may come to less. */
function isOld({ deepest, measured: before }: DepthBound): boolean {
  return (deepest ?? 0) - before >= MEASURE_AGAIN;
}

function reach({ deepest }: DepthBound, { from, to }: Move): number {
  return to + Math.max(0, (deepest ?? MAX_DEPTH) - from);
}

function withDeepest(bound: DepthBound, deepest: number): DepthBound {
  return { ...bound, deepest: Math.max(bound.deepest ?? 0, deepest) };
}
