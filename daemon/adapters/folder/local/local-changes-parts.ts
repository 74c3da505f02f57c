/** What finding and logging local changes works with. */
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { Feed } from '../../../../shared/ports/feed.ts';
import type { FileSystem } from '../../../../shared/ports/file-system.ts';
import type { Disk } from '../disk/disk.ts';
import type { Log } from '../../../../shared/ports/log.ts';
import type { Disks } from '../disk/folder-disks.ts';
import type { RootPresence } from '../disk/root-presence.ts';
import type { SafeRoot } from '../disk/safe-root.ts';
import type { ErrorBoard } from '../error-board.ts';
import type { FolderEvents } from '../folder-events.ts';
import type { FolderLimits } from '../folder-limits.ts';
import type { LetOthersRun } from '../yielder.ts';
import type { PlaceholderLook } from '../placeholders/placeholder-look.ts';
import type { TidyPlaceholders } from '../placeholders/tidy-placeholders.ts';
import type { OwnCopies } from '../records/own-copies.ts';
import type { ExcludedPlaces } from '../records/excluded-places.ts';
import type { FolderRecords } from '../records/folder-records.ts';
import type { HeldRows } from '../records/held-rows.ts';
import type { MountPoints } from '../records/mount-points.ts';
import type { KeptStates } from '../kept-states.ts';
import type { SaveRecords } from '../records/save-records.ts';
import type { UpdateNotes } from '../records/update-notes.ts';
import type { DirtyPaths } from '../watch/dirty-paths.ts';
import type { OutsideLinks } from '../watch/outside-links.ts';
import type { DiskLook } from './disk-look.ts';
import type { FailedChanges } from './failed-changes.ts';
import type { ForgottenNames } from './forgotten-names.ts';
import type { HeldRemovalsParts } from './held-removals.ts';
import type { IgnoreRules } from './ignore-rules.ts';
import type { MountGuard } from './mount-guard.ts';
import type { PowerLoss } from './power-loss.ts';

export interface LocalChangesParts {
  readonly root: SafeRoot;
  readonly presence: Pick<RootPresence, 'isThere'>;
  readonly records: FolderRecords;
  readonly heldRows: HeldRows;
  readonly save: Pick<SaveRecords, 'now'>;
  readonly dirty: DirtyPaths;
  readonly look: DiskLook;
  readonly ignored: IgnoreRules;
  readonly board: ErrorBoard;
  readonly mounts: MountGuard;
  /** Whether another volume is kept in that directory, and whether this inode is in another one now. */
  readonly mountPoints: HeldRemovalsParts['mountPoints'] &
    Pick<MountPoints, 'standsElsewhere' | 'heardElsewhere'>;
  /** The folder is a mounted volume in another folder. */
  readonly mounted?: boolean | undefined;
  readonly limits: FolderLimits;
  readonly clock: Clock;
  readonly letOthersRun: LetOthersRun;
  readonly log: Log;
  readonly files: Disk;
  readonly disks: Disks;
  readonly feed: Feed;
  readonly fileSystem: FileSystem;
  readonly notes: UpdateNotes;
  readonly failures: FailedChanges;
  readonly forgotten: ForgottenNames;
  readonly placeholders: Pick<PlaceholderLook, 'takeFindings'>;
  readonly tidy: TidyPlaceholders;
  /** Folders that were left over by a folder that went elsewhere, and are in the way of something. */
  readonly excluded: ExcludedPlaces;
  readonly unplaced: { isLeftOver(inode: string): boolean };
  readonly outside: Pick<OutsideLinks, 'found'>;
  readonly events: FolderEvents;
  readonly store: KeptStates;
  readonly powerLoss: Pick<PowerLoss, 'meant'>;
  readonly ownCopies: Pick<OwnCopies, 'markOf' | 'told'>;
  /** Resolves when the watcher has told what has happened by now. */
  readonly heard: () => Promise<void>;
}
