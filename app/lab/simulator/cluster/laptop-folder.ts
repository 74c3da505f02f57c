/** What keeps the folder of a laptop where no replica in memory stands in for it. What it has on its disk outlives the daemon. */
import type { DaemonRuntime } from '../../../../daemon/runtime/daemon-runtime.ts';
import type { MemoryDisk } from '../disk/memory-disk.ts';
import type { ProcessLife } from '../process/life.ts';
import type { Log } from '../../../../shared/ports/log.ts';
import type { VirtualClock } from '../clock/virtual-clock.ts';

/** One life of its daemon. */
export interface OpeningFolder {
  readonly runtime: DaemonRuntime;
  readonly life: ProcessLife;
  readonly clock: VirtualClock;
  readonly log: Log;
  /** Where the daemon's stores are; what they hand out are paths of it. */
  readonly stores: MemoryDisk;
}

export interface LaptopFolder {
  /** The daemon has come up: the folder is opened beside it, and attached when it is open. */
  open(opening: OpeningFolder): void;
  /** The machine loses power; nothing of it runs. */
  losePower(): void;
  /** Its records are not to be used any more. */
  setAside(): void;
}
