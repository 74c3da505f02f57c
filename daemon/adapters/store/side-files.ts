/**
 * Three files of a data folder that are rows of daemon.db by now: conflicts.json, pause.json, pause-network.json. A daemon of before has left them;
 * the first start on the new schema takes them in.
 *
 * Invariants
 * 1. Their rows, and that all of them were taken in, are one transaction. It is durable before a file goes. So an end of the program anywhere in
 *    between loses nothing.
 * 2. What was taken in is never taken in again, even if the file is there again: a pause that is over does not come back.
 * 3. A file that can't be read is one line in the log, and is kept in set-aside/. Syncing is not paused by it.
 */
import { lstatSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { isFid, type Fid } from '../../../shared/model/fid.ts';
import type { ConflictSides } from '../../../shared/model/conflict-side.ts';
import { isDigest, type DataVersion, type Digest } from '../../../shared/model/vnode.ts';
import type { Log } from '../../../shared/ports/log.ts';
import type { Sqlite } from '../../../shared/sqlite/database.ts';
import { durably } from '../../../shared/sqlite/log-sync.ts';
import type { Row, SealedRows } from '../../../shared/sqlite/sealed-rows.ts';
import { moveAside, SET_ASIDE } from '../../../shared/sqlite/set-aside.ts';
import { removeDurably, type Syncs } from '../../../shared/system/durable-file.ts';
import { networkEnd, OVER, timedEnd } from '../pause/pause-ends.ts';
import { PAUSE_TABLE, type PauseEndKind } from './pause-rows.ts';

const side = z.strictObject({
  kind: z.enum(['file', 'directory', 'symlink']),
  fid: z.custom<Fid>(isFid),
  version: z.number().int().min(0) as unknown as z.ZodType<DataVersion>,
  digest: z.custom<Digest>(isDigest).nullable(),
  target: z.string().nullable(),
});

const conflicts = z.array(
  z.strictObject({
    id: z.number().int().min(1),
    when: z.string(),
    /** Its name. */
    volume: z.string(),
    mine: side.nullable(),
    theirs: side.nullable(),
  }),
);

/** Bytes; the list of conflicts that a daemon has kept is far smaller. */
const MAX_BYTES = 64 << 20;

/** In `meta`: nothing beside the database is to be taken in any more. */
const TAKEN_IN = 'side-files-taken-in';

interface SideFile {
  readonly name: string;
  /** Throws where it is none of ours. */
  readonly parse: (text: string) => unknown;
  readonly put: (rows: SealedRows, value: never) => void;
  /** What is put where it can't be read. */
  readonly instead?: unknown;
  readonly unreadable: string;
}

function sideFile<S extends z.ZodType>(
  name: string,
  schema: S,
  unreadable: string,
  put: (rows: SealedRows, value: z.output<S>) => void,
  instead?: z.output<S>,
): SideFile {
  const parse = (text: string): unknown => schema.parse(JSON.parse(text));
  return { name, parse, unreadable, put, ...(instead === undefined ? {} : { instead }) };
}

const FILES: readonly SideFile[] = [
  sideFile(
    'conflicts.json',
    conflicts,
    'what conflicts were about can not be read: they have to be resolved by hand',
    putSides,
  ),
  sideFile(
    'pause.json',
    timedEnd,
    'until when syncing was paused can not be read: it goes on',
    (rows, end) => putEnd(rows, 'time', end),
    OVER,
  ),
  sideFile(
    'pause-network.json',
    networkEnd,
    'on which network syncing was paused can not be read: `godwit resume` ends the pause',
    (rows, end) => putEnd(rows, 'network', end),
  ),
];

export interface SideFileParts {
  readonly dataDir: string;
  readonly host: Syncs;
  readonly log: Log;
}

/** Before the rows are loaded, and after what was recorded is committed to them. Throws as SQLite does; then nothing has changed. */
export function takeInSideFiles(
  { dataDir, host, log }: SideFileParts,
  database: Sqlite,
  rows: SealedRows,
): void {
  const found = FILES.flatMap((file) => findFile(dataDir, file));
  const isTakenIn =
    database.prepare('SELECT 1 FROM meta WHERE key = ?').get(TAKEN_IN) !== undefined;
  if (!isTakenIn) {
    durably(database, () => {
      rows.write(() => {
        for (const { file, value } of found) {
          const taken = value === null ? file.instead : value.read;
          if (taken !== undefined) file.put(rows, taken as never);
        }
        rows.table('meta').put({ key: TAKEN_IN, value: 'true' });
      });
    });
  }
  for (const each of found) {
    if (isTakenIn && each.value !== null) {
      log.info(`${each.file.name} is removed: the database has what it said`);
    }
    settle(each, { dataDir, host, log });
  }
}

interface Found {
  readonly file: SideFile;
  readonly path: string;
  /** null: it can't be read. */
  readonly value: { readonly read: unknown } | null;
}

/** Nothing, where there is none. */
function findFile(dataDir: string, file: SideFile): Found[] {
  const path = join(dataDir, file.name);
  rmSync(`${path}.new`, { force: true });
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there === undefined) return [];
  // A pipe or a device would hold up the start for ever.
  if (!there.isFile() || there.size > MAX_BYTES) return [{ file, path, value: null }];
  try {
    return [{ file, path, value: { read: file.parse(readFileSync(path, 'utf8')) } }];
  } catch {
    return [{ file, path, value: null }];
  }
}

/** What stays is found again at the next start, and is not taken in then. */
function settle({ file, path, value }: Found, { dataDir, host, log }: SideFileParts): void {
  try {
    if (value !== null) return removeDurably(path, host);
    const to = moveAside(path, dataDir);
    host.syncDirectory(dataDir);
    const where = to === null ? '' : ` (it is ${SET_ASIDE}/${basename(to)} now)`;
    log.warn(`${file.name}: ${file.unreadable}${where}`);
  } catch (error) {
    log.warn(`${file.name} is in the database, and can not be removed`, {
      why: (error as Error).message,
    });
  }
}

function putEnd(rows: SealedRows, by: PauseEndKind, end: object): void {
  rows.table(PAUSE_TABLE).put({ by, body: JSON.stringify(end) });
}

/** Each conflict that is in the list still gets what it was about. */
function putSides(rows: SealedRows, entries: z.output<typeof conflicts>): void {
  const volumes = new Map<string, Row>();
  rows.table('volume').load((row) => volumes.set(String(row['name']), row));
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const known: Row[] = [];
  const table = rows.table('conflict');
  table.load((row) => known.push(row));
  for (const row of known) {
    const entry = byId.get(Number(row['id']));
    if (entry === undefined || entry.when !== row['at'] || entry.mine === null) continue;
    const sides: ConflictSides = { mine: entry.mine, theirs: entry.theirs };
    const volume = row['volume'] ?? volumes.get(entry.volume)?.['id'] ?? null;
    table.put({ ...row, volume, sides: JSON.stringify(sides) });
  }
}
