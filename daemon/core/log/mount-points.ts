/**
 * What a mount point shows here and now (rule M2): the root of its volume, or nothing, with the reason. It is looked up each time: rights come and go,
 * and a mount point stays as it is.
 */
import { rootOf, volumeOf, type Fid, type VolumeId } from '../../../shared/model/fid.ts';
import { isMountPoint, mountedVolume } from '../../../shared/model/mount-point.ts';
import type { VnodeStatus } from '../../../shared/model/vnode.ts';
import type { Attributes, Mounted } from '../../../shared/ports/file-system.ts';
import { attributesOf, viewEntry, viewStatus } from './view.ts';
import type { ClientState } from '../state.ts';

const HIDDEN = 'it shows a volume that this laptop may not see';
const UNKNOWN = 'what it shows is not known here, and the server is away';

/** The root that is shown there; or why nothing is. `status` is that of a mount point. */
export function shownBy(state: ClientState, status: VnodeStatus): { root: Fid } | { why: string } {
  const { volumes } = state.names;
  const volume = mountedVolume(status);
  if (volume === null || !volumes.has(volume)) return { why: HIDDEN };
  const removed = volumes.removedName(volume);
  if (removed !== null) return { why: `the volume ${removed} was removed on the server` };
  return volumes.rightsIn(volume) === null ? { why: HIDDEN } : { root: rootOf(volume) };
}

/** What is listed where a mount point is: what it shows, or an empty folder with the reason. */
export function acrossMount(state: ClientState, status: VnodeStatus): Attributes {
  const shown = shownBy(state, status);
  const root = 'root' in shown ? viewStatus(state, shown.root) : undefined;
  if (root === undefined || root.links === 0) {
    return nothingShown(state, status, 'why' in shown ? shown.why : UNKNOWN);
  }
  const volume = state.names.volumes.nameOf(volumeOf(root.fid)) ?? null;
  return { ...attributesOf(state, root), mounted: { at: status.fid, volume, why: null } };
}

/** An empty folder that takes nothing. */
function nothingShown(state: ClientState, status: VnodeStatus, why: string): Attributes {
  const mounted: Mounted = { at: status.fid, volume: null, why };
  return { ...attributesOf(state, status), mounted };
}

/** Why nothing can be made in a directory; null: it is no mount point, or not known here. */
export function refusesEntries(state: ClientState, dir: Fid): string | null {
  const status = viewStatus(state, dir);
  if (status === undefined || !isMountPoint(status)) return null;
  const shown = shownBy(state, status);
  if ('why' in shown) return shown.why;
  const name = state.names.volumes.nameOf(volumeOf(shown.root)) ?? '';
  return `it shows the volume ${name}, and holds nothing itself`;
}

export interface CrossedPath {
  readonly volume: VolumeId;
  readonly names: readonly string[];
}

/**
 * The volume that a path ends in, with the path there, as far as the view knows. The walk ends at the second crossing of a volume (M2): what is
 * beyond is in nothing.
 */
export function crossedPath(
  state: ClientState,
  volume: VolumeId,
  names: readonly string[],
): CrossedPath {
  const seen = new Set([volume]);
  let at = rootOf(volume);
  let [here, from] = [volume, 0];
  for (const [index, name] of names.entries()) {
    const fid = viewEntry(state, at, name) ?? null;
    const status = fid === null ? undefined : viewStatus(state, fid);
    if (status === undefined) break;
    at = status.fid;
    if (!isMountPoint(status)) continue;
    const shown = shownBy(state, status);
    if ('why' in shown || seen.has(volumeOf(shown.root))) break;
    at = shown.root;
    here = volumeOf(at);
    from = index + 1;
    seen.add(here);
  }
  return { volume: here, names: names.slice(from) };
}
