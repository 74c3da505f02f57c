/** Reads the lists of groups: what is in the file store of a group's vnode, once for each content. */
import { parseGroup } from '../../../shared/model/file-group.ts';
import { MAX_GROUP_BYTES } from '../../../shared/model/file-group.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import type { VnodeStatus } from '../../../shared/model/vnode.ts';
import { MOST_LISTED } from '../../limits.ts';
import type { FileOutcome } from '../events.ts';
import type { ClientState } from '../state.ts';
import { lastStore } from '../log/view.ts';

/** The files of a group in their order; null: it is no list, or has none. */
export function groupFiles(
  state: ClientState,
  status: VnodeStatus,
): readonly Fid[] | 'begun' | null {
  const { fid } = status;
  const name = lastStore(state, fid)?.content ?? state.cache.files.find(status)?.name;
  if (name === undefined) return null;
  const known = state.prefetch.groups.get(fid);
  if (known?.name === name) return known.files;
  state.prefetch.reading = name;
  state.cache.files.hold(name);
  state.runTask({ what: 'read', name, most: MAX_GROUP_BYTES }, { for: 'group', fid, name });
  return 'begun';
}

/**
 * Takes the contents of a file group that were read from the file store, and keeps its list of
 * fids. Contents that are no group are logged as a warning, and count as an unreadable group.
 */
export function onGroupRead(
  state: ClientState,
  { fid, name }: { readonly fid: Fid; readonly name: string },
  outcome: FileOutcome,
): void {
  const {
    prefetch,
    cache: { files },
  } = state;
  files.release(name);
  prefetch.reading = null;
  prefetch.look = true;
  const text = outcome.ok ? (outcome.text ?? null) : null;
  const group = text === null ? null : parseGroup(text);
  if (group === null) state.out.log('warn', 'a file group can not be read', { fid });
  prefetch.groups.delete(fid);
  prefetch.groups.set(fid, { name, files: group?.files ?? null });
  const [oldest] = prefetch.groups.keys();
  if (prefetch.groups.size > MOST_LISTED && oldest !== undefined) prefetch.groups.delete(oldest);
}
