/** Quotas of volumes: what a server's administrator is told and sets, beside a running server or without one. */
import { existsSync } from 'node:fs';
import { GodwitError } from '../shared/wire/error-codes.ts';
import { listQuotas, setQuota, type VolumeQuota } from './adapters/admin/quotas.ts';
import { openServerDatabase } from './adapters/meta-sqlite/server-database.ts';
import { dataFolder, neverStarted } from './data-folder.ts';

export interface QuotaRow {
  readonly volume: string;
  /** In bytes; null: it has no quota. */
  readonly limit: number | null;
  readonly used: number;
}

/** `volume` null: all. Throws GodwitError `folder-unusable`, `no-such-volume`. */
export function quotas(dataDir: string, volume: string | null): QuotaRow[] {
  return withQuotas(dataDir, volume, () => undefined);
}

/** `limit` null: none. Gives what holds now. Throws as above. */
export function changeQuota(dataDir: string, volume: string, limit: number | null): QuotaRow[] {
  return withQuotas(dataDir, volume, (database) => setQuota(database, volume, limit));
}

function withQuotas(
  dataDir: string,
  volume: string | null,
  work: (database: ReturnType<typeof openServerDatabase>) => void,
): QuotaRow[] {
  const folder = dataFolder(dataDir);
  if (!existsSync(folder.database)) throw neverStarted(folder);
  const database = openServerDatabase(folder.database);
  try {
    work(database);
    const rows = listQuotas(database).filter(({ name }) => volume === null || name === volume);
    if (volume !== null && rows.length === 0) throw noSuchVolume(volume, listQuotas(database));
    return rows.map(({ name, limit, used }) => ({ volume: name, limit, used }));
  } finally {
    database.close();
  }
}

function noSuchVolume(volume: string, all: readonly VolumeQuota[]): GodwitError {
  const names = all.map(({ name }) => name).join(', ');
  return new GodwitError('no-such-volume', `there is no volume ${volume}, only ${names}`);
}
