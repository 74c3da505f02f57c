/**
 * A clone: a new volume with all that another one has now, or had at a snapshot. Names are copied, contents are not: versions of both name the same
 * ones, and collection keeps a content as long as one of them does. Each counts its files in its own quota.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { VolumeId } from '../../../shared/model/fid.ts';
import type { CommitNumber } from '../../../shared/model/vnode.ts';
import type { Host } from '../../../shared/ports/host.ts';
import type { Sqlite } from '../../../shared/sqlite/database.ts';
import { SystemRandom } from '../../../shared/system/system-random.ts';
import { shellWord } from '../../../shared/util/shell-word.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { openServerDatabase } from '../../adapters/meta-sqlite/server-database.ts';
import { snapshotsOf } from '../../adapters/meta-sqlite/snapshot-rows.ts';
import { Statements } from '../../adapters/meta-sqlite/statements.ts';
import { walkVolume } from '../../adapters/meta-sqlite/walk-volume.ts';
import { lockMaintenance, startedFolder } from '../../data-folder.ts';
import type { WallTime } from '../../../shared/model/time.ts';
import { fillVolume, type Filled, type FilledVolume, type FillWith } from './fill-volume.ts';
import { findVolume, presentVolume } from './volumes.ts';

/** About as long as one part takes to write, so a server that runs has its turn. */
const TURN_MS = 2;

/** What is copied. */
export interface VolumeState {
  readonly volume: VolumeId;
  readonly at: CommitNumber;
}

/** `from`: VOLUME or VOLUME@SNAPSHOT. Rejects GodwitError `no-such-volume`, `volume-removed`, `not-found`, `exists`, `usage`, `upkeep-running`. */
export async function cloneVolume(
  dataDir: string,
  asked: FilledVolume,
  from: string,
  host: Host,
): Promise<Filled> {
  const folder = startedFolder(dataDir);
  const maintenance = lockMaintenance(folder, host);
  let database = null;
  try {
    database = openServerDatabase(folder.database);
    return await cloneIn(asked, from, beside(database));
  } finally {
    database?.close();
    maintenance.release();
  }
}

/** What fills a volume beside a server that runs. */
export function beside(database: Sqlite): FillWith {
  const breathe = (): Promise<void> => wait(TURN_MS);
  return { database, now: Date.now() as WallTime, random: new SystemRandom(), breathe };
}

/** The same on a database that is open, with the lock of maintenance held. */
export async function cloneIn(asked: FilledVolume, from: string, given: FillWith): Promise<Filled> {
  const { volume, at } = stateNamed(given.database, from);
  return await fillVolume(asked, walkVolume(new Statements(given.database), volume, at), given);
}

/** VOLUME, as it is now, or VOLUME@SNAPSHOT. Throws GodwitError `no-such-volume`, `volume-removed`, `not-found`. */
export function stateNamed(database: Sqlite, from: string): VolumeState {
  const at = from.lastIndexOf('@');
  // The name of a volume may have an @ of its own.
  const isWhole = at < 0 || findVolume(database, from) !== null;
  const name = isWhole ? from : from.slice(0, at);
  const { id: volume } = presentVolume(database, name);
  if (isWhole) return { volume, at: headOf(database, volume) };
  const called = from.slice(at + 1);
  const snapshot = snapshotsOf(database, volume).find((each) => each.name === called);
  if (snapshot !== undefined) return { volume, at: snapshot.at };
  const remedy = `\`godwit server snapshot ls ${shellWord(name)}\` lists those there are`;
  throw new GodwitError('not-found', `${name} has no snapshot ${called}`, remedy);
}

function headOf(database: Sqlite, volume: VolumeId): CommitNumber {
  const head = database.prepare<[number], CommitNumber>('SELECT head FROM volume WHERE id = ?');
  return head.pluck().get(volume) as CommitNumber;
}
