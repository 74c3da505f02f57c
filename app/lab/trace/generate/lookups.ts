/**
 * The lookups of the names study as a trace of many machines: those that `godwit bench names` takes for an hour or less of a network of
 * workstations (app/lab/caches/names/workload.ts).
 */
import { CLIENTS, nameWorkload, type Operation } from '../../caches/names/workload.ts';
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import { flagsOf, type TraceRecord } from '../record.ts';
import type { Generator, Workload } from './workload.ts';

/** Some twenty minutes. */
const LOOKUPS = 20_000;
const MACHINE = 'machine-';

const machine = (number: number): string => MACHINE + String(number).padStart(2, '0');

/** Names of directories and files can not be the same one: a name stands for one of them. */
const pathOf = ({ path, isTmp }: Operation): string =>
  path
    .map(({ entry, file }, place) => {
      if (place === 0 && isTmp) return '/tmp';
      const kind = file === null ? 'missing' : place < path.length - 1 ? 'directory' : 'file';
      return `/${kind}-${entry}`;
    })
    .join('');

/**
 * Generates the lookups of a network of workstations (Shirriff and Ousterhout 1992, tables 2 to
 * 4): each record has the machine where it was done, and that of its user where the process had
 * migrated. A change of a name is a new file, or one that is renamed over what was there.
 */
export function lookupsWorkload(random: SeededRandom): Workload {
  const seen = new Set<string>();
  const records: TraceRecord[] = [];
  let replaced = 0;
  const seed = random.below(2 ** 31);
  for (const operation of nameWorkload({ seed, lookups: LOOKUPS })) {
    const { client, home } = operation;
    const path = pathOf(operation);
    const did = (told: Pick<TraceRecord, 'op' | 'path' | 'to' | 'flags'>): void => {
      records.push({
        at: Math.round(operation.at * 1e6),
        client: machine(client),
        ...(home === client ? {} : { home: machine(home) }),
        pid: 1000 + home,
        ...told,
      });
    };
    const makes = (made: string): void => {
      did({ op: 'create', path: made, flags: flagsOf('write') });
      did({ op: 'close', path: made });
    };
    if (operation.changes === 'attributes') did({ op: 'setattr', path });
    else if (operation.changes === 'nothing') {
      const isMissing = operation.path.at(-1)?.file === null;
      did({ op: 'getattr', path, flags: isMissing ? flagsOf('not-found') : undefined });
    } else if (seen.has(path)) {
      const fresh = `${path}~${(replaced += 1)}`;
      makes(fresh);
      did({ op: 'rename', path: fresh, to: path });
    } else makes(path);
    seen.add(path);
  }
  return { groups: [], records };
}

export const LOOKUPS_WORKLOAD: Readonly<Record<string, Generator>> = {
  lookups: {
    about: `names: ${LOOKUPS} lookups of ${CLIENTS} machines, of which some processes migrated`,
    make: lookupsWorkload,
  },
};
