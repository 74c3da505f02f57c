import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { programCommit } from './version.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-version-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('which programs were run', () => {
  it('is the version of the package where there is no git, and where this is no checkout', () => {
    writeFileSync(join(folder, 'package.json'), '{"version": "3.2.1"}');
    expect(programCommit(folder, join(folder, 'no-git'))).toBe('version 3.2.1');
    expect(programCommit(folder)).toBe('version 3.2.1');
  });

  it('never fails', () => {
    expect(programCommit(folder, join(folder, 'no-git'))).toBe('of an unknown version');
  });

  it('is said of this checkout', () => {
    expect(programCommit()).toMatch(/^([0-9a-f]{40}( with changes)?|version \d+\.\d+\.\d+)$/);
  });
});
