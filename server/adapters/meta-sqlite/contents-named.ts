/**
 * Which contents the metadata still want: those of the present versions, and those of older ones as long as the retention
 * policy (rule D4) or a snapshot (rule H2) keeps them. This is the one question that collection asks; what it does not name may go, but for uploads
 * that are under way.
 *
 * Rows stay when contents go: the feed, and the rule that a fid is never given again, need them. The code that removes contents
 * deletes their row of the table `content` first, in a transaction; then that version is reported as not kept, and a fetch of it is
 * answered `version-gone`.
 */
import { keptVersions } from '../../../shared/model/kept-versions.ts';
import {
  DEFAULT_RETENTION,
  isRetention,
  type RetentionPolicy,
} from '../../../shared/model/retention.ts';
import type { WallTime } from '../../../shared/model/time.ts';
import type { Digest } from '../../../shared/model/vnode.ts';
import type { Sqlite } from '../../../shared/sqlite/database.ts';
import { snapshotNumbers, type SnapshotNumbers } from './snapshot-rows.ts';
import { parseStored } from './store-error.ts';

const POLICY_KEY = 'retention';

/** One data version of a file. */
export interface VersionRow {
  readonly volume: number;
  readonly vnode: number;
  readonly uniquifier: number;
  readonly digest: Digest;
  readonly size: number;
  readonly made: WallTime;
  readonly ended: WallTime | null;
  /** The commit that made it, and the one that ended it. */
  readonly first: number;
  readonly last: number | null;
}

/** Which versions the past keeps: those of the policy and of snapshots, or of the policy alone. */
export type KeptBy = 'policy and snapshots' | 'policy';

/** Each data version of each file once, those of one file together and newest first. */
const VERSIONS =
  'SELECT v.volume, v.vnode, v.uniquifier, v.digest, v.size, made.when_ms AS made, ended.when_ms AS ended, v.first, v.last FROM (' +
  ' SELECT volume, vnode, uniquifier, version, digest, max(size) AS size, min(from_commit) AS first,' +
  ' CASE WHEN count(*) = count(to_commit) THEN max(to_commit) END AS last' +
  " FROM vnode WHERE kind = 'file' AND digest IS NOT NULL AND links > 0" +
  ' AND (volume, vnode, uniquifier) > (?, ?, ?) AND (volume, vnode, uniquifier) <= (?, ?, ?)' +
  ' GROUP BY volume, vnode, uniquifier, version, digest' +
  ') AS v' +
  ' JOIN commit_log AS made ON made.volume = v.volume AND made.number = v.first' +
  ' LEFT JOIN commit_log AS ended ON ended.volume = v.volume AND ended.number = v.last' +
  ' ORDER BY v.volume, v.vnode, v.uniquifier, v.version DESC';

/** So many rows on, all of a file belong to the page. */
const PAGE_END =
  'SELECT volume, vnode, uniquifier FROM vnode WHERE (volume, vnode, uniquifier) > (?, ?, ?)' +
  ' ORDER BY volume, vnode, uniquifier LIMIT 1 OFFSET ?';
const PAGE_ROWS = 2000;

/** What names a file in the database. */
export type FileKey = readonly [volume: number, vnode: number, uniquifier: number];

const NO_SNAPSHOTS: SnapshotNumbers = new Map();
const BEFORE_ALL: FileKey = [-1, 0, 0];
const BEHIND_ALL: FileKey = [Number.MAX_SAFE_INTEGER, 0, 0];

/** In no order; one may come several times. `policy` left out: the one that is set. */
export function* contentsNamed(
  database: Sqlite,
  now: WallTime,
  policy?: RetentionPolicy,
  by?: KeptBy,
): Generator<Digest, void, undefined> {
  for (const page of pagesOfNamed(database, now, policy, by)) yield* page;
}

/**
 * The same in parts, each of which takes a few milliseconds: a server may go on in between. What it commits meanwhile may be
 * missed; a content that was named before is not.
 */
export function* pagesOfNamed(
  database: Sqlite,
  now: WallTime,
  policy: RetentionPolicy = retentionOf(database),
  by: KeptBy = 'policy and snapshots',
): Generator<Digest[], void, undefined> {
  const versions = database.prepare<[...FileKey, ...FileKey], VersionRow>(VERSIONS);
  const pageEnd = database.prepare<
    [...FileKey, number],
    { volume: number; vnode: number; uniquifier: number }
  >(PAGE_END);
  for (let from = BEFORE_ALL; from !== BEHIND_ALL;) {
    const end = pageEnd.get(...from, PAGE_ROWS);
    const to: FileKey = end === undefined ? BEHIND_ALL : [end.volume, end.vnode, end.uniquifier];
    const rows = versions.all(...from, ...to);
    // Snapshots are read after the rows: one that is made in between shows what is present in them, or newer.
    const snapshots = by === 'policy' ? NO_SNAPSHOTS : snapshotNumbers(database);
    yield keptOfFiles(rows, (file) => keptOf(file, snapshots, policy, now));
    from = to;
  }
}

/** Gives a function for the data versions of one file, the newest first. */
export function versionsOfFiles(database: Sqlite): (file: FileKey) => VersionRow[] {
  const versions = database.prepare<[...FileKey, ...FileKey], VersionRow>(VERSIONS);
  return ([volume, vnode, uniquifier]) =>
    versions.all(volume, vnode, uniquifier - 1, volume, vnode, uniquifier);
}

function keptOfFiles(
  rows: readonly VersionRow[],
  keptOf: (file: readonly VersionRow[]) => Digest[],
): Digest[] {
  const kept: Digest[] = [];
  let file: VersionRow[] = [];
  for (const row of rows) {
    const [last] = file;
    if (last !== undefined && !isSameFile(last, row)) {
      kept.push(...keptOf(file));
      file = [];
    }
    file.push(row);
  }
  kept.push(...keptOf(file));
  return kept;
}

function keptOf(
  file: readonly VersionRow[],
  snapshots: SnapshotNumbers,
  policy: RetentionPolicy,
  now: WallTime,
): Digest[] {
  const kept = keptVersions(file, snapshots.get(file[0]?.volume ?? -1) ?? [], policy, now);
  return file.filter((_, index) => kept[index] === true).map(({ digest }) => digest);
}

function isSameFile(a: VersionRow, b: VersionRow): boolean {
  return a.volume === b.volume && a.vnode === b.vnode && a.uniquifier === b.uniquifier;
}

/** They are told as not kept from now on: in one transaction, before their contents go. */
export function forgetContents(database: Sqlite, digests: readonly Digest[]): void {
  const statement = database.prepare('DELETE FROM content WHERE digest = ?');
  database
    .transaction(() => {
      for (const digest of digests) statement.run(digest);
    })
    .immediate();
}

const SET_ANEW = 'set it anew: `godwit server retention --all DAYS --daily DAYS`';

/** The policy of this server: the usual one until an administrator sets another. Throws GodwitError `damaged-database`. */
export function retentionOf(database: Sqlite): RetentionPolicy {
  const row = database
    .prepare<[string], { value: string }>('SELECT value FROM meta WHERE key = ?')
    .get(POLICY_KEY);
  if (row === undefined) return DEFAULT_RETENTION;
  return parseStored(row.value, 'the retention of old versions', SET_ANEW, isRetention);
}

/** `policy` is one (`isRetention`). */
export function setRetention(database: Sqlite, { allDays, dailyDays }: RetentionPolicy): void {
  const value = JSON.stringify({ allDays, dailyDays });
  database.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)').run(POLICY_KEY, value);
}
