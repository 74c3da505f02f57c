/** What finding local changes stands on. */
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { Host } from '../../../../shared/ports/host.ts';
import type { Log } from '../../../../shared/ports/log.ts';
import type { DirtyPaths } from '../watch/dirty-paths.ts';
import type { DiskLook } from './disk-look.ts';
import type { ErrorBoard } from '../error-board.ts';
import type { FolderLimits } from '../folder-limits.ts';
import type { FolderRecords } from '../records/folder-records.ts';
import type { IgnoreRules } from './ignore-rules.ts';
import type { LocalPlan } from './local-plan.ts';
import type { Ref } from '../records/order-names.ts';
import type { Finding } from '../placeholders/placeholder-look.ts';
import type { MountGuard } from './mount-guard.ts';
import type { OutsideLinks } from '../watch/outside-links.ts';
import type { SafeRoot } from '../disk/safe-root.ts';
import type { TidyPlaceholders } from '../placeholders/tidy-placeholders.ts';

export interface LocalChangesParts {
  readonly root: SafeRoot;
  readonly records: FolderRecords;
  readonly dirty: DirtyPaths;
  readonly look: DiskLook;
  readonly ignored: IgnoreRules;
  readonly board: ErrorBoard;
  readonly mounts: MountGuard;
  readonly limits: FolderLimits;
  readonly clock: Clock;
  readonly log: Log;
  readonly host: Pick<Host, 'isBeingWritten'>;
  /** `restless`: directories whose own attributes are not told this time. */
  readonly execute: (
    plan: LocalPlan,
    removals: LocalPlan['removals'],
    restless: ReadonlySet<Ref>,
  ) => Promise<void>;
  readonly tidy: TidyPlaceholders;
  /** It was left over of a folder that went elsewhere, and is in the way of something. */
  readonly isLeftOver: (inode: string) => boolean;
  readonly outside: Pick<OutsideLinks, 'found'>;
  readonly takeFindings: () => Finding[];
  /** Where it is noted which removals are held. */
  readonly load: () => string | null;
  readonly save: (text: string) => void;
  /** The ignore rules have changed: whoever goes by them is told. */
  readonly rulesChanged: () => void;
  /** Names were forgotten that the volume still has. */
  readonly forgotten: () => void;
  /** Something else is mounted than before: everything is to be watched and looked at anew. */
  readonly mountsChanged: () => void;
}
