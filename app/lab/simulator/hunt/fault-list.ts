/** What `--faults` takes: names with commas between them, `all`, `none`, and `-name` for all but that one. */
import type { FaultFamily } from '../fault/fault.ts';
import { UsageError } from './usage-error.ts';

/**
 * Reads the value of `--faults`, and gives the families that it names, in the order of these lists. Those of `named` are not meant by `all`.
 * Throws UsageError for a name that is not known.
 */
export function faultsOf(
  list: string,
  usual: readonly FaultFamily[],
  named: readonly FaultFamily[] = [],
): FaultFamily[] {
  const words = list.split(',').map((word) => word.trim());
  const chosen = new Set<string>();
  const known = [...usual, ...named];
  const all = usual.map(({ name }) => name);
  const names = known.map(({ name }) => name);
  // `-suspend` alone means what a person means by it.
  if (words[0]?.startsWith('-') === true) for (const name of all) chosen.add(name);
  for (const word of words) {
    if (word === 'all') for (const name of all) chosen.add(name);
    else if (word === 'none') chosen.clear();
    else if (word.startsWith('-')) chosen.delete(checked(word.slice(1), names));
    else chosen.add(checked(word, names));
  }
  return known.filter(({ name }) => chosen.has(name));
}

function checked(name: string, all: readonly string[]): string {
  if (all.includes(name)) return name;
  const reason = name === '' ? 'a name is missing' : `no fault is called ${name}`;
  throw new UsageError('--faults', reason, `use all, none, or names of ${all.join(', ')}`);
}
