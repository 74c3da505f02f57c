/**
 * The ClientStore port: what a daemon knows, durably. The core keeps all of it in memory and writes it through.
 *
 * Contract
 * 1. `load` gives everything that commits before it made durable. It is called once, before the first `commit`.
 * 2. `commit` makes all changes of the list durable or none of them, in the order of calls; when it resolves
 *    they survive a loss of power. A later change of the same key in one list wins. An empty list does nothing.
 * 3. One `commit` at a time: the caller waits for one before it begins the next.
 * 4. A commit that rejects changed nothing: GodwitError `disk-full`, else a fault that ends the daemon (`disk-failing`: the next
 *    start loads what is durable). `load` rejects the same way, and may be tried again.
 * 5. `record` is the step before: when it resolves with a number, the changes survive the end of the process (`kill -9`), but no loss
 *    of power. They are rows only when a `commit` has them again, and says so by that number: it holds all that was recorded up to there.
 *    Null: the store could not take them, or takes no more before a commit; then they survive nothing yet. One `record` at a time, also
 *    beside a commit.
 * 6. `recorded` gives what earlier processes recorded and did not commit, in order, without a gap: after their end all of it,
 *    after a loss of power any first part of it, each list whole. The caller decides how much of it counts, and commits that up to
 *    the last number of all before it records anything.
 * 7. `load` gives no row that is not as it was committed. After it `damage` says in which tables it found such, or that rows are gone;
 *    the next process finds the same, until a commit is made after a `load`, an empty one too: with it such rows go, and what is there then is whole.
 */
import type { ConflictRepair } from './feed.ts';
import type { Place } from './file-system.ts';
import type { Fid, VolumeId } from '../model/fid.ts';
import type { ConflictSide, ConflictSides } from '../model/conflict-side.ts';
import type { WallTime } from '../model/time.ts';
import type { VolumeInfo } from '../model/change.ts';
import type { Touched, Update, UpdateNonce, UpdateSeq } from '../model/update.ts';
import type { CommitNumber, DataVersion, Digest, VnodeStatus } from '../model/vnode.ts';

/** Vnode numbers `first` .. `first + count - 1`, of which `used` are given out (rule I3). */
export interface VnodeBlock {
  readonly first: number;
  readonly count: number;
  readonly uniquifier: number;
  readonly used: number;
}

export interface VolumeRow {
  readonly info: VolumeInfo;
  /** The cached objects of the volume reflect all commits up to this one. */
  readonly caughtUp: CommitNumber;
  readonly blocks: readonly VnodeBlock[];
}

/** A whole directory as of a commit; its entries are rows of their own, its attributes in `status`. */
export interface DirectoryRow {
  readonly asOf: CommitNumber;
  readonly version: DataVersion;
}

/** A content in the file store, or on its way to the server from there. */
export interface ContentRow {
  readonly fid: Fid;
  readonly version: DataVersion;
  readonly digest: Digest;
  readonly size: number;
  /** Grows with each use: of two contents the one with less was used longer ago. */
  readonly used: number;
}

/** Contents that are to be here always: those of a file, or of all that is in a folder. */
export interface PinRow {
  readonly since: WallTime;
}

/** A folder that is not kept on this disk (rule X1). */
export type ExcludedRow = PinRow;

/**
 * The status of an update in the queue (daemon/core/log/queue-status.ts), by the names that it is stored under. `turn`: its priority. `aside`: it is
 * cancelled. `written`: its delay counts from then; null: there is none.
 */
export interface StoredQueueStatus {
  readonly turn: number;
  readonly aside: boolean;
  readonly written: WallTime | null;
}

/** An entry of the update log. What it depends on follows from the ones before it. */
export interface UpdateRow {
  readonly seq: UpdateSeq;
  /** Null: it was logged before updates had names. */
  readonly name: UpdateNonce | null;
  readonly update: Update;
  /** The name of a store's content in the file store. */
  readonly content: string | null;
  /** Where the vnode was when this was logged, and the directories above, innermost first: for conflicts. */
  readonly place: Place | null;
  readonly ancestors: readonly Fid[];
  /** The names of those, as far as they were known; empty where an older daemon logged it. */
  readonly above: readonly string[];
  /** It moves a directory: such moves keep their order among themselves, or two could cross (rule C2). */
  readonly movesDirectory: boolean;
  /** It took away the last name its vnode had here (or the one it replaced): what was in it was given up knowingly. */
  readonly endsVnode: boolean;
  /** The number under which a person asked for this: `flush` goes by it when a conflict has renumbered it. */
  readonly rank: UpdateSeq;
  /** How many times it was renumbered. */
  readonly renumbered: number;
  /** Null: it goes when its turn in the log comes. */
  readonly standing: StoredQueueStatus | null;
  /** Committed, but the cache has not got there: the view still needs it. */
  readonly answer: { readonly commit: CommitNumber; readonly touched: readonly Touched[] } | null;
}

export interface ConflictRepairRow {
  readonly adjustment: ConflictRepair;
  /** Updates that must be committed before it is offered. */
  readonly awaits: readonly UpdateSeq[];
}

export interface ConflictRow {
  readonly when: string;
  /** null: it was found before this was kept. */
  readonly volume: VolumeId | null;
  readonly path: string;
  readonly copy: string;
  readonly kind: string;
  /** What was at both; null: nobody can tell, or an older daemon has found it. */
  readonly sides: ConflictSides | null;
  /** Left out: there is nothing to ask for. Never there with `sides`. */
  readonly unseen?: UnseenSides;
}

/** Where the sides of a conflict are that were not known when it was recorded. */
export interface UnseenSides {
  /** The directory of both. */
  readonly dir: Fid;
  /** The name of the winner. */
  readonly name: string;
  readonly copy: Fid;
  /** The copy, if the commit had it. */
  readonly mine: ConflictSide | null;
  /** The commit that showed the conflict: the sides are as of it. */
  readonly commit: CommitNumber;
}

/**
 * What a fid of ours has become: `merged`: another for good. `copied`: observed writes go to the copy, made over a version that came
 * after `lost`, which is where ours and the server's part.
 */
export type AliasRow =
  | { readonly kind: 'merged'; readonly into: Fid }
  | { readonly kind: 'copied'; readonly into: Fid; readonly lost: DataVersion };

/** A note that a front end gave with a call. */
export interface NoteRow {
  readonly text: string;
  readonly fid: Fid;
  readonly version: DataVersion;
}

/** One value of the table `meta`. */
export type MetaValue = string | number | boolean | null;

export interface ClientTables {
  meta: MetaValue;
  /** By volume id. */
  volume: VolumeRow;
  /** By fid: the server's statuses. Without links: it ended, and nothing of before this commit and version is taken for it. */
  status: VnodeStatus;
  /** By fid. */
  directory: DirectoryRow;
  /** By `FID/NAME`. */
  entry: Fid;
  /** By name in the file store. */
  content: ContentRow;
  /** By sequence number. */
  update: UpdateRow;
  adjustment: ConflictRepairRow;
  conflict: ConflictRow;
  /** By fid. */
  alias: AliasRow;
  /** By fid. */
  pin: PinRow;
  /** By fid. */
  excluded: ExcludedRow;
  /** By the front end's number. */
  note: NoteRow;
}

export type ClientTable = keyof ClientTables;

export const CLIENT_TABLES = [
  'meta',
  'volume',
  'status',
  'directory',
  'entry',
  'content',
  'update',
  'adjustment',
  'conflict',
  'alias',
  'pin',
  'excluded',
  'note',
] as const satisfies readonly ClientTable[];

/** `value` undefined: the row goes. (null is a value of `meta`.) */
export type RowChange = {
  [T in ClientTable]: {
    readonly table: T;
    readonly key: string;
    readonly value: ClientTables[T] | undefined;
  };
}[ClientTable];

export type ClientRows = { readonly [T in ClientTable]: ReadonlyMap<string, ClientTables[T]> };

/** What is in a table is not what was committed: a disk or memory that fails, or a hand. */
export interface RowDamage {
  /** `recorded`: how much of what was recorded is in the rows. Then `recorded` gives nothing. */
  readonly table: ClientTable | 'recorded';
  /** The keys of rows that are not as they were committed. */
  readonly altered: readonly string[];
  /** All rows that are there are as they were committed, and not all are there, or some that had gone. */
  readonly incomplete: boolean;
}

/** What was recorded at once and is not committed. */
export interface Recorded {
  /** Grows by one with each. */
  readonly number: number;
  readonly changes: readonly RowChange[];
  /** The machine may have lost power since: files that were written before this was recorded need not be whole. */
  readonly isDoubtful: boolean;
}

export interface ClientStore {
  load(): Promise<ClientRows>;
  /** After `load`. */
  damage(): readonly RowDamage[];
  recorded(): Promise<readonly Recorded[]>;
  record(changes: readonly RowChange[]): Promise<number | null>;
  /** `upTo`: `changes` hold all that was recorded up to this number. Left out: nothing was. */
  commit(changes: readonly RowChange[], upTo?: number): Promise<void>;
  close(): Promise<void>;
}
