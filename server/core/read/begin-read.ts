/**
 * The beginning of a read: may the device see that, and which rows does the answer need?
 *
 * A read begins again whenever something it waited for has happened; it then sees the rows of that moment.
 */
import type { Fid, VolumeId } from '../../../shared/model/fid.ts';
import { volumeOf } from '../../../shared/model/fid.ts';
import type { RowKey } from '../../../shared/model/stored.ts';
import type { CommitNumber } from '../../../shared/model/vnode.ts';
import type { RequestOf } from '../../../shared/wire/rpcs.ts';
import { beginLoad } from '../commit/group-commit.ts';
import { KeySet } from '../commit/row-key.ts';
import { fail } from '../device/answer.ts';
import { rightIn, type DeviceState } from '../device/device.ts';
import { renameKeys } from './rename-device.ts';
import { listLocks } from '../lock/report-locks.ts';
import { answerRelease } from '../lock/hold-locks.ts';
import { listOrders } from '../share/report-orders.ts';
import type { Context } from '../state.ts';
import type { ReadJob } from '../wait/read-job.ts';
import { beginAllocation } from './allocate-vnodes.ts';
import { getTime, endPromises } from './answer-at-once.ts';
import { askAccess } from './ask-access.ts';
import { askBegun } from './answer-begun.ts';
import { historyKey, volumeOfPast } from './answer-history.ts';
import { lookupKeys } from './answer-lookup.ts';
import { pollOrLoad } from './poll-changes.ts';

/** Answers a read that needs no rows, and asks for the rows of the others. */
export function beginRead(ctx: Context, job: ReadJob): void {
  const { device, call, request } = job;
  if (!ctx.state.calls.has(call)) return;
  const named = volumeNamed(job);
  if (named !== null && rightIn(device, named) === null) {
    fail(ctx, device, call, 'no-such-volume');
    return;
  }
  switch (request.rpc) {
    case 'GetTime':
      return getTime(ctx, device, call);
    case 'GiveUpCallbacks':
      return endPromises(ctx, device, call, request.body);
    case 'AllocateVnodes':
      return beginAllocation(ctx, job, request.body);
    case 'Changes':
      return pollOrLoad(ctx, job, request.body);
    case 'Validate':
      return load(ctx, job, vnodeKeys(device, validated(request.body)));
    case 'FetchStatus':
      return load(ctx, job, vnodeKeys(device, request.body.fids));
    case 'SetSharing':
    case 'SetLock':
      return load(ctx, job, [{ kind: 'vnode', fid: request.body.fid }]);
    case 'RenameDevice':
      return load(ctx, job, renameKeys(device));
    case 'Devices':
      return load(ctx, job, [{ kind: 'device-names', user: device.user }]);
    case 'SharingOrders':
      return listOrders(ctx, device, call, request.body);
    case 'ReleaseLock':
      return answerRelease(ctx, device, call, request.body);
    case 'Locks':
      return listLocks(ctx, device, call, request.body);
    case 'AccessList':
    case 'SetAccess':
    case 'Teams':
    case 'ChangeTeam':
    case 'Shares':
    case 'MakeVolume':
    case 'LeaveVolume':
      return askAccess(ctx, device, call, request);
    case 'Begun':
      return askBegun(ctx, device, call, request.body.streams);
    case 'Lookup':
      return load(ctx, job, lookupKeys(request.body));
    case 'Fetch':
      return load(ctx, job, fetchKeys(request.body));
    case 'FetchDir':
    case 'PastDir':
    case 'Snapshot': {
      const key = listingKey(ctx, job);
      if (key === null) fail(ctx, device, call, 'history-gone', 'that commit is not here');
      else load(ctx, job, [key]);
      return;
    }
    case 'PastVersions':
    case 'PastNames':
    case 'OwnCommits':
    case 'NamedSnapshots':
      return load(ctx, job, [historyKey(device, request)]);
    default:
      fail(ctx, device, call, 'bad-message');
  }
}

const validated = ({ items }: RequestOf<'Validate'>) => items.map(({ fid }) => fid);

/** The file as it is now, or as that version was; and the version that its contents may be sent as a delta of. */
function fetchKeys({ fid, version, base }: RequestOf<'Fetch'>): RowKey[] {
  const keys = new KeySet();
  keys.add(version === null ? { kind: 'vnode', fid } : { kind: 'version', fid, version });
  if (base !== undefined) keys.add({ kind: 'version', fid, version: base });
  return keys.list();
}

/** The page that is wanted; its commit is the newest durable one where none is named. Null: a commit that isn't there. */
function listingKey(ctx: Context, job: ReadJob): RowKey | null {
  const { request } = job;
  if (request.rpc === 'FetchDir' || request.rpc === 'PastDir') {
    const { fid, after: last, limit } = request.body;
    const at = committedAt(ctx, volumeOf(fid), request.body.at);
    return at === null ? null : { kind: 'directory', fid, at, after: last, limit };
  }
  if (request.rpc === 'Snapshot') {
    const { volume, after: last, limit } = request.body;
    const at = committedAt(ctx, volume, request.body.at);
    return at === null ? null : { kind: 'snapshot', volume, at, after: last, limit };
  }
  return null;
}

/** That commit, or the newest where none is named; null: it is yet to come, or was lost (rule I1). */
function committedAt(ctx: Context, id: VolumeId, named: CommitNumber | null): CommitNumber | null {
  const { head } = ctx.state.volumes.of(id);
  const at = named ?? head.committed;
  return at > head.committed || head.isLost(at) ? null : at;
}

function volumeNamed({ request }: ReadJob): VolumeId | null {
  switch (request.rpc) {
    case 'Fetch':
    case 'FetchDir':
    case 'Lookup':
    case 'PastDir':
    case 'SetSharing':
    case 'SetLock':
    case 'ReleaseLock':
      return volumeOf(request.body.fid);
    case 'SharingOrders':
    case 'Locks':
    case 'AllocateVnodes':
    case 'Changes':
    case 'Snapshot':
      return request.body.volume;
    case 'PastVersions':
    case 'PastNames':
    case 'OwnCommits':
    case 'NamedSnapshots':
      return volumeOfPast(request);
    default:
      return null;
  }
}

/** Only of volumes that the device may see; the rest is answered as if it never was. */
function vnodeKeys(device: DeviceState, fids: readonly Fid[]): RowKey[] {
  return [...new Set(fids)]
    .filter((fid) => rightIn(device, volumeOf(fid)) !== null)
    .map((fid) => ({ kind: 'vnode', fid }));
}

function load(ctx: Context, job: ReadJob, keys: readonly RowKey[]): void {
  beginLoad(ctx, keys, job);
}
