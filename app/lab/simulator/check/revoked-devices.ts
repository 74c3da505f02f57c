/**
 * Which devices are revoked, from when the server has heard of it: nothing of theirs comes any more, and nobody waits for it (rule S4). Such a
 * laptop may not have heard of it itself, and takes its session for one that is there. It comes back only where a backup knows nothing of
 * that, with a Hello.
 */
import type { DeviceId } from '../../../../shared/model/change.ts';
import type { Laptop } from './laptop.ts';
import type { Observation } from './observation.ts';

/** Knows which devices the server has heard to be revoked. */
export class RevokedDevices {
  readonly #revoked = new Set<DeviceId>();

  hear(observation: Observation): void {
    if (observation.kind !== 'access') return;
    for (const { device, revoked, fingerprint } of observation.devices) {
      if (revoked) this.#revoked.add(device);
      else if (fingerprint !== undefined) this.#revoked.delete(device);
    }
  }

  has(laptop: Laptop): boolean {
    return this.#revoked.has(laptop.daemon.inside.meta.get('device') as DeviceId);
  }
}
