/** Versions of a file, what was deleted, and what an undo would do, one line each. */
import { sizeText } from '../../../shared/util/amounts.ts';
import type {
  RemovedReport,
  RestoreReport,
  VersionRow,
  VersionsReport,
} from '../../../shared/control/history.ts';
import { agoText } from './ago.ts';
import { clockText } from './clock.ts';
import { fileKind, type FileKind } from './file-kind.ts';
import { lineText, splitPath, unbroken } from './format.ts';
import { TEXT } from './text.ts';

export interface VersionLine {
  readonly number: number;
  readonly when: string;
  /** From which laptop, how large, and whether it is the present one. */
  readonly about: string;
  readonly canRestore: boolean;
}

const by = (who: string | null): string =>
  who === null ? TEXT.history.bySomebody : TEXT.history.by(lineText(who));

/** Newest first. `now`: milliseconds since 1970. */
export function versionLines({ versions, removed }: VersionsReport, now: number): VersionLine[] {
  return versions.map((row) => ({
    number: row.number,
    when: clockText(row.when, now),
    about: aboutText(row, removed === null),
    canRestore: row.kept && !(row.present && removed === null),
  }));
}

function aboutText({ by: who, size, present, kept }: VersionRow, isThere: boolean): string {
  const parts = [by(who), unbroken(sizeText(size))];
  if (present && isThere) parts.push(TEXT.history.present);
  if (!kept) parts.push(TEXT.history.notKept);
  return parts.join(', ');
}

export interface RemovedLine {
  readonly key: string;
  /** Names from the root of the volume. */
  readonly path: readonly string[];
  readonly name: string;
  readonly icon: FileKind;
  readonly about: string;
}

/** What was deleted last comes first. */
export function removedLines({ removed }: RemovedReport, now: number): RemovedLine[] {
  return removed
    .toSorted((a, b) => b.when - a.when)
    .map(({ path, kind, size, when, by: who }) => {
      const names = path.split('/').filter((name) => name !== '');
      const { name } = splitPath(path);
      const parts = [TEXT.history.deleted(agoText(when, now)), by(who)];
      if (kind === 'file') parts.push(unbroken(sizeText(size)));
      return {
        key: `${path} ${when}`,
        path: names,
        name: lineText(name),
        icon: kind === 'directory' ? 'folder' : kind === 'symlink' ? 'link' : fileKind(name),
        about: parts.join(', '),
      };
    });
}

/** What was brought back, and of what could not be the first. */
export function restoredText({ done, failed }: RestoreReport): string {
  const words = TEXT.history;
  const [first] = done;
  const parts =
    first === undefined
      ? [words.restoredNothing]
      : [done.length === 1 ? words.restored(lineText(first.to)) : words.restoredMany(done.length)];
  const [lost] = failed;
  if (lost !== undefined) {
    parts.push(words.failed(failed.length, `${lineText(lost.path)}: ${lineText(lost.message)}`));
  }
  return parts.join('; ');
}

export const UNDO_EXTENTS = ['last', 'five', 'hour', 'day'] as const;
export type UndoExtentName = (typeof UNDO_EXTENTS)[number];

const HOUR_MS = 3_600_000;

/** As the daemon takes it. `now`: milliseconds since 1970. */
export function undoExtent(name: UndoExtentName, now: number): object {
  switch (name) {
    case 'last':
      return { last: 1 };
    case 'five':
      return { last: 5 };
    case 'hour':
      return { since: now - HOUR_MS };
    case 'day':
      return { since: now - 24 * HOUR_MS };
  }
}

/** More are not read. */
const MOST_SHOWN = 20;

/** What an undo would do: each with what becomes of it, and how many are not among them. */
export function undoLines({ done, failed }: RestoreReport): { lines: string[]; more: number } {
  const all = [
    ...done.map(({ path, as, to, isLaidAside }) => {
      const beside = to === path ? '' : ` (${lineText(to)})`;
      return `${lineText(path)} ${TEXT.history.takenBack(as, isLaidAside)}${beside}`;
    }),
    ...failed.map(({ path, message }) => `${lineText(path)}: ${lineText(message)}`),
  ];
  return { lines: all.slice(0, MOST_SHOWN), more: Math.max(0, all.length - MOST_SHOWN) };
}
