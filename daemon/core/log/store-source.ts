/**
 * Where the server has the contents of a store already: a file that is moved into another volume is a new file there (M3), and its bytes need not be
 * sent again. The store names a version of another file, which the server looks up with the rights of this device (D2).
 */
import { volumeOf } from '../../../shared/model/fid.ts';
import type { StoreUpdate } from '../../../shared/model/update.ts';
import type { VnodeStatus } from '../../../shared/model/vnode.ts';
import { SOURCES_FROM } from '../../../shared/wire/rpcs.ts';
import { MIN_DELTA } from '../../limits.ts';
import type { SentContent } from '../effects.ts';
import type { ClientState } from '../state.ts';

/**
 * A version with the same contents, of a file in another volume that this device sees, or that was there a moment ago; null: none is known, or
 * the server is too old. Takes steps linear in the known names, where there are several volumes.
 */
export function sourceOf(
  state: ClientState,
  { fid, size, digest }: StoreUpdate,
): SentContent['from'] {
  const { volumes, attributes } = state.names;
  if (size < MIN_DELTA || volumes.size < 2) return null;
  if (((state.meta.get('protocol') ?? 1) as number) < SOURCES_FROM) return null;
  const own = volumeOf(fid);
  const isSame = (status: VnodeStatus): boolean => {
    if (status.size !== size || status.digest !== digest || status.version === 0) return false;
    const volume = volumeOf(status.fid);
    return volume !== own && volumes.rightsIn(volume) !== null;
  };
  for (const status of attributes.allWithEnded()) {
    if (isSame(status)) return { fid: status.fid, version: status.version };
  }
  return null;
}
