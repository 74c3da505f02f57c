/** What there is to say of a daemon that runs another version of the program than is installed: it was started before the last update. */
import { printable } from './printable.ts';
import type { StatusSnapshot } from '../../shared/control/snapshot.ts';

export const RESTART =
  'start it again: `godwit down`, then `godwit up` (or `systemctl --user restart godwit`)';

/** null: it is of the same version, or there is none that could tell. */
export function olderDaemon(
  status: Pick<StatusSnapshot, 'version' | 'installed'> | null,
  ours: string,
): string | null {
  if (status === null) return null;
  // This command may be of a third version: what lies where the daemon began is what it would be.
  const { version, installed = ours } = status;
  return version === installed
    ? null
    : `the daemon runs version ${version}, and ${printable(installed)} is installed`;
}
