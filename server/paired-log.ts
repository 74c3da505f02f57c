/** A log that tells whoever runs the server when a device joins: it may be one that nobody expected. */
import type { Log, LogFields } from '../shared/ports/log.ts';
import { PAIRED } from './core/session/hello.ts';

export interface PairedDevice {
  readonly device: number;
  readonly name: string;
  readonly user: string;
  readonly volume: string;
}

/** The same log; `onPaired` is called for each device that uses an invitation. */
export function tellingOfPaired(log: Log, onPaired: (device: PairedDevice) => void): Log {
  return {
    error: (message, fields) => log.error(message, fields),
    warn: (message, fields) => log.warn(message, fields),
    debug: (message, fields) => log.debug(message, fields),
    info: (message, fields) => {
      log.info(message, fields);
      if (message === PAIRED && fields !== undefined) onPaired(pairedOf(fields));
    },
    with: (fields) => tellingOfPaired(log.with(fields), onPaired),
  };
}

function pairedOf({ device, name, user, volume }: LogFields): PairedDevice {
  return { device: Number(device), name: String(name), user: String(user), volume: String(volume) };
}
