/** Every family of faults, by the names that `--faults` takes. */
import type { FaultFamily } from './fault.ts';
import { networkCut } from './network-cut.ts';
import { daemonEnd, serverEnd } from './process-end.ts';

export const FAULTS: readonly FaultFamily[] = [networkCut, daemonEnd, serverEnd];
