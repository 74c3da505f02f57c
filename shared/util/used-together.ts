/** What was in the same spells of work: things that were together in more than one are worth having together. Pure. */

export interface Cluster<T> {
  /** In the order of the first spell that has them. */
  readonly things: readonly T[];
  /** In so many spells. */
  readonly times: number;
}

/**
 * Things that have exactly the same spells, and two of them at least. `apart`: what has another text never goes into one cluster; null: it goes into none.
 * The most frequent first, then the largest; nothing is in two, and none has fewer things than `least`.
 */
export function usedTogether<T>(
  spells: ReadonlyArray<ReadonlySet<T>>,
  { least, apart }: { readonly least: number; readonly apart: (thing: T) => string | null },
): Cluster<T>[] {
  const spellsOf = new Map<T, number[]>();
  for (const [index, spell] of spells.entries()) {
    for (const thing of spell) {
      const known = spellsOf.get(thing);
      if (known === undefined) spellsOf.set(thing, [index]);
      else known.push(index);
    }
  }
  const together = new Map<string, { things: T[]; times: number }>();
  for (const [thing, of] of spellsOf) {
    const kind = of.length < 2 ? null : apart(thing);
    if (kind === null) continue;
    const key = `${of.join()} ${kind}`;
    const cluster = together.get(key) ?? { things: [], times: of.length };
    cluster.things.push(thing);
    together.set(key, cluster);
  }
  const found = [...together.values()].filter(({ things }) => things.length >= least);
  return found.sort((a, b) => b.times - a.times || b.things.length - a.things.length);
}
