/** The folder's named limits, each with its reason. Tests pass smaller times. */
import { milliseconds, minutes, seconds, type Duration } from '../../../shared/model/time.ts';
import { SMALL_SAVE } from '../../limits.ts';

export interface FolderLimits {
  /** A path must be quiet for so long before it is taken: editors and compilers write in several steps. */
  readonly settle: Duration;
  /** A file that is written in place, and that nobody has open any more, is taken when it was quiet for so long. */
  readonly rest: Duration;
  /** File times move on so often at least: of what is younger a later change may not show. */
  readonly tick: Duration;
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
  /** A path is taken so no more often than this where it was not quiet for `settle` in between: some programs write a file in several goes. */
  readonly restPause: Duration;
  /** So no more than so many known files at once, and no new name where so many paths wait: many of them are a program at work, and a pass for each would cost more than it spares. */
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
  /** Contents up to this length never wait for longer ones on their way here; as a save of that length does not on its way to the server. */
  readonly shortBytes: number;
  /** Contents of others on their way here: enough of them to fill a far line, and of the long ones so many bytes at most, if they are more than one. */
  readonly shortComing: number;
  readonly longComing: number;
  readonly longBytes: number;
  /** No more commits are taken while the contents of so many files are waited for: their rows take memory. */
  readonly mostComing: number;
  /** Between two transactions of the records for contents that come one by one: each syncs directories, and keeps the folder meanwhile. */
  readonly savePause: Duration;
  /** A disk that has not taken the records is asked again after this: nothing else goes on meanwhile, and who flushes waits. */
  readonly saveAgain: Duration;
  /** Contents that could not be put in place and stay for the next try, in number and in bytes. */
  readonly keptFiles: number;
  readonly keptBytes: number;
  /** Change sets put in place between two transactions of the records. */
  readonly commitsPerTransaction: number;
  /** How long the main thread is kept at most before other work of the daemon gets its turn. */
  readonly slice: Duration;
  /** A replaced base is kept so long for a writer who still has it open (rule F1). */
  readonly late: Duration;
  /** But no more than so many, nor of so many bytes: a tree that is replaced or removed elsewhere would take its room twice. */
  readonly lateFiles: number;
  readonly lateBytes: number;
  /** After a loss of power what had changed for so long before the last change of all counts as durable. */
  readonly powerLoss: Duration;
  /** What failed for want of space or rights is looked at again after this. */
  readonly retry: Duration;
  /** A root that is away is looked for so often: one look costs two calls, and a person who puts it back watches. */
  readonly rootAway: Duration;
  /** What failed again and again is tried again no more seldom than this: what it waits for may be told by nothing. */
  readonly retryMost: Duration;
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
  /** Files with a name outside of the folder are looked at so often, so many at a time: that is a share of a processor nobody notices. */
  readonly outsideLook: Duration;
  readonly outsideFiles: number;
  /** What is mounted is looked at so often: a disk that comes or goes is told to nobody, and the table is short. */
  readonly mountLook: Duration;
  /** A mount that has not answered for so long is taken for one that hangs: longer than a disk takes that slept. */
  readonly mountAnswer: Duration;
  /** A scan that misses more files than both of these holds the removals back (promise 5). */
  readonly massRemovalFiles: number;
  readonly massRemovalShare: number;
  /** What is over the bound of the cache gives way so long after it was found: by then more of it may have been. */
  readonly keptPause: Duration;
  /** Where there is a bound, the room on the disk is looked at so often: others fill it. */
  readonly keptLook: Duration;
  /** The same where nothing could go the last times: each look asks for all files. */
  readonly keptLookMost: Duration;
  /** Of the bound, so much more than is over it gives way at once: looking for what was used last costs a look at every file. */
  readonly evictAhead: number;
  /** What was made or opened here since goes last: whoever works with a file comes back to it within a month, or seldom. */
  readonly usedLately: Duration;
  /** Names of an excluded folder that go from the disk in one go: others wait for the folder meanwhile, and the records are written after each. */
  readonly leaveAtOnce: number;
  /** Directories looked into below a new root for another synced folder: a bound on the time to start. */
  readonly nestedLook: number;
}

export const FOLDER_LIMITS: FolderLimits = {
  settle: milliseconds(300),
  rest: milliseconds(15),
  tick: milliseconds(10),
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
  shortBytes: SMALL_SAVE,
  shortComing: 16,
  longComing: 12,
  longBytes: 256 * 1024 * 1024,
  mostComing: 2048,
  savePause: milliseconds(100),
  saveAgain: seconds(1),
  keptFiles: 16,
  keptBytes: 256 * 1024 * 1024,
  commitsPerTransaction: 256,
  slice: milliseconds(20),
  late: minutes(10),
  lateFiles: 1000,
  lateBytes: 1024 * 1024 * 1024,
  powerLoss: minutes(5),
  retry: seconds(15),
  rootAway: seconds(1),
  retryMost: minutes(10),
  heldPause: milliseconds(50),
  audit: milliseconds(1500),
  poll: seconds(30),
  lostPause: seconds(1),
  safetyScan: minutes(60),
  outsideLook: seconds(5),
  outsideFiles: 1000,
  mountLook: seconds(2),
  mountAnswer: seconds(8),
  massRemovalFiles: 50,
  massRemovalShare: 0.1,
  keptPause: milliseconds(500),
  keptLook: seconds(5),
  keptLookMost: seconds(300),
  usedLately: minutes(30 * 24 * 60),
  evictAhead: 0.05,
  leaveAtOnce: 200,
  nestedLook: 2000,
};
