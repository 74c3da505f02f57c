/** The rows of `godwit bench mount`, in a plain folder: what is no mount is as fast as itself, so only that all can be done is looked at. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { MOUNT_ROWS } from './mount-rows.ts';

it('each row can be done in every round, and leaves the files that it names', () => {
  const folder = mkdtempSync(join(tmpdir(), 'godwit-rows-'));
  const settings = { large: 1024 * 1024, names: 20, rounds: 1 };
  try {
    for (const row of MOUNT_ROWS) {
      row.prepare?.(folder, settings);
      for (const round of [0, 1]) row.run(folder, settings, round);
    }
    expect(readdirSync(folder)).toEqual(
      expect.arrayContaining(['large', 'large-1', 'made-1', 'small', 'tree', 'write-1-15']),
    );
    expect(readdirSync(join(folder, 'names'))).toHaveLength(settings.names);
    expect(readdirSync(join(folder, 'made-1')).length).toBeGreaterThan(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
