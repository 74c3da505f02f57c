/** What is in the queue and is not sent by itself, for people: which file it is about, and why. */
import type { ErrorCode } from '../../../shared/wire/error-codes.ts';
import { isOneOfSeveral } from '../names/followed.ts';
import type { ClientState } from '../state.ts';
import { pathOfLogged } from './queue-path.ts';
import { IN_MOUNT_POINT, isCancelled, isMountRefused, isRefused } from './queue-status.ts';
import type { LoggedUpdate } from './update-log.ts';

export interface Kept {
  readonly code: ErrorCode;
  /** null: it has no name. */
  readonly path: string | null;
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
  const code = isCancelled(entry) ? 'put-aside' : entry.heldBack ? 'over-quota' : 'sync-blocked';
  const path = entry.place === null ? null : pathOfLogged(state, entry, entry.place);
  const why = `${entry.blockedBy ?? 'it can not be synced'}${volumeOf(state, entry)}`;
  if (!isRefused(entry)) return { code, path, why, remedy: null };
  if (isMountRefused(entry)) return { code, path, why, remedy: GIVE_UP };
  // A path of it leads into the volume that is shown there.
  if (entry.blockedBy?.startsWith(IN_MOUNT_POINT)) return { code, path, why, remedy: LEAVE_IT };
  const newer = isNewerThere(state, entry) ? '; the server has a newer version' : '';
  return { code, path, why: `${why}${newer}`, remedy: TAKE_SERVERS };
}

/** Paths are those of the volume, so it is named where it is not the only one in the folder. */
function volumeOf(state: ClientState, { volume }: LoggedUpdate): string {
  const name = isOneOfSeveral(state, volume) ? state.names.volumes.nameOf(volume) : undefined;
  return name === undefined ? '' : ` (in the volume ${name})`;
}

function isNewerThere(state: ClientState, { update }: LoggedUpdate): boolean {
  if (update.op !== 'store' && update.op !== 'remove') return false;
  const there = state.names.attributes.get(update.fid);
  return there !== undefined && there.version > update.base;
}
