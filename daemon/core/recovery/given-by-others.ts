/**
 * Updates that this device may not make and somebody else has made: several laptops offer the same lost part (rule I1), and
 * what one that may only read offers stays in its log, blocked. Once the base has it, it would count twice.
 */
import { dropUpdate } from '../conflict/resolve-contents.ts';
import { epochsBefore } from './epochs-before.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import type { Update } from '../../../shared/model/update.ts';
import type { ClientState } from '../state.ts';
import type { LoggedUpdate } from '../log/update-log.ts';

type Removal = Extract<Update, { op: 'remove' | 'rmdir' }>;

/**
 * Drops what is blocked of the vnodes that the base has learned something of. Only where an epoch was lost: at other times a refusal is
 * the user's to see, and stays until it is answered.
 */
export function dropGiven(state: ClientState): void {
  const blockedOn = state.recovery.blockedOn();
  if (blockedOn.length === 0) return;
  const offered = epochsBefore(state).length > 0 ? blockedOn : [];
  for (const fid of offered) {
    // Of a volume that may not be seen nobody knows what it has.
    if (state.names.volumes.isShut(fid)) continue;
    for (const indexed of [...state.log.index.onVnode(fid)]) {
      const entry = indexed as LoggedUpdate;
      if (entry.state === 'blocked' && isInBase(state, fid, entry)) dropUpdate(state, entry);
    }
  }
  state.recovery.lookedAtBlocked();
}

function isInBase(state: ClientState, fid: Fid, entry: LoggedUpdate): boolean {
  const { update } = entry;
  const base = state.names.attributes.get(fid);
  switch (update.op) {
    case 'create':
      return base?.kind === 'file' && !state.log.mayBeACopys(entry);
    case 'mkdir':
      return base?.kind === 'directory' && !state.log.mayBeACopys(entry);
    case 'symlink':
      return base?.kind === 'symlink' && !state.log.mayBeACopys(entry);
    case 'store':
      return base !== undefined && base.digest === update.digest;
    case 'remove':
    case 'rmdir':
      return base === undefined && isNotIn(state, update);
    default:
      return false;
  }
}

function isNotIn(state: ClientState, { fid, dir, name }: Removal): boolean {
  const known = state.names.directories.get(dir);
  return known !== undefined && known.entries.get(name) !== fid;
}
