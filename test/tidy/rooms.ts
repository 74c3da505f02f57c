/** Questions to an import graph about rooms, which are sets of files. */

type Graph = ReadonlyMap<string, readonly string[]>;

/** The pairs of rooms that import each other, each with the files that do. `roomOf` null: the file is in none. */
export function mutualPairs(graph: Graph, roomOf: (path: string) => string | null): string[] {
  const importers = new Map<string, Set<string>>();
  for (const [path, targets] of graph) {
    const room = roomOf(path);
    for (const target of targets) {
      const other = roomOf(target);
      if (room === null || other === null || room === other) continue;
      const arrow = `${room} > ${other}`;
      importers.set(arrow, (importers.get(arrow) ?? new Set()).add(path));
    }
  }
  const pairs: string[] = [];
  for (const [arrow, there] of importers) {
    const [room = '', other = ''] = arrow.split(' > ');
    const back = importers.get(`${other} > ${room}`);
    if (back === undefined || room > other) continue;
    pairs.push(`${room} and ${other}: ${[...there, ...back].join(', ')}`);
  }
  return pairs.sort();
}
