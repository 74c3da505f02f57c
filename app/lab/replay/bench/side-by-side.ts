/** The tests of two programs side by side (MFS, section 3.4): one in the foreground, one in the background. */
import type { Scheduling } from '../../../../shared/model/scheduling.ts';
import type { WritebackPolicy } from '../../../../shared/model/writeback.ts';
import { constant, type Cell } from './cell.ts';

export interface SideBySide {
  readonly name: string;
  readonly workload: string;
  readonly foreground: 'grep' | 'read';
  readonly background: 'compile' | 'write';
}

export const TESTS: readonly SideBySide[] = [
  { name: 'GC', workload: 'grep-compile', foreground: 'grep', background: 'compile' },
  { name: 'GW', workload: 'grep-write', foreground: 'grep', background: 'write' },
  { name: 'RC', workload: 'read-compile', foreground: 'read', background: 'compile' },
  { name: 'RW', workload: 'read-write', foreground: 'read', background: 'write' },
];

export interface How {
  readonly policy: WritebackPolicy;
  readonly scheduling: Scheduling;
  /** Each file is asked for by itself when its promise is gone, as AFS has it; left out: with the rest of its directory. */
  readonly asksEach?: true;
}

/** The conditions of a run. Grep's files are in the cache, without promises unless `promised` is given. */
export function cellOf(
  workload: string,
  { policy, scheduling, asksEach }: How,
  kilobytes: number,
  promises: 'expired' | 'valid' = 'expired',
): Cell {
  const greps = workload.startsWith('grep');
  return {
    workload,
    policy,
    scheduling,
    rate: constant(kilobytes),
    warm: greps ? ['/grep/'] : [],
    expired: greps && promises === 'expired',
    ...(asksEach === true ? { consistency: { validations: 'each' } } : {}),
  };
}
