/** How many directories are below one another in one, level by level. */
import type { Fid } from '../../../shared/model/fid.ts';
import { MAX_DEPTH } from '../../limits.ts';
import type { Statements } from './statements.ts';
import { partsOf, presentVnode } from './vnode-row.ts';

const DIRECTORIES_IN =
  'SELECT vnode.vnode, vnode.uniquifier, vnode.entries FROM entry INDEXED BY entry_present' +
  ' JOIN vnode INDEXED BY vnode_present ON vnode.volume = entry.volume' +
  ' AND vnode.vnode = entry.vnode AND vnode.uniquifier = entry.uniquifier' +
  " AND vnode.to_commit IS NULL AND vnode.kind = 'directory'" +
  ' WHERE entry.volume = ? AND dir_vnode = ? AND dir_uniquifier = ? AND entry.to_commit IS NULL';

interface Directory {
  readonly vnode: number;
  readonly uniquifier: number;
  readonly entries: number;
}

/** Looks at `most` names; with more (null: without a bound), or in a damaged database, it is more than MAX_DEPTH. */
export function heightOf(statements: Statements, directory: Fid, most: number | null): number {
  const parts = partsOf(directory);
  const top = presentVnode(statements, parts);
  let level: readonly Directory[] = top === null ? [] : [top];
  let left = most ?? Number.POSITIVE_INFINITY;
  for (let height = 0; height <= MAX_DEPTH; height++) {
    const next: Directory[] = [];
    for (const { vnode, uniquifier, entries } of level) {
      if (entries === 0) continue;
      left -= entries;
      if (left < 0) return MAX_DEPTH + 1;
      next.push(...statements.all<Directory>(DIRECTORIES_IN, parts.volume, vnode, uniquifier));
    }
    if (next.length === 0) return height;
    level = next;
  }
  return MAX_DEPTH + 1;
}
