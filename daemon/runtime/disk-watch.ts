/** Looks every so often how much room the disk has, and tells the core. */
import type { Timers, TimerHandle } from '../../shared/ports/clock.ts';
import type { ErrorStatus } from '../../shared/control/snapshot.ts';
import type { FreeDiskSpace } from '../../shared/model/cache.ts';
import type { Log } from '../../shared/ports/log.ts';
import { ERROR_CODES } from '../../shared/wire/error-codes.ts';
import type { Event } from '../core/events.ts';
import { DISK_LOOK } from '../limits.ts';

export interface DiskWatchPorts {
  /** Throws the disk's error. Absent: the space is not measured. */
  readonly diskRoom?: () => FreeDiskSpace;
  readonly timers: Timers;
  readonly log: Log;
}

/**
 * Measures the free space of the disk at intervals and posts an event to the core if it has
 * changed.
 */
export class DiskWatch {
  readonly #ports: DiskWatchPorts;
  readonly #post: (event: Event) => void;
  #timer: TimerHandle | null = null;
  readonly #parts: () => number;
  #last: (FreeDiskSpace & { readonly parts: number }) | null = null;

  /** `parts`: bytes of contents that came in part and are kept. */
  constructor(ports: DiskWatchPorts, post: (event: Event) => void, parts = (): number => 0) {
    this.#ports = ports;
    this.#post = post;
    this.#parts = parts;
  }

  /** Measures now and every DISK_LOOK from now on, until `close`. An unchanged value is not posted. */
  look(): void {
    const { diskRoom, timers, log } = this.#ports;
    if (diskRoom === undefined) return;
    this.#timer?.cancel();
    try {
      const [room, parts, last] = [diskRoom(), this.#parts(), this.#last];
      const isAsBefore =
        room.free === last?.free && room.total === last.total && parts === last.parts;
      if (!isAsBefore) this.#post({ kind: 'disk', room, parts });
      this.#last = { ...room, parts };
    } catch (error) {
      log.warn('the free space of the disk can not be measured', { why: String(error) });
    }
    this.#timer = timers.start(DISK_LOOK, () => this.look());
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }
}

/** For the status: the disk has no room for what is to be recorded. */
export function diskFull(): ErrorStatus {
  const { summary, remedy } = ERROR_CODES['disk-full'];
  return { code: 'disk-full', message: summary, remedy, path: null };
}
