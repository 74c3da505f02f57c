/**
 * What a front end reports as done on its disk, where a conflict has meanwhile made something else of the vnode it names.
 *
 * Until an adjustment has been carried out, the file on the disk is still the losing side under the old name. So a write to it
 * is a write to the copy, and its removal is the copy's: the server's version was never on this disk and must not go with it. Of a file with
 * several names on the disk the copy goes with the last one.
 */
import type { Fid } from '../../../shared/model/fid.ts';
import {
  commitNumber,
  dataVersion,
  mtimeFromMs,
  type DataVersion,
  type Digest,
  type VnodeStatus,
} from '../../../shared/model/vnode.ts';
import type { Attributes, Place, SeenVersion } from '../../../shared/ports/file-system.ts';
import type { ClientState } from '../state.ts';
import { attributesOf, viewPlaces, viewStatus } from './view.ts';
import type { WaitKey } from '../waits/wait-key.ts';

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

/** A version on the disk. `base` null: the version that the disk has, whichever it is. `digest` null: not known. */
type Seen = Pick<SeenVersion, 'fid' | 'digest'> & { readonly base: DataVersion | null };

/**
 * Translates a vnode and version that a front end has seen into those that the update is about. After a conflict this may be the copy, a merged
 * vnode, or a new place. `base` null: the version that the disk has, whichever it is.
 */
export function inObservation(state: ClientState, seen: Seen, place: Place = NOWHERE): Observed {
  const { fid: copy, ahead, shown } = intoCopies(state, seen);
  const version = dataVersion((shown ?? ahead) - ahead);
  const base = baseOf(state, { fid: copy, base: version, digest: seen.digest ?? null });
  if (copy !== seen.fid) {
    const at = viewPlaces(state, copy)[0] ?? place;
    const adjustment = state.conflict.adjustments.ofCopy(copy);
    return { fid: copy, base, ahead, place: at, adjustment };
  }
  const alias = state.names.aliases.get(seen.fid);
  const fid = alias?.kind === 'merged' ? alias.into : seen.fid;
  const renamed = state.conflict.adjustments.ofRenamed(fid, place);
  if (renamed !== null) return { fid, base, ahead, place: renamed.to, adjustment: renamed.id };
  return { fid, base, ahead, place, adjustment: null };
}

/**
 * The copy of what lost, or the copy of that, and so on. The contents there are counted from 1; on the disk they went on being counted
 * from the version that they were made over. What others have made of a copy since was not on this disk: it is no base for what is.
 * `shown`: the version that it was done over.
 */
function intoCopies(
  state: ClientState,
  { fid, base, digest = null }: Seen,
): { readonly fid: Fid; readonly ahead: number; readonly shown: number | null } {
  let [at, ahead] = [fid, 0];
  for (;;) {
    const alias = state.names.aliases.get(at);
    if (alias?.kind !== 'copied') break;
    // A disk that did not show what lost yet: what was done there was done over neither.
    if (base !== null && base - ahead <= alias.lost) break;
    if (base !== null && digest !== null && !isOurs(state, alias.into, digest)) {
      // The disk has never shown what lost: a program stored that, and the disk shows the winner under the same number.
      const winner = state.names.attributes.get(at);
      const isWinner = winner?.version === base - ahead && winner.digest === digest;
      return { fid: at, ahead, shown: isWinner ? base : ahead + alias.lost };
    }
    at = alias.into;
    ahead += alias.lost;
  }
  return { fid: at, ahead, shown: base };
}

/** They are, or were before a later store of ours that waits, the contents of a copy; or of the copy of that. */
function isOurs(state: ClientState, copy: Fid, digest: Digest): boolean {
  if (viewStatus(state, copy)?.digest === digest) return true;
  const logged = state.log.index.onVnode(copy);
  if (logged.some(({ update }) => update.op === 'store' && update.digest === digest)) return true;
  const alias = state.names.aliases.get(copy);
  return alias?.kind === 'copied' && isOurs(state, alias.into, digest);
}

/**
 * The version that a disk shows. A number alone does not tell where the contents are known: under the number of a store of ours that is not
 * decided a disk may show another's version, and who changes that has not seen ours. A number of a lost part (rule I1) means nothing any
 * more: what is shown is found by its contents, and what is found nowhere is older than all that is ours.
 */
export function baseOf(state: ClientState, { fid, base, digest = null }: SeenVersion): DataVersion {
  if (digest === null) return base;
  const ours = state.log.index
    .onVnode(fid)
    .map(({ update }) => update)
    .filter((update) => update.op === 'store');
  const named = ours.find((store) => store.base + 1 === base);
  if (named?.digest === digest) return base;
  const newest = viewStatus(state, fid);
  const isLost = newest !== undefined && base > newest.version;
  if (named === undefined && !isLost) return base;
  const same = ours.findLast((store) => store.digest === digest);
  if (same !== undefined) return dataVersion(same.base + 1);
  return isLost
    ? (state.names.attributes.get(fid)?.version ?? dataVersion(0))
    : dataVersion(base - 1);
}

export const settledKey = (fid: Fid): WaitKey => ({ kind: 'settled', fid });

/** A store of it is being made durable; what follows must be logged after it. */
export function isBeingClosed(state: ClientState, fid: Fid): boolean {
  for (const handle of state.calls.handles.values()) {
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
