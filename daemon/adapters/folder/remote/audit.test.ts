/** When the folder is to be held against the volume. */
import { expect, it } from '@jest/globals';
import { Audit, type AuditParts } from './audit.ts';

it('commits held anew are audited, also where as many were left over before', () => {
  const held = { size: 2 };
  const store = { state: () => null, setState: () => undefined };
  const audit = new Audit({ held, store, records: { hasMarks: false } } as unknown as AuditParts);
  expect(audit.isWanted).toBe(true);
  audit.settled();
  expect(audit.isWanted).toBe(false);
  held.size = 0;
  expect(audit.isWanted).toBe(false);
  held.size = 2;
  expect(audit.isWanted).toBe(true);
});
