/** The folder's named limits, each with its reason. Tests pass smaller times. */
import { milliseconds, minutes, seconds, type Duration } from '../../../shared/model/time.ts';

export interface FolderLimits {
  /** A path must be quiet for so long before it is taken: editors and compilers write in several steps. */
  readonly settle: Duration;
  /** A file that is written in place, and that nobody has open any more, is taken when it was quiet for so long. */
  readonly rest: Duration;
  /** A new file of `largeBytes` or more that nobody has open is taken when it was quiet for so long; who flushes waits for such a file as long as `rest`. */
  readonly restNew: Duration;
  readonly largeBytes: number;
  /**
   * A new file that somebody still has open to write must be quiet for so long: a program or a disk that keeps its writer waiting for a moment
   * would have half a file sent. Less than a flush waits (`settleRounds`).
   */
  readonly settleOpen: Duration;
  /** But it is taken after so long in all: a log may be open for ever, and written all the time. */
  readonly openMost: Duration;
  /** A path is taken so no more often than this: some programs write a file in several goes. */
  readonly restPause: Duration;
  /** So no more than so many paths at once: many of them are a program at work, and a pass for each would cost more than it spares. */
  readonly restPaths: number;
  /** scan() gives a file that never rests so many settle times, then leaves it counted as unsettled. */
  readonly settleRounds: number;
  /** Names looked at in one local pass: a pass holds the folder, so remote commits wait for it. */
  readonly batchPaths: number;
  /** Contents copied at a time: enough to keep a disk busy, few enough to leave it usable. */
  readonly parallelCopies: number;
  /** And as many as this while all under way have no more bytes than that together: each waits for the log more than it works. */
  readonly parallelFiles: number;
  readonly smallBytes: number;
  /** Calls of the file-system port under way at a time; they enter its log in the order they were made. */
  readonly parallelCalls: number;
  /** Contents obtained ahead of the commit that is being put in place, in number and in bytes. */
  readonly aheadFiles: number;
  readonly aheadBytes: number;
  /** Change sets put in place between two transactions of the records. */
  readonly commitsPerTransaction: number;
  /** How long the main thread is kept at most before other work of the daemon gets its turn. */
  readonly slice: Duration;
  /** A replaced base is kept so long for a writer who still has it open (rule F1). */
  readonly late: Duration;
  /** What failed for want of space or rights, and a root that is away, are looked at again after this. */
  readonly retry: Duration;
  /** At most one look at everything held back in this time: each costs as much as there is. */
  readonly heldPause: Duration;
  /** Quiet for so long, what is left over is held against the volume: sooner it would mostly go by itself. */
  readonly audit: Duration;
  /** Where some directory has no watch, or others change things unseen: everything is looked at so often, and no more than a twentieth of the time. */
  readonly poll: Duration;
  /** Events were lost again while all was looked at for that: the next look is no sooner. */
  readonly lostPause: Duration;
  /** What nobody tells in any other way: everything is looked at again now and then. */
  readonly safetyScan: Duration;
  /** What is mounted is looked at so often: a disk that comes or goes is told to nobody, and the table is short. */
  readonly mountLook: Duration;
  /** A scan that misses more files than both of these holds the removals back (promise 5). */
  readonly massRemovalFiles: number;
  readonly massRemovalShare: number;
  /** What is over the bound of the cache gives way so long after it was found: by then more of it may have been. */
  readonly keptPause: Duration;
  /** Where there is a bound, the room on the disk is looked at so often: others fill it. */
  readonly keptLook: Duration;
  /** Of the bound, so much more than is over it gives way at once: looking for what was used last costs a look at every file. */
  readonly evictAhead: number;
  /** Directories looked into below a new root for another synced folder: a bound on the time to start. */
  readonly nestedLook: number;
}

export const FOLDER_LIMITS: FolderLimits = {
  settle: milliseconds(300),
  rest: milliseconds(15),
  restNew: milliseconds(60),
  largeBytes: 1024 * 1024,
  settleOpen: seconds(2),
  openMost: seconds(20),
  restPause: milliseconds(500),
  restPaths: 8,
  settleRounds: 10,
  batchPaths: 1000,
  parallelCopies: 12,
  parallelFiles: 128,
  smallBytes: 4 * 1024 * 1024,
  parallelCalls: 64,
  aheadFiles: 16,
  aheadBytes: 256 * 1024 * 1024,
  commitsPerTransaction: 256,
  slice: milliseconds(20),
  late: minutes(10),
  retry: seconds(15),
  heldPause: milliseconds(50),
  audit: milliseconds(1500),
  poll: seconds(30),
  lostPause: seconds(1),
  safetyScan: minutes(60),
  mountLook: seconds(2),
  massRemovalFiles: 50,
  massRemovalShare: 0.1,
  keptPause: milliseconds(500),
  keptLook: seconds(5),
  evictAhead: 0.05,
  nestedLook: 2000,
};
