/** A laptop as those who watch see it: what of it an observation tells. Nothing here changes anything. */
import type { VolumeId } from '../../../../shared/model/fid.ts';
import type { StatusSnapshot } from '../../../../shared/control/snapshot.ts';
import type { DaemonRuntime } from '../../../../daemon/runtime/daemon-runtime.ts';
import type { VirtualClock } from '../clock/virtual-clock.ts';
import type { MemoryDisk } from '../disk/memory-disk.ts';
import type { ReplicaState } from '../replica/memory-replica.ts';

export interface Laptop {
  readonly name: string;
  readonly volume: VolumeId;
  readonly frontEnd: 'folder' | 'none';
  readonly running: boolean;
  /** Of the running daemon. */
  readonly daemon: DaemonRuntime;
  readonly status: StatusSnapshot;
  readonly clock: VirtualClock;
  readonly disk: MemoryDisk;
  readonly replica: ReplicaState;
  lost(): string[];
}
