/** Finds the places of a conflict that were removed or moved since it was recorded, and so lead to nothing. */
import type { ConflictPlace } from '../../../shared/control/snapshot.ts';
import type { ConflictRow } from '../../../shared/ports/client-store.ts';
import { viewEntry } from '../log/view.ts';
import type { ClientState } from '../state.ts';
import { HAD_BOTH } from './conflict-list.ts';

const HAD_NONE = new Set(['renamed-removed']);

/** The places that the view surely has no more. */
export function gonePlaces(state: ClientState, row: ConflictRow): ConflictPlace[] {
  const { kind, path, copy } = row;
  if (HAD_NONE.has(kind)) return [];
  const places: ConflictPlace[] = HAD_BOTH.has(kind) && path !== copy ? ['path', 'copy'] : ['copy'];
  return places.filter((place) => isGone(state, row, row[place]));
}

function isGone(state: ClientState, { volume }: ConflictRow, path: string): boolean {
  const known = volume === null ? undefined : state.names.volumes.get(volume);
  if (known === undefined || known.isShut) return false;
  let at = known.row.info.root;
  for (const name of path.split('/')) {
    const fid = viewEntry(state, at, name);
    if (fid === null) return true;
    if (fid === undefined) return false;
    at = fid;
  }
  return false;
}
