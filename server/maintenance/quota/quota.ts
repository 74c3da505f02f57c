/** Quotas of volumes: reports them to an administrator, and sets them, beside a running server or without one. */
import { existsSync, readdirSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { Host } from '../../../shared/ports/host.ts';
import type { WallTime } from '../../../shared/model/time.ts';
import { partNote } from '../../../shared/model/upload-part.ts';
import type { Sqlite } from '../../../shared/sqlite/database.ts';
import { SystemRandom } from '../../../shared/system/system-random.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { askForKept, keptTold, takeQuestion } from './quota-questions.ts';
import { listQuotas, setQuota, type VolumeQuota } from './quotas.ts';
import { openServerDatabase } from '../../adapters/meta-sqlite/server-database.ts';
import { lockData, startedFolder, type DataFolder } from '../../data-folder.ts';
import { PART_LIFETIME } from '../../limits.ts';
import { snapshotUse } from '../volumes/snapshot-use.ts';

export interface QuotaRow {
  readonly volume: string;
  /** In bytes; null: it has no quota. */
  readonly limit: number | null;
  readonly used: number;
  /** Kept for uploads, and granted ahead to devices; null: the server that runs has not said so. */
  readonly uploads: number | null;
  readonly granted: number | null;
  /** What only snapshots keep; the quota does not count it. */
  readonly snapshots: number;
}

interface Kept {
  readonly volume: number;
  readonly uploads: number;
  readonly granted: number;
}

const LOOK_MS = 50;
/** A server that runs looks once a second, but not while it collects. */
const ANSWERED_WITHIN_MS = 3000;
const TOKEN_BYTES = 8;

/** `volume` null: all. Rejects GodwitError `no-server`, `folder-unusable`, `no-such-volume`. */
export function quotas(dataDir: string, volume: string | null, host: Host): Promise<QuotaRow[]> {
  return withQuotas(dataDir, volume, host, () => undefined);
}

/** `limit` null: none. Gives what holds now. Rejects as above. */
export function changeQuota(
  dataDir: string,
  volume: string,
  limit: number | null,
  host: Host,
): Promise<QuotaRow[]> {
  return withQuotas(dataDir, volume, host, (database) => setQuota(database, volume, limit));
}

async function withQuotas(
  dataDir: string,
  volume: string | null,
  host: Host,
  work: (database: Sqlite) => void,
): Promise<QuotaRow[]> {
  const folder = startedFolder(dataDir);
  const database = openServerDatabase(folder.database);
  try {
    work(database);
    const rows = listQuotas(database).filter(({ name }) => volume === null || name === volume);
    if (volume !== null && rows.length === 0) throw noSuchVolume(volume, listQuotas(database));
    const kept = await keptIn(folder, database, host);
    const bySnapshots = snapshotUse(database, Date.now() as WallTime);
    return rows.map(({ id, name, limit, used }) => {
      const snapshots = bySnapshots.get(id)?.bytes ?? 0;
      if (kept === null)
        return { volume: name, limit, used, uploads: null, granted: null, snapshots };
      const { uploads = 0, granted = 0 } = kept.find((each) => each.volume === id) ?? {};
      return { volume: name, limit, used, uploads, granted, snapshots };
    });
  } finally {
    database.close();
  }
}

/** Null: a server runs, and does not say. */
async function keptIn(
  folder: DataFolder,
  database: Sqlite,
  host: Host,
): Promise<readonly Kept[] | null> {
  const id = new SystemRandom().hex(TOKEN_BYTES);
  let isAsked = false;
  for (let waited = 0; waited < ANSWERED_WITHIN_MS; waited += LOOK_MS) {
    const lock = lockData(folder, host);
    if (lock !== null) {
      lock.release();
      break;
    }
    if (!isAsked) askForKept(database, id);
    isAsked = true;
    await wait(LOOK_MS);
    const told = keptTold(database, id);
    if (told !== null) return told;
    if (waited + LOOK_MS >= ANSWERED_WITHIN_MS) {
      takeQuestion(database);
      return null;
    }
  }
  if (isAsked) takeQuestion(database);
  return keptOnDisk(folder);
}

/** Where no server runs: what is here of uploads that were cut off. */
function keptOnDisk({ streams }: DataFolder): Kept[] {
  const sums = new Map<number, number>();
  for (const name of existsSync(streams) ? readdirSync(streams) : []) {
    const note = partNote(name);
    if (note === null || note.volume === null || note.when <= Date.now() - PART_LIFETIME) continue;
    sums.set(note.volume, (sums.get(note.volume) ?? 0) + note.kept);
  }
  return [...sums].map(([volume, uploads]) => ({ volume, uploads, granted: 0 }));
}

function noSuchVolume(volume: string, all: readonly VolumeQuota[]): GodwitError {
  const names = all.map(({ name }) => name).join(', ');
  return new GodwitError('no-such-volume', `there is no volume ${volume}, only ${names}`);
}
