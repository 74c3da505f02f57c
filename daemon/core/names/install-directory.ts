/** Takes a whole directory into the cache. The feed must repeat the rows after its commit that came before the directory did. */
import { volumeOf, type Fid } from '../../../shared/model/fid.ts';
import type { CommitNumber, DataVersion } from '../../../shared/model/vnode.ts';
import type { ClientState } from '../state.ts';

/**
 * Puts the whole listing of a directory, as of commit `at`, into the name cache. If the cache had
 * followed the feed beyond `at`, it takes the feed up again from there.
 */
export function installDirectory(
  state: ClientState,
  dir: Fid,
  at: CommitNumber,
  version: DataVersion,
  entries: ReadonlyMap<string, Fid>,
): void {
  state.names.directories.install(dir, at, version, entries);
  const volume = state.names.volumes.get(volumeOf(dir));
  if (volume === undefined || volume.row.caughtUp <= at) return;
  volume.row = { ...volume.row, caughtUp: at };
  state.names.volumes.save(volume);
}
