/** What there is to say of a daemon that runs another version of the program than is installed: it was started before the last update. */
import type { StatusSnapshot } from '../../shared/control/snapshot.ts';

export const RESTART =
  'start it again: `godwit down`, then `godwit up` (or `systemctl --user restart godwit`)';

/** null: it is of the same version, or there is none that could tell. */
export function olderDaemon(
  status: Pick<StatusSnapshot, 'version'> | null,
  ours: string,
): string | null {
  if (status === null || status.version === ours) return null;
  return `the daemon runs version ${status.version}, and ${ours} is installed`;
}
