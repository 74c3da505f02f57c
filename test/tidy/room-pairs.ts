/**
 * Rooms of a folder that import each other, types included. A file beside the rooms counts as a room of its own, unless it is said to
 * compose them.
 */
import { importGraph } from './imports.ts';
import type { SourceFile } from './repository.ts';

/** Each pair once, as `one <-> other`, in order. Tests do not count. */
export function roomPairs(
  files: readonly SourceFile[],
  folder: string,
  composing: readonly string[],
): string[] {
  const roomOf = (path: string): string | null => {
    if (!path.startsWith(`${folder}/`) || path.endsWith('.test.ts')) return null;
    const [room = ''] = path.slice(folder.length + 1).split('/');
    return composing.includes(room) ? null : room;
  };
  const arrows = new Set<string>();
  const product = files.filter(({ path }) => roomOf(path) !== null);
  for (const [path, targets] of importGraph(product)) {
    const from = roomOf(path);
    for (const target of targets) {
      const to = roomOf(target);
      if (from !== null && to !== null && from !== to) arrows.add(`${from} -> ${to}`);
    }
  }
  const pairs: string[] = [];
  for (const arrow of arrows) {
    const [from = '', to = ''] = arrow.split(' -> ');
    if (from < to && arrows.has(`${to} -> ${from}`)) pairs.push(`${from} <-> ${to}`);
  }
  return pairs.sort();
}
