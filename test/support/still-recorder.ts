/** A recorder whose time stands still, unless its owner moves it; and whether what it hands over is well-formed. */
import { VirtualClock, VirtualTimers } from '../../app/sim/clock/virtual-clock.ts';
import { VirtualTime } from '../../app/sim/clock/virtual-time.ts';
import { Recorder } from '../../daemon/adapters/record/recorder.ts';
import type { TraceRecord } from '../../shared/trace/record.ts';
import { recordFault } from '../../shared/trace/trace-line.ts';
import { SILENT } from './silent-log.ts';

export function stillRecorder(time = new VirtualTime()): Recorder {
  const timers = new VirtualTimers(time, 'recorder');
  return new Recorder({ clock: new VirtualClock(time), timers, log: SILENT });
}

/** What is wrong with each that is not well-formed. */
export const faultsIn = (records: readonly TraceRecord[]): string[] =>
  records.flatMap((record) => recordFault(record) ?? []);
