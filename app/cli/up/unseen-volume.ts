/** Whether the device that said hello sees a volume to show. */
import type { DaemonConfig } from '../../../shared/control/config.ts';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import { compareNames } from '../../../shared/model/names.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { printable } from '../printable.ts';

/** What is wrong with the volume of the settings; null: it is there, or was here before and may be removed for a while. */
export function unseenVolume(
  { volume: named }: DaemonConfig,
  { volumes, errors }: StatusSnapshot,
): GodwitError | null {
  if (volumes.some(({ name }) => name === named)) return null;
  if (named === undefined && volumes.length > 0) return null;
  const told = errors.find(({ code }) => code === 'volume-removed');
  if (told !== undefined) return new GodwitError('volume-removed', told.message);
  const seen = volumes
    .filter(({ shut }) => shut !== true)
    .map(({ name }) => printable(name))
    .sort(compareNames);
  if (seen.length === 0) {
    const ask = 'ask who runs the server for an invitation to one';
    return new GodwitError('no-such-volume', 'this device sees no volume of the server', ask);
  }
  const only = seen.join(', ');
  const what = `this device sees no volume ${printable(named ?? '')}, only ${only}`;
  const goOn = 'this laptop is paired; choose one of them: `godwit up --volume NAME`';
  return new GodwitError('no-such-volume', what, goOn);
}
