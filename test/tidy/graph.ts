/** Questions to an import graph: is there a cycle, and what does nobody reach. */

type Graph = ReadonlyMap<string, readonly string[]>;

/** One cycle for each group of files that import each other, as the paths in order; [] for none. */
export function cycles(graph: Graph): string[][] {
  const found: string[][] = [];
  const done = new Set<string>();
  const trail: string[] = [];
  const visit = (path: string): void => {
    const seen = trail.indexOf(path);
    if (seen >= 0) {
      found.push([...trail.slice(seen), path]);
      return;
    }
    if (done.has(path)) return;
    trail.push(path);
    for (const next of graph.get(path) ?? []) visit(next);
    trail.pop();
    done.add(path);
  };
  for (const path of graph.keys()) visit(path);
  return found;
}

/** The files of the graph that no root reaches. */
export function unreached(graph: Graph, roots: Iterable<string>): string[] {
  const reached = new Set<string>();
  const waiting = [...roots];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    waiting.push(...(graph.get(path) ?? []));
  }
  return [...graph.keys()].filter((path) => !reached.has(path));
}
