/** Writes that belong to a device: its row, its results, its marks, its lease, its blocks, the invitation it used; and its user's orders. */
import { USUAL_SETS } from '../../../shared/model/access-list.ts';
import type { DeviceId } from '../../../shared/model/change.ts';
import { freeDeviceName } from '../../../shared/model/device-name.ts';
import type { RowWrite } from '../../../shared/model/stored.ts';
import { assert } from '../../../shared/util/assert.ts';
import { giveAccess } from './access-rows.ts';
import { deviceNames } from './account-rows.ts';
import type { Statements } from './statements.ts';
import { partsOf } from './vnode-row.ts';

export type AccountWrite = Exclude<
  RowWrite,
  { kind: 'vnode' | 'entry' | 'log' | 'content' | 'used' }
>;

/** An administrator may have revoked or renamed the device meanwhile; that stays. */
const UPSERT_DEVICE =
  'INSERT INTO device (id, fingerprint, name, user, created_ms, incarnation, previous_incarnation, last_hello_ms)' +
  ' VALUES (?, ?, ?, ?, ?, ?, ?, ?)' +
  ' ON CONFLICT (id) DO UPDATE SET incarnation = excluded.incarnation,' +
  ' previous_incarnation = excluded.previous_incarnation, last_hello_ms = excluded.last_hello_ms';

const USER_OF = 'SELECT user FROM device WHERE id = ?';

/** Writes one row about a device, its user or an invitation, within the caller's transaction. */
export function writeAccount(statements: Statements, write: AccountWrite): void {
  switch (write.kind) {
    case 'applied': {
      const { device, result, name } = write;
      // A second result of one update would break rule W4, and the key refuses it.
      const text = JSON.stringify(result);
      const values = [device, result.seq, text, name ?? null];
      statements.run(
        'INSERT INTO applied (device, seq, result, name) VALUES (?, ?, ?, ?)',
        ...values,
      );
      return;
    }
    case 'low-water':
      return writeLowWater(statements, write);
    case 'dirty': {
      const { volume, vnode, uniquifier } = partsOf(write.fid);
      const mark = [write.device, volume, vnode, uniquifier, write.seq];
      statements.run('INSERT OR REPLACE INTO dirty VALUES (?, ?, ?, ?, ?)', ...mark);
      return;
    }
    case 'clean': {
      const { volume, vnode, uniquifier } = partsOf(write.fid);
      const key = [write.device, volume, vnode, uniquifier];
      statements.run(
        'DELETE FROM dirty WHERE device = ? AND volume = ? AND vnode = ? AND uniquifier = ?',
        ...key,
      );
      return;
    }
    case 'device': {
      const { id, fingerprint, user, incarnation, previousIncarnation, when } = write;
      const name = freeName(statements, write);
      const values = [id, fingerprint, name, user, when, incarnation, previousIncarnation, when];
      statements.run(UPSERT_DEVICE, ...values);
      return;
    }
    case 'device-name': {
      const { id } = write;
      const [{ user } = { user: 0 }] = statements.all<{ user: number }>(USER_OF, id);
      const name = freeName(statements, { ...write, user });
      const known = statements.run('UPDATE device SET name = ? WHERE id = ?', name, id);
      assert(known === 1, 'a name is that of a device', { device: write.id });
      return;
    }
    case 'redeemed':
      return writeRedeemed(statements, write);
    case 'block': {
      const { volume, uniquifier, first, count, device } = write;
      const values = [volume, uniquifier, first, count, device];
      statements.run('INSERT INTO block VALUES (?, ?, ?, ?, ?)', ...values);
      return;
    }
    case 'lease':
      statements.run('INSERT OR IGNORE INTO lease VALUES (?, ?)', write.device, write.run);
      return;
    case 'no-lease':
      statements.run('DELETE FROM lease WHERE device = ? AND run = ?', write.device, write.run);
      return;
    case 'sharing':
      return writeSharing(statements, write);
  }
}

/** An administrator may have given the name to another device of the user since the core looked (rule of RenameDevice: no two are called the same). */
function freeName(
  statements: Statements,
  { id, user, name }: { readonly id: DeviceId; readonly user: number; readonly name: string },
): string {
  const others = deviceNames(statements, user).filter((each) => each.id !== id);
  return freeDeviceName(
    name,
    others.map((each) => each.name),
  );
}

function writeSharing(
  statements: Statements,
  { fid, order }: Extract<AccountWrite, { kind: 'sharing' }>,
): void {
  const { volume, vnode, uniquifier } = partsOf(fid);
  const key = [volume, vnode, uniquifier];
  if (order !== null) {
    statements.run('INSERT OR REPLACE INTO sharing VALUES (?, ?, ?, ?)', ...key, order);
    return;
  }
  statements.run('DELETE FROM sharing WHERE volume = ? AND vnode = ? AND uniquifier = ?', ...key);
}

function writeLowWater(
  statements: Statements,
  { device, lowWater }: Extract<AccountWrite, { kind: 'low-water' }>,
): void {
  const known = statements.run('UPDATE device SET low_water = ? WHERE id = ?', lowWater, device);
  assert(known === 1, 'a low water is that of a device', { device });
  statements.run('DELETE FROM applied WHERE device = ? AND seq < ?', device, lowWater);
}

function writeRedeemed(
  statements: Statements,
  { id, fingerprint, user, volume, rights, when }: Extract<AccountWrite, { kind: 'redeemed' }>,
): void {
  const known = statements.run(
    'UPDATE invitation SET redeemed_by = ?, redeemed_ms = ? WHERE id = ?',
    ...[fingerprint, when, id],
  );
  assert(known === 1, 'the invitation is there', { id });
  // Rights are only ever added by an invitation, never taken.
  giveAccess(statements, { user, volume, rights: USUAL_SETS[rights] });
}
