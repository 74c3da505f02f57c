/**
 * What a front end reports as done on its disk, where a conflict has meanwhile made something else of the vnode it names.
 *
 * Until an adjustment has been carried out, the file on the disk is still the losing side under the old name. So a write to it
 * is a write to the copy, and its removal is the copy's: the server's version was never on this disk and must not go with it.
 */
import type { Fid } from '../../../shared/model/fid.ts';
import {
  commitNumber,
  dataVersion,
  mtimeFromMs,
  type DataVersion,
  type VnodeStatus,
} from '../../../shared/model/vnode.ts';
import type { Attributes, Place } from '../../../shared/ports/file-system.ts';
import type { ClientState } from '../state.ts';
import { attributesOf, viewPlaces, viewStatus } from '../view.ts';

export interface Observed {
  readonly fid: Fid;
  /** A version of `fid`: of a copy, the number of the contents there. */
  readonly base: DataVersion;
  /** What the front end's numbers are ahead of those of `fid`: it goes on counting from what was lost. */
  readonly ahead: number;
  readonly place: Place;
  /** The adjustment that has not been carried out yet, if there is one. */
  readonly adjustment: number | null;
}

const NOWHERE: Place = { dir: '0.0.0' as Fid, name: '' };

/** Base null: whatever the disk has. */
export function inObservation(
  state: ClientState,
  seen: { readonly fid: Fid; readonly base: DataVersion | null },
  place: Place = NOWHERE,
): Observed {
  const { fid: copy, ahead } = intoCopies(state, seen);
  const base = dataVersion((seen.base ?? ahead) - ahead);
  if (copy !== seen.fid) {
    const at = viewPlaces(state, copy)[0] ?? place;
    const adjustment = state.adjustments.ofCopy(copy);
    return { fid: copy, base, ahead, place: at, adjustment };
  }
  const alias = state.aliases.get(seen.fid);
  const fid = alias?.kind === 'merged' ? alias.into : seen.fid;
  const renamed = state.adjustments.ofRenamed(fid, place);
  if (renamed !== null) return { fid, base, ahead, place: renamed.to, adjustment: renamed.id };
  return { fid, base, ahead, place, adjustment: null };
}

/**
 * The copy of what lost, or the copy of that, and so on. The contents there are counted from 1; on the disk they went on being counted
 * from the version that they were made over. What others have made of a copy since was not on this disk: it is no base for what is.
 */
function intoCopies(
  state: ClientState,
  { fid, base }: { readonly fid: Fid; readonly base: DataVersion | null },
): { readonly fid: Fid; readonly ahead: number } {
  let [at, ahead] = [fid, 0];
  for (;;) {
    const alias = state.aliases.get(at);
    if (alias?.kind !== 'copied') break;
    // A disk that did not show what lost yet: what was done there was done over neither.
    if (base !== null && base - ahead <= alias.lost) break;
    at = alias.into;
    ahead += alias.lost;
  }
  return { fid: at, ahead };
}

export const settledKey = (fid: Fid): string => `settled:${fid}`;

/** A store of it is being made durable; what follows must be logged after it. */
export function isBeingClosed(state: ClientState, fid: Fid): boolean {
  for (const handle of state.handles.values()) {
    if (handle.closing && handle.fid === fid) return true;
  }
  return false;
}

/** The attributes of a vnode after a change of it; where nothing is known of it, what can be said all the same. */
export function attributesAfter(state: ClientState, fid: Fid): Attributes {
  return attributesOf(state, viewStatus(state, fid) ?? unknownStatus(state, fid));
}

function unknownStatus(state: ClientState, fid: Fid): VnodeStatus {
  return {
    fid,
    kind: 'file',
    mode: 0o644,
    mtime: mtimeFromMs(state.now.wall),
    size: 0,
    version: dataVersion(0),
    commit: commitNumber(0),
    digest: null,
    target: null,
    links: 1,
    xattrs: [],
  };
}
