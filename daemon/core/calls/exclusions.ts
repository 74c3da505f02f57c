/**
 * Which folders a person does not want on this disk (rule X1): said of a vnode, so it holds wherever others move it. What is at it is the front end's
 * to take away or to bring back.
 */
import { volumeOf, type Fid, type VolumeId } from '../../../shared/model/fid.ts';
import { resolved } from '../names/aliases.ts';
import { wakeFrontEnds } from '../cache/update-cache.ts';
import { done, refused, type Attempt } from '../waits/attempt-result.ts';
import type { WaitingCall } from '../waits/waiting-calls.ts';
import type { ClientState } from '../state.ts';
import { presentStatus } from './reads.ts';

/** Excludes a folder, or includes it; answers whether that is other than before. */
export function attemptExclusion(
  state: ClientState,
  waiting: WaitingCall,
  act: 'exclude' | 'include',
  fid: Fid,
): Attempt {
  return act === 'exclude' ? exclude(state, waiting, fid) : include(state, fid);
}

/** Refuses `not-a-directory`, and a volume's root as `usage`. */
function exclude(state: ClientState, { requestId: since }: WaitingCall, given: Fid): Attempt {
  const fid = resolved(state, given);
  const found = presentStatus(state, fid, since);
  if ('kind' in found) return found;
  if (found.status.kind !== 'directory') return refused('not-a-directory', `${fid} is no folder`);
  if (fid === state.names.volumes.get(volumeOf(fid))?.row.info.root) {
    return refused('usage', 'the root of a volume is always kept');
  }
  if (state.cache.excluded.has(fid)) return done(false);
  state.cache.excluded.set(fid, { since: state.now.wall });
  return changed(state);
}

/** Also of what is gone. */
function include(state: ClientState, given: Fid): Attempt {
  const marked = [given, resolved(state, given)].filter((fid) => state.cache.excluded.has(fid));
  if (marked.length === 0) return done(false);
  for (const fid of marked) state.cache.excluded.drop(fid);
  return changed(state);
}

function changed(state: ClientState): Attempt {
  wakeFrontEnds(state);
  state.changed = true;
  return done(true);
}

/** The excluded folders of a volume. */
export function excludedIn(state: ClientState, volume: VolumeId): Fid[] {
  return state.cache.excluded.all().filter((fid) => volumeOf(fid) === volume);
}
