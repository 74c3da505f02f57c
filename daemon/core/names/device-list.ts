/** The devices of this person, as they are kept (known-devices.ts). */
import type { DeviceId } from '../../../shared/model/change.ts';
import type { WallTime } from '../../../shared/model/time.ts';

export interface KnownDevice {
  readonly device: DeviceId;
  readonly name: string;
  readonly since: WallTime;
  /** When this laptop heard of it; left out: it was there before. */
  readonly heard?: WallTime;
}

/** What is kept; `epoch` null: the server told none. */
export interface Known {
  readonly epoch: string | null;
  readonly devices: readonly KnownDevice[];
}

/** The list as it is kept, and whether it was told in this run of the daemon: names may be others since the last one. */
export class KnownDevices {
  current: Known | null = null;
  wasTold = false;
}
