/**
 * What the CLI calls to maintain a server, each with the host of this machine. A database that is damaged in the middle of its rows
 * rejects with a code (`databaseError`).
 */
import type { RetentionPolicy } from '../../shared/model/retention.ts';
import { databaseError } from '../../shared/sqlite/database.ts';
import { NativeHost } from '../../shared/transport/native-host.ts';
import { dataFolder } from '../data-folder.ts';
import * as accounts from './accounts/accounts.ts';
import * as backups from './backup/backup.ts';
import * as checks from './check/check.ts';
import type { Collected } from './collect/collect-contents.ts';
import * as collection from './collect/collect.ts';
import * as retention from './collect/retention.ts';
import type { DiskUse } from './disk-use.ts';
import * as diskUses from './disk-use.ts';
import * as quota from './quota/quota.ts';
import * as restores from './restore/restore.ts';

/** Makes an invitation. Resolves with its text. */
export function createInvitation(
  dataDir: string,
  options: accounts.InvitationOptions,
): Promise<string> {
  return promised(dataDir, () => accounts.createInvitation(dataDir, options));
}

/** All invitations, used and expired ones among them. */
export function listInvitations(dataDir: string): Promise<accounts.InvitationRow[]> {
  return promised(dataDir, () => accounts.listInvitations(dataDir));
}

/** A data folder put back from a backup goes on as a new epoch; no server may run on it. */
export function beginEpoch(dataDir: string): Promise<accounts.RestoredRow[]> {
  return promised(dataDir, () => accounts.beginEpoch(dataDir, new NativeHost()));
}

/** All devices, revoked ones among them. */
export function listDevices(dataDir: string): Promise<accounts.DeviceRow[]> {
  return promised(dataDir, () => accounts.listDevices(dataDir));
}

/** Reads what the metadata name, beside a server or without one. */
export function checkServer(
  dataDir: string,
  options: checks.CheckOptions,
): Promise<checks.CheckReport> {
  return promised(dataDir, () => checks.checkServer(dataDir, options, new NativeHost()));
}

/** Contents that nobody needs go: a server that runs does it. */
export function collectServer(dataDir: string, days: number): Promise<Collected> {
  return promised(dataDir, () => collection.collectServer(dataDir, days, new NativeHost()));
}

/** Copies what is new into a folder that the server can be restored from, beside a server or without one. */
export function backupServer(
  dataDir: string,
  request: backups.BackupRequest,
): Promise<backups.BackupReport> {
  return promised(dataDir, () => backups.backupServer(dataDir, request, new NativeHost()));
}

/** A backup becomes the data folder, in a new epoch; no server may run on it. */
export function restoreServer(
  dataDir: string,
  request: restores.RestoreRequest,
): Promise<restores.RestoreReport> {
  return restores.restoreServer(dataDir, request, new NativeHost());
}

/** What metadata and contents take on the disk, in bytes. */
export function serverDiskUse(dataDir: string): Promise<DiskUse> {
  return promised(dataDir, () => diskUses.serverDiskUse(dataDir));
}

/** Sets how long older versions are kept, and resolves with that; an empty change sets nothing. */
export function changeRetention(
  dataDir: string,
  change: Partial<RetentionPolicy>,
): Promise<RetentionPolicy> {
  return promised(dataDir, () => retention.changeRetention(dataDir, change));
}

/** Use and quota of a volume; null: of all. */
export function quotas(dataDir: string, volume: string | null): Promise<quota.QuotaRow[]> {
  return promised(dataDir, () => quota.quotas(dataDir, volume, new NativeHost()));
}

/** Sets how many bytes the files of a volume may take together; null: as many as there are. */
export function changeQuota(
  dataDir: string,
  volume: string,
  limit: number | null,
): Promise<quota.QuotaRow[]> {
  return promised(dataDir, () => quota.changeQuota(dataDir, volume, limit, new NativeHost()));
}

/** The device is shut out for good, by its number; a running server hears of it. */
export function revokeDevice(dataDir: string, device: number): Promise<void> {
  return promised(dataDir, () => accounts.revokeDevice(dataDir, device));
}

/** What a damaged database says in the middle of its rows has a code, too. */
async function promised<T>(dataDir: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw databaseError(error, dataFolder(dataDir).database);
  }
}
