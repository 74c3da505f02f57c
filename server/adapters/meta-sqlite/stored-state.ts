/** What a server begins with: read from the database, made there first if it is an empty one. */
import { USUAL_SETS } from '../../../shared/model/access-list.ts';
import { makeFid, rootOf, type VolumeId } from '../../../shared/model/fid.ts';
import type {
  DirtyMark,
  EpochCut,
  FirstState,
  LeaseRow,
  StoredState,
  StoredVnode,
  StoredVolume,
  StoredVolumes,
} from '../../../shared/model/stored.ts';
import type { DeviceId } from '../../../shared/model/change.ts';
import type { OrderedVnode, SharingOrder } from '../../../shared/model/sharing.ts';
import type { WallTime } from '../../../shared/model/time.ts';
import { updateSeq, type UpdateSeq } from '../../../shared/model/update.ts';
import { commitNumber, dataVersion, mtimeFromMs } from '../../../shared/model/vnode.ts';
import { giveAccess } from './access-rows.ts';
import { writeRows } from './write-row.ts';
import type { Statements } from './statements.ts';

const VOLUME = 1 as VolumeId;
const USER = 1;
/** The server itself. */
const SERVER: DeviceId = 0;

const VOLUMES =
  'SELECT id, name, head, max(' +
  ' coalesce((SELECT max(uniquifier) FROM block WHERE block.volume = volume.id), 1),' +
  ' coalesce((SELECT max(lost_to) FROM epoch_cut WHERE epoch_cut.volume = volume.id), 1)' +
  ') AS lastUniquifier, quota AS "limit", used' +
  ' FROM volume ORDER BY id';

interface NewVolume {
  readonly id: VolumeId;
  readonly name: string;
  readonly when: WallTime;
}

const CUTS =
  'SELECT epoch, volume, last, first, lost_from AS lostFrom, lost_to AS lostTo FROM epoch_cut' +
  ' ORDER BY first, volume';

/** Does nothing where there is a state already. Runs in a transaction. */
export function makeFirstState(statements: Statements, first: FirstState): void {
  if (epochOf(statements) !== null) return;
  statements.run("INSERT INTO meta VALUES ('epoch', ?)", first.epoch);
  makeVolume(statements, { id: VOLUME, name: first.volumeName, when: first.when });
  const owner = [USER, first.userName, VOLUME];
  statements.run('INSERT INTO user (id, name, home) VALUES (?, ?, ?)', ...owner);
  statements.run('UPDATE volume SET owner = ? WHERE id = ?', USER, VOLUME);
  giveAccess(statements, { user: USER, volume: VOLUME, rights: USUAL_SETS.admin });
}

/** With its root, which is its first commit. In a transaction of the caller. */
export function makeVolume(statements: Statements, { id, name, when }: NewVolume): void {
  statements.run('INSERT INTO volume (id, name, head) VALUES (?, ?, 0)', id, name);
  const commit = commitNumber(1);
  const by = { device: SERVER, seq: updateSeq(0), when };
  writeRows(statements, [
    { kind: 'vnode', row: rootOfNew(id, when), previous: null, ordinal: 0 },
    { kind: 'log', volume: id, commit, ...by },
  ]);
}

const NEWEST_DEVICES =
  'SELECT user, max(id) AS device FROM device WHERE revoked_ms IS NULL GROUP BY user ORDER BY user';

/**
 * What the server core needs at its start: volumes, marks, leases, sharing orders, the next
 * device number and the newest device of each user.
 */
export function storedState(statements: Statements, epoch: string): StoredState {
  const last = statements.get<{ id: DeviceId | null }>('SELECT max(id) AS id FROM device');
  return {
    epoch,
    ...allVolumes(statements),
    dirty: dirtyMarks(statements),
    leases: statements.all<LeaseRow>('SELECT device, run FROM lease ORDER BY device, run'),
    sharing: sharingOrders(statements),
    nextDevice: (last?.id ?? SERVER) + 1,
    newestDevices: statements.all<{ user: number; device: DeviceId }>(NEWEST_DEVICES),
  };
}

export function storedVolumes(statements: Statements): StoredVolume[] {
  return statements.all<StoredVolume>(VOLUMES);
}

/** In a transaction of the caller: both are of one state. */
export function allVolumes(statements: Statements): StoredVolumes {
  return { volumes: storedVolumes(statements), cuts: statements.all<EpochCut>(CUTS) };
}

/** The epoch of this database; null if it has none yet. */
export function epochOf(statements: Statements): string | null {
  const row = statements.get<{ value: string }>("SELECT value FROM meta WHERE key = 'epoch'");
  return row?.value ?? null;
}

function rootOfNew(volume: VolumeId, when: WallTime): StoredVnode {
  const status = {
    fid: rootOf(volume),
    kind: 'directory',
    mode: 0o755,
    mtime: mtimeFromMs(when),
    size: 0,
    version: dataVersion(0),
    commit: commitNumber(1),
    digest: null,
    target: null,
    // It has no name, and never ends.
    links: 1,
    xattrs: [],
  } as const;
  return { status, entries: 0 };
}

function dirtyMarks(statements: Statements): DirtyMark[] {
  const rows = statements.all<{
    volume: number;
    vnode: number;
    uniquifier: number;
    device: DeviceId;
    seq: UpdateSeq | null;
  }>('SELECT * FROM dirty ORDER BY device, volume, vnode, uniquifier');
  return rows.map(({ volume, vnode, uniquifier, device, seq }) => {
    return { fid: makeFid(volume, vnode, uniquifier), device, seq };
  });
}

function sharingOrders(statements: Statements): OrderedVnode[] {
  const rows = statements.all<{
    volume: number;
    vnode: number;
    uniquifier: number;
    wanted: SharingOrder;
  }>('SELECT * FROM sharing ORDER BY volume, vnode, uniquifier');
  return rows.map(({ volume, vnode, uniquifier, wanted }) => {
    return { fid: makeFid(volume, vnode, uniquifier), order: wanted };
  });
}
