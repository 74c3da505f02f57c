/** A conflict as two sides beside each other. */
import { diffArrays } from 'diff';
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

/** With more lines that differ all of them do: to find which is long work, and tells a person nothing. */
const MOST_CHANGED = 1000;

/** The lines of both texts, and which of them the other one does not have at that place. */
export function compareLines(a: string, b: string): [ComparedLine[], ComparedLine[]] {
  const [left, right] = [a.split('\n'), b.split('\n')];
  const changes = diffArrays(left, right, { maxEditLength: MOST_CHANGED });
  const marked = (lines: readonly string[], differs: boolean): ComparedLine[] =>
    lines.map((text) => ({ text, differs }));
  if (changes === undefined) return [marked(left, true), marked(right, true)];
  return [
    changes.flatMap(({ value, added, removed }) => (added ? [] : marked(value, removed))),
    changes.flatMap(({ value, added, removed }) => (removed ? [] : marked(value, added))),
  ];
}
