/** A recorder whose time stands still, unless its owner moves it; and whether what it hands over is well-formed. */
import { VirtualClock, VirtualTimers } from '../../app/lab/simulator/clock/virtual-clock.ts';
import { VirtualTime } from '../../app/lab/simulator/clock/virtual-time.ts';
import { Recorder } from '../../app/lab/trace/recorder/recorder.ts';
import type { TraceRecord } from '../../app/lab/trace/record.ts';
import { recordFault } from '../../app/lab/trace/trace-line.ts';
import { SILENT } from './silent-log.ts';

/** A recorder with a clock in the hand of a test. */
export function stillRecorder(
  time = new VirtualTime(),
  client: () => string | undefined = () => undefined,
): Recorder {
  const timers = new VirtualTimers(time, 'recorder');
  return new Recorder({ clock: new VirtualClock(time), timers, log: SILENT, client });
}

/** The faults of invalid records. */
export const faultsIn = (records: readonly TraceRecord[]): string[] =>
  records.flatMap((record) => recordFault(record) ?? []);
