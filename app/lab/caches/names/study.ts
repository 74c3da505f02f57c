/** The runs of the study of names and attributes, and one of them carried out. */
import { NameCaches, type NameCounts } from './name-caches.ts';
import { CLIENTS, nameWorkload } from './workload.ts';

/** `seen`: as the processes ran. `home`: each as if it had never migrated. `pruned`: with what is idle forgotten, as in the paper. */
export const NAME_PARTS = ['seen', 'home', 'pruned'] as const;
export type NamePart = (typeof NAME_PARTS)[number];

export interface NamesCell {
  readonly part: NamePart;
  readonly seed: number;
  readonly lookups: number;
}

/** Section 3.1: not used for ten minutes. Seconds. */
const PRUNE_IDLE = 600;

/** `seeds`: as the paper has eight days. The other parts need one each. */
export function nameCells(parts: readonly NamePart[], seeds: number, lookups: number): NamesCell[] {
  return parts.flatMap((part) =>
    Array.from({ length: part === 'seen' ? seeds : 1 }, (_, n) => ({ part, seed: n + 1, lookups })),
  );
}

/** Carries out one run. The same cell gives the same result. */
export function runNames({ part, seed, lookups }: NamesCell): NameCounts {
  const caches = new NameCaches({
    clients: CLIENTS,
    atHome: part === 'home',
    pruneIdle: part === 'pruned' ? PRUNE_IDLE : null,
  });
  for (const operation of nameWorkload({ seed, lookups })) caches.take(operation);
  return caches.counts;
}
