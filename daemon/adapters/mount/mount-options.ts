/** What a mount is made of. */
import type { VolumeInfo } from '../../../shared/model/change.ts';
import type { VolumeId } from '../../../shared/model/fid.ts';
import type { CommitNumber } from '../../../shared/model/vnode.ts';
import type { Timers } from '../../../shared/ports/clock.ts';
import type { Feed, PresentContents, VolumesSeen } from '../../../shared/ports/feed.ts';
import type { FileSystem } from '../../../shared/ports/file-system.ts';
import type { Log } from '../../../shared/ports/log.ts';

export interface MountOptions {
  /** Where it is mounted: an empty folder. */
  readonly root: string;
  readonly volume: VolumeInfo;
  readonly dataDir: string;
  /** What programs did is told here. */
  readonly fileSystem: FileSystem;
  /** As programs have it: names lead across mount points, and into snapshots. */
  readonly shown: FileSystem;
  readonly feed: Feed & PresentContents & VolumesSeen;
  readonly timers: Timers;
  readonly log: Log;
  /** What the core shows of a volume includes this commit. */
  readonly at: (volume: VolumeId) => CommitNumber;
  /** What the system calls this start of the machine; null: unknown. */
  readonly boot: string | null;
}
