/** The words for what stands in the way of something from elsewhere. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { HookedHost } from '../../../../test/support/hooked-host.ts';
import { SafeRoot } from '../disk/safe-root.ts';
import { systemDisk } from '../disk/system-disk.ts';
import { IgnoreRules } from '../local/ignore-rules.ts';
import { CHANGED_HERE, inTheWay } from './in-the-way.ts';

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'godwit-way-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

it('the folder itself, with what it holds of ours, is never what stands in the way', () => {
  mkdirSync(join(dir, '.godwit'));
  mkdirSync(join(dir, 'd'));
  writeFileSync(join(dir, 'd', 'x.swp'), '');
  const files = systemDisk(new HookedHost());
  const parts = { files, root: new SafeRoot(dir, files), ignored: new IgnoreRules(dir, files) };
  expect(inTheWay([], parts).reason).toBe(CHANGED_HERE);
  expect(inTheWay(['d'], parts).reason).toMatch(/^a folder/);
  expect(inTheWay(['nothing'], parts).reason).toBe(CHANGED_HERE);
});
