/**
 * What the CLI calls to maintain a server, each with the host of this machine. A database that is damaged in the middle of its rows
 * rejects with a code (`databaseError`).
 */
import type { HostPort } from '../../shared/model/host-port.ts';
import type { RetentionPolicy } from '../../shared/model/retention.ts';
import type { Every } from '../../shared/model/snapshot-schedule.ts';
import type { ListedEntry, ListedTeam } from '../../shared/model/decide-access.ts';
import type { AskedRow, TeamChange } from '../../shared/ports/access-keeper.ts';
import type { NamedSnapshot } from '../../shared/model/snapshots.ts';
import type { WallTime } from '../../shared/model/time.ts';
import { databaseError, type Sqlite } from '../../shared/sqlite/database.ts';
import { SystemRandom } from '../../shared/system/system-random.ts';
import { NativeHost } from '../../shared/transport/native-host.ts';
import { withServerDatabase } from '../adapters/meta-sqlite/server-database.ts';
import { dataFolder, startedFolder } from '../data-folder.ts';
import * as access from './accounts/access.ts';
import * as accounts from './accounts/accounts.ts';
import { personNameFrom, volumeNameFrom } from './accounts/new-name.ts';
import * as people from './accounts/people.ts';
import * as backups from './backup/backup.ts';
import * as checks from './check/check.ts';
import type { Collected } from './collect/collect-contents.ts';
import * as collection from './collect/collect.ts';
import * as retention from './collect/retention.ts';
import type { DiskUse } from './disk-use.ts';
import * as diskUses from './disk-use.ts';
import * as dumps from './dump/dump-volume.ts';
import * as loads from './dump/load-volume.ts';
import * as quota from './quota/quota.ts';
import * as restores from './restore/restore.ts';
import * as clones from './volumes/clone-volume.ts';
import type { Filled, FilledVolume } from './volumes/fill-volume.ts';
import { keptUntil } from './volumes/removed-volumes.ts';
import { snapshotUse } from './volumes/snapshot-use.ts';
import * as schedules from './volumes/snapshot-schedules.ts';
import * as snapshots from './volumes/snapshots.ts';
import * as volumes from './volumes/volumes.ts';

/** A volume for people: dates as ISO 8601. */
export interface VolumeLine extends Omit<volumes.ListedVolume, 'removed'> {
  /** When it was removed; null: it is in use. */
  readonly removed: string | null;
  /** Until when it can be restored. */
  readonly keptUntil: string | null;
  readonly snapshots: number;
  /** What only snapshots keep; the quota does not count it. */
  readonly snapshotBytes: number;
}

/** Makes an invitation. Resolves with its text. */
export function createInvitation(
  dataDir: string,
  options: accounts.InvitationOptions,
): Promise<string> {
  return promised(dataDir, () => accounts.createInvitation(dataDir, options));
}

/** Where the server of this folder answers on this machine, as it last listened. Rejects GodwitError `no-server`. */
export function listeningOf(dataDir: string): Promise<HostPort> {
  return promised(dataDir, () => accounts.listeningOf(dataDir));
}

/** All people who were added, with what they may see. */
export function listPeople(dataDir: string): Promise<people.ListedPerson[]> {
  return onDatabase(dataDir, (database) => people.listPeople(database));
}

/** Adds a person, who may see nothing yet. Resolves with a volume of that name that is not theirs, or null. Rejects GodwitError `exists`, `usage`. */
export function addPerson(dataDir: string, name: string): Promise<people.VolumeInTheWay | null> {
  return onDatabase(dataDir, (database) => people.addPerson(database, personNameFrom(name)));
}

/** Rejects GodwitError `not-found`, `exists`, `usage`. */
export function renamePerson(dataDir: string, name: string, to: string): Promise<void> {
  return onDatabase(dataDir, (database) => people.renamePerson(database, name, personNameFrom(to)));
}

/** Volumes in which this person may write, if nobody else may write in any. Rejects GodwitError `not-found`. */
export function volumesLeftBy(dataDir: string, name: string): Promise<readonly string[]> {
  return onDatabase(dataDir, (database) => people.volumesLeftBy(database, name));
}

/** Devices of the person are revoked; a running server hears of it. Rejects GodwitError `not-found`. */
export function removePerson(dataDir: string, name: string): Promise<people.RemovedPerson> {
  return onDatabase(dataDir, (database) => people.removePerson(database, name, now()));
}

/** All volumes; those that are removed come last. */
export function listVolumes(dataDir: string): Promise<VolumeLine[]> {
  return onDatabase(dataDir, (database) => {
    const use = snapshotUse(database, now());
    return volumes.listVolumes(database).map(({ removed, ...row }) => ({
      ...row,
      removed: removed === null ? null : new Date(removed).toISOString(),
      keptUntil: removed === null ? null : new Date(keptUntil(database, removed)).toISOString(),
      snapshots: use.get(row.number)?.snapshots ?? 0,
      snapshotBytes: use.get(row.number)?.bytes ?? 0,
    }));
  });
}

/** Resolves with its number. Rejects GodwitError `exists`, `not-found` (the owner), `usage`. */
export function createVolume(dataDir: string, asked: volumes.NewVolume): Promise<number> {
  return onDatabase(dataDir, (database) => {
    volumeNameFrom(asked.name);
    return volumes.createVolume(database, asked, now(), new SystemRandom());
  });
}

/** `from`: VOLUME or VOLUME@SNAPSHOT. Rejects GodwitError `exists`, `no-such-volume`, `volume-removed`, `not-found`, `usage`, `upkeep-running`. */
export function cloneVolume(dataDir: string, asked: FilledVolume, from: string): Promise<Filled> {
  return promised(dataDir, () => {
    volumeNameFrom(asked.name);
    return clones.cloneVolume(dataDir, asked, from, new NativeHost());
  });
}

/** `from`: VOLUME or VOLUME@SNAPSHOT. Rejects as `dumps.dumpVolume` does. */
export function dumpVolume(dataDir: string, from: string, path: string): Promise<dumps.Dumped> {
  return promised(dataDir, () => dumps.dumpVolume(dataDir, from, path, new NativeHost()));
}

/** A dump becomes a volume. Rejects as `loads.loadVolume` does. */
export function loadVolume(
  dataDir: string,
  path: string,
  asked: loads.AskedLoad,
): Promise<loads.Loaded> {
  return promised(dataDir, () => loads.loadVolume(dataDir, path, asked, new NativeHost()));
}

/** Rejects GodwitError `no-such-volume`, `exists`, `usage`. */
export function renameVolume(dataDir: string, name: string, to: string): Promise<void> {
  return onDatabase(dataDir, (database) =>
    volumes.renameVolume(database, name, volumeNameFrom(to)),
  );
}

/** Resolves with the date until which it can be restored. Rejects GodwitError `no-such-volume`, `volume-removed`. */
export function removeVolume(dataDir: string, name: string): Promise<string> {
  return onDatabase(dataDir, (database) => {
    const when = now();
    volumes.removeVolume(database, name, when);
    return new Date(keptUntil(database, when)).toISOString();
  });
}

/** Rejects GodwitError `no-such-volume`, `exists`, `usage`. */
export function restoreVolume(dataDir: string, name: string): Promise<void> {
  return onDatabase(dataDir, (database) => volumes.restoreVolume(database, name));
}

/** The list of a volume: who may do what there. Rejects GodwitError `no-such-volume`, `volume-removed`. */
export function listAccess(dataDir: string, volume: string): Promise<readonly ListedEntry[]> {
  return onDatabase(dataDir, (database) => access.listAccess(database, volume));
}

/** A row of the list becomes this; without rights it goes. Rejects GodwitError `no-such-volume`, `not-found`, `last-administrator`, `usage`. */
export function setAccess(
  dataDir: string,
  volume: string,
  row: AskedRow,
  isMeant: boolean,
): Promise<void> {
  return onDatabase(dataDir, (database) => access.setAccess(database, volume, row, isMeant));
}

/** All teams; or one, with its members. Rejects GodwitError `not-found`. */
export function listTeams(dataDir: string, team: string | null): Promise<readonly ListedTeam[]> {
  return onDatabase(dataDir, (database) => access.listTeams(database, team));
}

/** Rejects GodwitError `not-found`, `exists`, `last-administrator`, `team-ring`, `usage`. */
export function changeTeam(dataDir: string, change: TeamChange, isMeant: boolean): Promise<void> {
  return onDatabase(dataDir, (database) => access.changeTeam(database, change, isMeant));
}

/** A snapshot for people: dates as ISO 8601. */
export interface SnapshotLine {
  readonly name: string;
  /** The number of the commit that it shows. */
  readonly at: number;
  readonly made: string;
}

/** Rejects GodwitError `no-such-volume`, `volume-removed`, `exists`, `usage`. */
export function createSnapshot(
  dataDir: string,
  volume: string,
  name: string,
): Promise<SnapshotLine> {
  return onDatabase(dataDir, (database) =>
    snapshotLine(snapshots.createSnapshot(database, volume, name, now())),
  );
}

/** The oldest first. Rejects GodwitError `no-such-volume`, `volume-removed`. */
export function listSnapshots(dataDir: string, volume: string): Promise<SnapshotLine[]> {
  return onDatabase(dataDir, (database) =>
    snapshots.listSnapshots(database, volume).map(snapshotLine),
  );
}

/** Rejects GodwitError `no-such-volume`, `volume-removed`, `not-found`. */
export function removeSnapshot(dataDir: string, volume: string, name: string): Promise<void> {
  return onDatabase(dataDir, (database) => snapshots.removeSnapshot(database, volume, name));
}

/** The schedules of a volume. Rejects GodwitError `no-such-volume`, `volume-removed`. */
export function listSchedules(
  dataDir: string,
  volume: string,
): Promise<schedules.SnapshotSchedule[]> {
  return onDatabase(dataDir, (database) => schedules.listSchedules(database, volume));
}

/** `keep` null ends the schedule. Resolves with those of the volume. Rejects GodwitError `no-such-volume`, `volume-removed`, `usage`. */
export function changeSchedule(
  dataDir: string,
  volume: string,
  every: Every,
  keep: number | null,
): Promise<schedules.SnapshotSchedule[]> {
  return onDatabase(dataDir, (database) => {
    schedules.setSchedule(database, volume, every, keep);
    return schedules.listSchedules(database, volume);
  });
}

function snapshotLine({ name, at, made }: NamedSnapshot): SnapshotLine {
  return { name, at, made: new Date(made).toISOString() };
}

/** All invitations, used and expired ones among them. */
export function listInvitations(dataDir: string): Promise<accounts.InvitationRow[]> {
  return promised(dataDir, () => accounts.listInvitations(dataDir));
}

/** Ends the open invitation whose number begins so, and resolves with the whole number. Rejects GodwitError `not-found`, `usage`. */
export function withdrawInvitation(dataDir: string, begins: string): Promise<string> {
  return promised(dataDir, () => accounts.withdrawInvitation(dataDir, begins));
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

/** The device is called so from now on, for everyone; a running server hears of it. */
export function renameDevice(dataDir: string, device: number, name: string): Promise<void> {
  return promised(dataDir, () => accounts.renameDevice(dataDir, device, name));
}

/** The device is shut out for good, by its number; a running server hears of it. */
export function revokeDevice(dataDir: string, device: number): Promise<void> {
  return promised(dataDir, () => accounts.revokeDevice(dataDir, device));
}

/** Beside a server that runs, or without one. */
function onDatabase<T>(dataDir: string, work: (database: Sqlite) => T): Promise<T> {
  return promised(dataDir, () => withServerDatabase(startedFolder(dataDir).database, work));
}

const now = (): WallTime => Date.now() as WallTime;

/** What a damaged database says in the middle of its rows has a code, too. */
async function promised<T>(dataDir: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw databaseError(error, dataFolder(dataDir).database);
  }
}
