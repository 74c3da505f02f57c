/** When the folder is to be held against the volume. */
import { expect, it } from '@jest/globals';
import { Audit, type AuditParts } from './audit.ts';

it('commits held anew are audited, also where as many were left over before', () => {
  const held = { size: 2 };
  const store = { state: () => null, setState: () => undefined };
  const excluded = { heldBesides: () => held.size };
  const parts = { held, excluded, store, records: { hasMarks: false } };
  const audit = new Audit(parts as unknown as AuditParts);
  expect(audit.isWanted).toBe(true);
  audit.settled();
  expect(audit.isWanted).toBe(false);
  held.size = 0;
  expect(audit.isWanted).toBe(false);
  held.size = 2;
  expect(audit.isWanted).toBe(true);
});

it('the end of the folder does not wait for the flush of an audit', async () => {
  const ending = new AbortController();
  const parts = {
    fileSystem: { flush: () => new Promise(() => undefined) },
    volume: { id: 1 },
    background: { signal: ending.signal },
    records: { marks: () => [], hasMarks: false },
    store: { state: () => null, setState: () => undefined },
  };
  const running = new Audit(parts as unknown as AuditParts).run();
  ending.abort(new Error('the folder ends'));
  await expect(running).rejects.toThrow('the folder ends');
});
