/** Which laptop the other side of a conflict came from: the newest version of its file tells. */
import type { ConflictStatus, StatusSnapshot } from '../../shared/control/snapshot.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import type { Context } from './context.ts';

/** The server may be slow just now, and the name is only a help. */
const ANSWER_LIMIT_MS = 3000;

/** The place of what another laptop keeps, where there is such a thing. */
function placeOfTheirs({ kind, path, copy }: ConflictStatus): string | null {
  if (kind === 'elsewhere') return copy;
  return (kind === 'contents' || kind === 'name') && path !== copy ? path : null;
}

/** The name of the other laptop. null: nobody can tell now, or the newest version is of this laptop by now. `status`: of the daemon just now. */
export async function otherLaptop(
  { daemon, usualVolume }: Context,
  conflict: ConflictStatus,
  { connected, device }: StatusSnapshot,
): Promise<string | null> {
  const path = placeOfTheirs(conflict);
  if (path === null || !connected) return null;
  const place = { volume: conflict.volume ?? usualVolume, path: path.split('/') };
  try {
    const signal = AbortSignal.timeout(ANSWER_LIMIT_MS);
    const by = (await daemon.command('versions', place, signal)).versions[0]?.by ?? null;
    return by === device.name ? null : by;
  } catch (error) {
    // Without the server nobody knows; a conflict is shown all the same.
    const isLate = error instanceof DOMException && error.name === 'TimeoutError';
    if (isLate || error instanceof GodwitError) return null;
    throw error;
  }
}
