/**
 * The name of a file that a program is about to write to by its number, where no name of it was ever seen here: the server is asked how it is called.
 * Should somebody remove the file meanwhile, what is written comes back under that name (C3).
 *
 * It is asked once in a connection. Where the server is away, or has lost that commit, nothing is known, and nothing waits.
 */
import { makeFid, parseFid, volumeOf, type Fid } from '../../../shared/model/fid.ts';
import type { VnodeStatus } from '../../../shared/model/vnode.ts';
import type { ReplyOf } from '../../../shared/wire/rpcs.ts';
import { lastPlace } from './view.ts';
import type { ClientState } from '../state.ts';
import type { WaitKey } from '../waits/wait-key.ts';

/** More than have one number: it is among the first ones after the number before. */
const ASKED = 4;

const nameKey = (fid: Fid): WaitKey => ({ kind: 'name', fid });

/** What to wait for; null: a name is known, or nobody can tell. */
export function needName(state: ClientState, { fid, commit }: VnodeStatus): WaitKey | null {
  if (!state.session.isUp || lastPlace(state, fid) !== undefined) return null;
  const parts = parseFid(fid);
  if (parts === null || commit === 0) return null;
  const { asked } = state.names;
  if (asked.get(fid) === 'told') return null;
  if (!asked.has(fid)) {
    asked.set(fid, 'asked');
    const volume = volumeOf(fid);
    const after = makeFid(volume, parts.vnode - 1, parts.uniquifier);
    const body = { volume, at: commit, after, limit: ASKED };
    state.send({ rpc: 'Snapshot', body }, 'FETCH', { for: 'name', fid });
  }
  return nameKey(fid);
}

/** null: it could not be told. */
export function onNamed(state: ClientState, fid: Fid, reply: ReplyOf<'Snapshot'> | null): void {
  const found = reply?.vnodes.find(({ status }) => status.fid === fid)?.names[0];
  if (found !== undefined && lastPlace(state, fid) === undefined) {
    state.names.directories.past.left(fid, found);
  }
  state.names.asked.set(fid, 'told');
  state.waiting.signal(nameKey(fid));
}
