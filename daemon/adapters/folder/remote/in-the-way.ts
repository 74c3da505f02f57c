/** What stands where something from elsewhere is to be, in words for its user; and what may be taken away of it. */
import { nameBehind } from '../../../../shared/model/placeholder-name.ts';
import type { Disk } from '../disk/disk.ts';
import type { IgnoreRules } from '../local/ignore-rules.ts';
import type { SafeRoot } from '../disk/safe-root.ts';

/** A folder of more names than this is not looked through to find words for it. */
const MOST_NAMES = 1000;

export interface InTheWay {
  readonly reason: string;
  /** The inode of a folder in which nothing is synced; null: it is none. */
  readonly leftOver: string | null;
}

interface WayParts {
  readonly root: SafeRoot;
  readonly files: Disk;
  readonly ignored: IgnoreRules;
}

/** What is said until somebody has looked. */
export const CHANGED_HERE = 'it has changed here, and is looked at first';

/** Why something can not have its place, from what stands there. Throws what the disk says. */
export function inTheWay(path: readonly string[], parts: WayParts): InTheWay {
  const { root, ignored } = parts;
  const name = path.at(-1) ?? '';
  const plain = (reason: string): InTheWay => ({ reason, leftOver: null });
  // Of the way to it nothing is known: what is in the folder at large is no reason.
  if (path.length === 0) return plain(CHANGED_HERE);
  const facts = root.facts(path.slice(0, -1), name);
  switch (facts?.kind) {
    case undefined:
      return plain(CHANGED_HERE);
    case 'other':
      return plain('a pipe, socket or device is in its place');
    case 'symlink':
      return plain('a link is in its place');
    case 'file':
      return plain(
        nameBehind(name) === null
          ? 'another file is in its place'
          : `your file “${name}” has the name that its placeholder is to have`,
      );
    case 'directory': {
      const inside = unsyncedIn(path, parts);
      if (inside === null) return plain('a folder is in its place');
      const { first, isAll } = inside;
      const what = ignored.isIgnored(path, true)
        ? 'an ignored folder is in its place'
        : `a folder that holds what is not synced (${first}) is in its place`;
      return { reason: what, leftOver: isAll ? facts.inode : null };
    }
  }
}

/** Whether nothing is left in what was left over; folders in it that are empty themselves are taken away. */
export function isEmptied(
  path: readonly string[],
  inode: string,
  parts: Omit<WayParts, 'ignored'>,
): boolean {
  const { root, files } = parts;
  const name = path.at(-1) ?? '';
  if (root.facts(path.slice(0, -1), name)?.inode !== inode) return false;
  const found = root.within(path, (base) =>
    files.names(base).map((each) => [each, root.factsAt(`${base}/${each}`)] as const),
  );
  return found.every(([each, facts]) => {
    const isBare = facts?.kind === 'directory' && isEmptied([...path, each], facts.inode, parts);
    if (isBare) root.within(path, (base) => files.removeDirectory(`${base}/${each}`));
    return isBare;
  });
}

/** The first thing in a folder that is not synced, and whether nothing else is in it; null: there is none, or it can't be told. */
function unsyncedIn(
  path: readonly string[],
  parts: WayParts,
): { first: string; isAll: boolean } | null {
  const { root, files, ignored } = parts;
  let first: string | null = null;
  let isAll = true;
  let left = MOST_NAMES;
  const open: string[][] = [[...path]];
  try {
    for (let dir = open.pop(); dir !== undefined; dir = open.pop()) {
      const at = dir;
      const found = root.within(at, (base) =>
        files
          .names(base)
          .sort()
          .map((name) => ({ name, kind: root.factsAt(`${base}/${name}`)?.kind })),
      );
      for (const { name, kind } of found) {
        if (left-- === 0) return first === null ? null : { first, isAll: false };
        const below = [...at, name];
        const isUnsynced = kind === 'other' || ignored.isIgnored(below, kind === 'directory');
        if (isUnsynced) first ??= below.join('/');
        else if (kind === 'directory') open.push(below);
        else isAll = false;
      }
    }
  } catch {
    // It changes, or is not ours to read.
    return first === null ? null : { first, isAll: false };
  }
  return first === null ? null : { first, isAll };
}
