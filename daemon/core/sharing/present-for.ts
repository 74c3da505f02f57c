/** How long cached contents may be used without a question: under the promise for the whole volume, so that a break of anything in it is heard. */
import { volumeOf, type Fid } from '../../../shared/model/fid.ts';
import {
  elapsed,
  milliseconds,
  seconds,
  type Duration,
  type Instant,
} from '../../../shared/model/time.ts';
import type { DataVersion } from '../../../shared/model/vnode.ts';
import type { ClientState } from '../state.ts';

/** While the server is away nothing is promised, and what is cached is used. It is looked again so often whether that is still so. */
const WHILE_AWAY = seconds(2);
const NOT = milliseconds(0);

/** So long from `now` this version is the present one for certain, unless a promise is broken; 0: that is not known. */
export function presentFor(
  state: ClientState,
  fid: Fid,
  version: DataVersion,
  now: Instant,
): Duration {
  const isShown = state.names.attributes.get(fid)?.version === version;
  if (!isShown || state.log.index.onVnode(fid).length > 0) return NOT;
  if (!state.session.isUp) return state.isAway() ? WHILE_AWAY : NOT;
  const { promises, behind } = state.sharing;
  const volume = volumeOf(fid);
  if (!promises.holdsVolume(volume) || promises.isBehind(volume)) return NOT;
  const isOpen = !state.names.volumes.isShut(fid) && !behind.has(fid) && state.isPromised(fid);
  if (!isOpen || state.config.without?.promises === true) return NOT;
  const left = elapsed(now, promises.leaseEnd ?? now);
  return left > 0 ? left : NOT;
}
