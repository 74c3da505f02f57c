/**
 * The MetaStore port: the metadata of a server, durable and versioned.
 *
 * Contract
 * 1. `open` comes first, once. On an empty store it makes the first state: the epoch, one volume with its root directory
 *    (commit 1, by device 0), one user with the right to write there, whose home it is. Otherwise it changes nothing.
 * 2. `load` gives one row for each key, in their order, all as of one committed state. That state holds every commit that
 *    had resolved when `load` was called; it may hold later ones. Loads may be answered in any order, at any time.
 * 3. `commit` applies all writes in their order, or none. When it resolves they survive a crash. One at a time.
 *    After a rejected one the store is as before. A vnode or an entry comes with the `log` of its commit, wherever that stands: it seals
 *    what the commit wrote, so that a check finds what was altered later. With turns it may write a few rows at a time. What is asked of the store
 *    meanwhile is answered when all is written.
 * 4. `changedOutside` is true once after another process has changed the store (an administrator).
 * 5. A store that was put back from a backup begins a new epoch before it is opened (rule I1): in one transaction, each volume
 *    gets a cut, an empty commit of device 0 at `epochStart`, and uniquifiers beyond those of the lost part; no device has an
 *    incarnation, since its data folder went on; and every device, known or not, may hold a lease. How this is asked for is the
 *    adapter's task (`beginEpoch`).
 * 6. `volumes` gives all volumes, in the order of their numbers, those that are removed included: only an administrator makes, names and removes
 *    them, and sets their quotas. What a volume uses changes with `commit`, from what it was before; a commit that does not know what it was is
 *    rejected. The number of a volume is never given again, also not after the store was put back from a backup.
 * 7. `askAccess` decides one question about access lists and teams, and does what was decided, in one transaction of its own: what it gives is durable.
 *    `accessOf` tells from then on what comes of it. Two of them, or one and a commit, are one after the other.
 * 8. Errors: GodwitError `server-full` (no room), `damaged-database`, `disk-failing` (of a commit: it is unknown whether it is on
 *    the disk, and the next start finds out); anything else is a bug.
 */
import type { AccessAnswer, AccessQuestion, Asker } from '../model/decide-access.ts';
import type { DeviceId } from '../model/change.ts';
import type {
  AnyRow,
  DeviceAccess,
  FirstState,
  RowKey,
  RowWrite,
  StoredState,
  StoredVolumes,
} from '../model/stored.ts';

/** The turns of whoever writes much, so that others go on in between. */
export interface WritingTurns {
  /** This turn has lasted long enough. */
  isOver(): boolean;
  /** Ends this turn, and calls back in the next one. */
  goOn(then: () => void): void;
}

export interface MetaStore {
  open(first: FirstState): Promise<StoredState>;
  load(keys: readonly RowKey[]): Promise<readonly AnyRow[]>;
  commit(writes: readonly RowWrite[], turns?: WritingTurns): Promise<void>;
  changedOutside(): Promise<boolean>;
  /** In the order of the keys. An unknown device has no row: its pairing may be about to be committed. */
  accessOf(devices: readonly DeviceId[]): Promise<readonly DeviceAccess[]>;
  volumes(): Promise<StoredVolumes>;
  askAccess(question: AccessQuestion, asker: Asker): Promise<AccessAnswer>;
  close(): Promise<void>;
}
