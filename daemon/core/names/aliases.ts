/** Fids of ours that have become other vnodes: where calls for them go. */
import { volumeOf, type Fid } from '../../../shared/model/fid.ts';
import type { AliasRow } from '../../../shared/ports/client-store.ts';
import { isFollowed } from './followed.ts';
import type { ClientState } from '../state.ts';

/** One step leads to where calls go: what was led to `fid` is led on, and what would be led to itself is itself again. */
export function addAlias(state: ClientState, fid: Fid, alias: AliasRow): void {
  if (alias.kind === 'copied' && !isFollowed(state, volumeOf(fid))) return;
  setAlias(state, fid, alias);
  if (alias.kind !== 'merged') return;
  state.cache.excluded.inherit(fid, alias.into);
  for (const [from, { kind, into }] of state.names.aliases) {
    if (kind !== 'merged' || into !== fid) continue;
    if (from === alias.into) dropAlias(state, from);
    else setAlias(state, from, alias);
  }
}

export function dropAlias(state: ClientState, fid: Fid): void {
  state.names.aliases.drop(fid);
}

function setAlias(state: ClientState, fid: Fid, alias: AliasRow): void {
  state.names.aliases.put(fid, alias);
}

/** Where calls for a fid of ours that turned out to be another one go. */
export function resolved(state: ClientState, fid: Fid): Fid {
  const alias = state.names.aliases.get(fid);
  return alias?.kind === 'merged' ? alias.into : fid;
}
