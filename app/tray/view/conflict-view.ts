/** A conflict as two sides beside each other. */
import type { ConflictStatus } from '../../../shared/control/snapshot.ts';
import { TEXT } from './text.ts';

export interface Side {
  readonly whose: 'mine' | 'theirs';
  /** From the root of the volume. */
  readonly path: string;
  /** Where it is, in words; with whose it is, and without. */
  readonly where: string;
  readonly place: string;
}

export interface ConflictView {
  readonly title: string;
  /** Theirs first; one where only one is there. */
  readonly sides: readonly Side[];
}

/**
 * Describes a conflict for the page: its title, and the sides that exist.
 */
export function conflictView({ path, copy, kind, gone = [] }: ConflictStatus): ConflictView {
  const { theirs, mine, atItsPlace, keptBeside, noLongerThere } = TEXT.conflict;
  const isGone = (at: string): boolean => gone.some((place) => at === { path, copy }[place]);
  const side = (whose: Side['whose'], at: string, place: string): Side => ({
    whose,
    path: at,
    where: `${whose === 'mine' ? mine : theirs}, ${isGone(at) ? noLongerThere : place}`,
    place: isGone(at) ? noLongerThere : place,
  });
  const sides = (): Side[] => {
    if (kind === 'elsewhere') {
      return [side('theirs', copy, keptBeside), side('mine', path, atItsPlace)];
    }
    // A change of names lost, and no contents with it: there is one thing, and it has one name.
    if (kind === 'rename-undone' || kind === 'removal-undone') {
      return [side('theirs', copy, atItsPlace)];
    }
    if (kind === 'too-deep') return [side('mine', copy, atItsPlace)];
    if (kind === 'renamed-removed') return [side('mine', path, atItsPlace)];
    if (path === copy) return [side('mine', path, atItsPlace)];
    return [side('theirs', path, atItsPlace), side('mine', copy, keptBeside)];
  };
  return {
    title: TEXT.conflict.kind(kind),
    sides: sides(),
  };
}

export interface ComparedLine {
  readonly text: string;
  readonly differs: boolean;
}

/** Lines that the two sides do not have in common at their beginnings and ends: what a person looks at first. */
export function compareLines(a: string, b: string): [ComparedLine[], ComparedLine[]] {
  const [left, right] = [a.split('\n'), b.split('\n')];
  const most = Math.min(left.length, right.length);
  let head = 0;
  while (head < most && left[head] === right[head]) head += 1;
  let tail = 0;
  while (tail < most - head && left.at(-1 - tail) === right.at(-1 - tail)) tail += 1;
  const marked = (lines: readonly string[]): ComparedLine[] =>
    lines.map((text, at) => ({ text, differs: at >= head && at < lines.length - tail }));
  return [marked(left), marked(right)];
}
