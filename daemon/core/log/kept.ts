/** What is in the queue and is not sent by itself, for people: which file it is about, and why. */
import type { ErrorCode } from '../../../shared/wire/error-codes.ts';
import { isBesideFolder } from '../names/followed.ts';
import type { ClientState } from '../state.ts';
import { pathOfLogged } from './queue-path.ts';
import { isCancelled, isInMountPoint, isMountRefused, isRefused } from './queue-status.ts';
import type { LoggedUpdate } from './update-log.ts';
import { madeBy } from './view.ts';

export interface Kept {
  readonly code: ErrorCode;
  /** From the root of its volume; null: it has no name. */
  readonly path: string | null;
  /** Its name; null: it is the folder's. */
  readonly volume: string | null;
  readonly why: string;
  /** null: that of the code. */
  readonly remedy: string | null;
}

const TAKE_SERVERS = '`godwit restore PATH` takes what the server has, and lays yours aside';

const LEAVE_IT = '`godwit queue cancel PATH` gives it up';

const GIVE_UP = '`godwit queue cancel PATH` gives it up; with the right it goes by itself';

/**
 * Says why an update is not sent by itself, with an error code and the path of its file. Call it
 * only for updates that are blocked, held back or put aside.
 */
export function kept(state: ClientState, entry: LoggedUpdate): Kept {
  const code: ErrorCode = isCancelled(entry)
    ? 'put-aside'
    : entry.heldBack
      ? 'over-quota'
      : 'sync-blocked';
  const path = entry.place === null ? null : pathOfLogged(state, entry, entry.place);
  const { volume: id } = entry;
  const volume = isBesideFolder(state, id) ? (state.names.volumes.nameOf(id) ?? null) : null;
  const why = entry.blockedBy ?? 'it can not be synced';
  const about = { code, path, volume, why };
  if (!isRefused(entry)) return { ...about, remedy: null };
  if (isMountRefused(entry)) return { ...about, remedy: GIVE_UP };
  // A path of it leads into the volume that is shown there.
  if (isInMountPoint(entry)) return { ...about, remedy: LEAVE_IT };
  if (isNew(state, entry)) return { ...about, remedy: LEAVE_IT };
  const newer = isNewerThere(state, entry) ? '; the server has a newer version' : '';
  return { ...about, why: `${why}${newer}`, remedy: TAKE_SERVERS };
}

/** The server has never had the file: there is nothing that it could give. */
function isNew(state: ClientState, { update: { fid } }: LoggedUpdate): boolean {
  const first = state.log.index.onVnode(fid)[0];
  return first !== undefined && first.state !== 'answered' && madeBy(first.update) !== null;
}

function isNewerThere(state: ClientState, { update }: LoggedUpdate): boolean {
  if (update.op !== 'store' && update.op !== 'remove') return false;
  const there = state.names.attributes.get(update.fid);
  return there !== undefined && there.version > update.base;
}
