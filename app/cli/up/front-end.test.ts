/** Which front end `godwit up --front-end auto` takes, and why. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { DaemonConfig } from '../../../shared/control/config.ts';
import { FUSE_HERE, type FuseMachine } from '../../../shared/system/fuse.ts';
import { chooseFrontEnd } from './front-end.ts';

const CAN: FuseMachine = {
  ...FUSE_HERE,
  ...{ platform: 'linux', path: '/bin' },
  ...{ hasAddon: () => true, isUsable: () => true, exists: () => true },
};
const CANNOT: FuseMachine = { ...CAN, isUsable: () => false };
const asked = 'auto';
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-auto-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const existing = (frontEnd: DaemonConfig['frontEnd']): DaemonConfig => ({
  server: { host: '10.0.0.1', port: 4433, fingerprint: 'ab'.repeat(32) },
  ...{ folder, frontEnd, deviceName: 'laptop', frontEndWhy: 'as it was' },
});

it('a folder is usual, and what a person says is taken as it is', () => {
  expect(chooseFrontEnd({ asked: undefined, folder, existing: null }, CAN)).toEqual({
    frontEnd: 'folder',
  });
  for (const frontEnd of ['folder', 'mount', 'none'] as const) {
    const chosen = chooseFrontEnd({ asked: frontEnd, folder, existing: existing('mount') }, CANNOT);
    expect(chosen).toEqual({ frontEnd });
  }
  expect(chooseFrontEnd({ asked: undefined, folder, existing: existing('mount') }, CANNOT)).toEqual(
    { frontEnd: 'mount', why: 'as it was' },
  );
});

it('auto takes a mount where FUSE can be used and the folder is empty, or not there', () => {
  for (const place of [folder, join(folder, 'new')]) {
    expect(chooseFrontEnd({ asked, folder: place, existing: null }, CAN)).toEqual({
      ...{ frontEnd: 'mount', why: 'FUSE can be used here' },
    });
  }
  mkdirSync(join(folder, 'full'));
  writeFileSync(join(folder, 'full', 'file'), '');
  const full = { asked, folder: join(folder, 'full'), existing: null } as const;
  expect(chooseFrontEnd(full, CAN)).toMatchObject({ frontEnd: 'folder' });
});

it('auto takes a folder where FUSE can not be used, and says why', () => {
  for (const before of [null, existing('mount')]) {
    const { frontEnd, why } = chooseFrontEnd({ asked, folder, existing: before }, CANNOT);
    expect(frontEnd).toBe('folder');
    expect(why).toContain('/dev/fuse');
  }
});

it('auto leaves a folder that is there as it is, and a mount that can be mounted', () => {
  expect(chooseFrontEnd({ asked, folder, existing: existing('folder') }, CAN).frontEnd).toBe(
    'folder',
  );
  writeFileSync(join(folder, 'file'), '');
  expect(chooseFrontEnd({ asked, folder, existing: existing('mount') }, CAN).frontEnd).toBe(
    'mount',
  );
});
