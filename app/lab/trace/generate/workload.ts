/** What a generator makes: records, and the file groups that belong to them. */
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { TraceRecord } from '../record.ts';
import type { TraceGroup } from '../trace-line.ts';

export interface Workload {
  readonly groups: readonly TraceGroup[];
  readonly records: readonly TraceRecord[];
}

export interface Generator {
  /** One line for people. */
  readonly about: string;
  readonly make: (random: SeededRandom) => Workload;
}
