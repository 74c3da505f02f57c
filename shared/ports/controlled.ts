/**
 * What the control endpoint needs of a running daemon. The endpoint validates arguments; this side may throw GodwitError.
 */
import type { StatusSnapshot } from '../control/snapshot.ts';
import type { FileSystem } from './file-system.ts';

export interface ControlledDaemon {
  readonly fileSystem: FileSystem;
  snapshot(): StatusSnapshot;
  /** Resolves at the next change of the revision away from `revision`, or after `waitMs`. At most 4 revisions a second. */
  changed(revision: number, waitMs: number): Promise<void>;
  pause(): void;
  resume(): void;
  /** Looks for changes in the folder now. */
  scan(): Promise<void>;
  /** `flush --wait` (rule F4): scans, then waits. Rejects `timed-out`, `sync-blocked` or `removals-held`. */
  flush(timeoutMs: number | null): Promise<void>;
  /** The removals that are held back are meant (rule W8), or not. Gives how many there were. */
  confirmRemovals(): Promise<number>;
  rejectRemovals(): Promise<number>;
  logLines(count: number): Promise<string[]>;
  dismissConflict(id: number): void;
  /** Ends the daemon in good order, after the reply has gone out. */
  down(): void;
}
