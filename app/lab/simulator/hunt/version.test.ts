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

describe('the version in a report', () => {
  it('is that of the package without git or a checkout', () => {
    writeFileSync(join(folder, 'package.json'), '{"version": "3.2.1"}');
    expect(programCommit(folder, join(folder, 'no-git'))).toBe('version 3.2.1');
    expect(programCommit(folder)).toBe('version 3.2.1');
  });

  it('is unknown when nothing can be found', () => {
    expect(programCommit(folder, join(folder, 'no-git'))).toBe('of an unknown version');
  });

  it('is the commit of this checkout', () => {
    expect(programCommit()).toMatch(/^([0-9a-f]{40}( with changes)?|version \d+\.\d+\.\d+)$/);
  });
});
