/** What an administrator does with devices, on the database of a server that may be running in another process. */
import type { DeviceId } from '../../../shared/model/change.ts';
import type { WallTime } from '../../../shared/model/time.ts';
import { isSameDeviceName } from '../../../shared/model/device-name.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import type { Sqlite } from '../../../shared/sqlite/database.ts';

export interface ListedDevice {
  readonly id: DeviceId;
  readonly name: string;
  readonly userName: string;
  readonly fingerprint: string;
  readonly created: WallTime;
  /** When it last began with a new incarnation of its data folder. */
  readonly lastHello: WallTime;
  readonly revoked: WallTime | null;
}

const LIST =
  'SELECT device.id, device.name, user.name AS userName, fingerprint, created_ms AS created,' +
  ' last_hello_ms AS lastHello, revoked_ms AS revoked' +
  ' FROM device JOIN user ON user.id = device.user ORDER BY device.id';

/** In order of their numbers. */
export function listDevices(database: Sqlite): ListedDevice[] {
  return database.prepare(LIST).all() as ListedDevice[];
}

/**
 * The device is called so from now on, for everyone; a server that is running sees it within ACCESS_POLL. False: there is no such
 * device. Throws GodwitError `device-name-taken` if another device of its user that is not revoked has the name.
 */
export function renameDevice(database: Sqlite, device: DeviceId, name: string): boolean {
  const others = database.prepare<[number, number], { id: number; name: string }>(
    'SELECT other.id, other.name FROM device JOIN device AS other ON other.user = device.user' +
      ' WHERE device.id = ? AND other.id != ? AND other.revoked_ms IS NULL ORDER BY other.id',
  );
  const rename = database.transaction((): boolean => {
    const taken = others.all(device, device).find((other) => isSameDeviceName(other.name, name));
    if (taken !== undefined) {
      throw new GodwitError('device-name-taken', `device ${taken.id} is called “${taken.name}”`);
    }
    return (
      database.prepare('UPDATE device SET name = ? WHERE id = ?').run(name, device).changes === 1
    );
  });
  return rename.immediate();
}

/**
 * The device is admitted no more; a server that is running sees it within ACCESS_POLL. One revoked before stays as it
 * is. False: there is no such device.
 */
export function revokeDevice(database: Sqlite, device: DeviceId, now: WallTime): boolean {
  const changed = database
    .prepare('UPDATE device SET revoked_ms = coalesce(revoked_ms, ?) WHERE id = ?')
    .run(now, device).changes;
  return changed === 1;
}
