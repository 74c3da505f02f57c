/**
 * Paired again (rule I2): the data folder has another identity than the device that it was. A copy of a data folder is refused by the
 * server; with a new key and a new invitation it goes on as a device of its own.
 *
 * Everything here stays: names, contents, and the log, whose updates become the new device's. Where the other copy has made the
 * same ones, the server has them already; where it went on differently, they conflict like anybody's.
 */
import { NAME_KEY } from '../names/device-name.ts';
import type { ClientState } from '../state.ts';

const OF_THE_DEVICE = [
  ...['device', 'incarnation', 'incarnation-next', 'ticket', 'identity'],
  NAME_KEY,
];

/** The last number that was given as the device before. */
export const LOGGED_BEFORE = 'logged-before-pairing';

/** The identity is not the one that was paired. */
export function isAnotherDevice({ config, meta }: ClientState): boolean {
  const paired = meta.get('identity');
  return config.identity !== undefined && typeof paired === 'string' && paired !== config.identity;
}

/**
 * Drops what belongs to the former device: its values in `meta`, and its blocks of vnode numbers.
 * The log stays, and its updates become those of the new device.
 */
export function becomeAnotherDevice(state: ClientState): void {
  for (const key of OF_THE_DEVICE) {
    state.meta.drop(key);
  }
  // The other copy gives the numbers of these blocks to vnodes of its own (rule I3).
  for (const volume of state.names.volumes.values()) {
    volume.row = { ...volume.row, blocks: [] };
    volume.madeBefore = [];
    state.names.volumes.save(volume);
  }
  state.meta.set(LOGGED_BEFORE, state.log.lastSeq);
  state.log.pairedAfter(state.log.lastSeq);
  state.out.log('warn', 'this data folder is paired again, as another device');
}
