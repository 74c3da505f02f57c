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
import { attributesOf, viewPlaces, viewStatus, viewVersion } from '../view.ts';

export interface Observed {
  readonly fid: Fid;
  readonly base: DataVersion;
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
  const alias = state.aliases.get(seen.fid);
  const base = seen.base ?? dataVersion(0);
  // A disk that did not show what lost yet: what was done there was done over neither.
  const isBefore = alias?.kind === 'copied' && seen.base !== null && seen.base <= alias.lost;
  if (alias?.kind === 'copied' && !isBefore) {
    const copy = alias.into;
    const at = viewPlaces(state, copy)[0] ?? place;
    const adjustment = state.adjustments.ofCopy(copy);
    return { fid: copy, base: viewVersion(state, copy), place: at, adjustment };
  }
  const fid = alias?.kind === 'merged' ? alias.into : seen.fid;
  const renamed = state.adjustments.ofRenamed(fid, place);
  if (renamed !== null) return { fid, base, place: renamed.to, adjustment: renamed.id };
  return { fid, base, place, adjustment: null };
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
