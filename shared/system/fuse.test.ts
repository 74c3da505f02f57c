/** What a mount needs of a machine, and who holds one. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { fuseFaults, holdersOf, mayAllowOther, type FuseMachine } from './fuse.ts';

const WELL: FuseMachine = {
  ...{ platform: 'linux', isRoot: false, path: '/bin:/usr/bin' },
  hasAddon: () => true,
  isUsable: () => true,
  exists: (path) => ['/dev/fuse', '/usr/bin/fusermount3'].includes(path),
  settings: () => '# user_allow_other\n',
};

it.each<[string, Partial<FuseMachine>, string[]]>([
  ['with all that it needs', {}, []],
  ['of another system', { platform: 'darwin' }, ['device']],
  ['without the addon', { hasAddon: () => false }, ['addon']],
  ['with a device that is for others', { isUsable: () => false }, ['device']],
  ['without the helper', { exists: (path) => path === '/dev/fuse' }, ['helper']],
  [
    'with nothing of it',
    { hasAddon: () => false, isUsable: () => false, exists: () => false },
    ['addon', 'device', 'helper'],
  ],
])('each part that a machine %s lacks is named, with a remedy', (_, change, parts) => {
  const faults = fuseFaults({ ...WELL, ...change });
  expect(faults.map(({ part }) => part)).toEqual(parts);
  expect(faults.every(({ remedy }) => remedy.includes('--front-end folder'))).toBe(true);
});

it('others are let in by root, and by a user where the settings of FUSE say so', () => {
  expect(mayAllowOther(WELL)).toBe(false);
  expect(mayAllowOther({ ...WELL, isRoot: true })).toBe(true);
  expect(mayAllowOther({ ...WELL, settings: () => 'mount_max = 9\nuser_allow_other\n' })).toBe(
    true,
  );
  const unreadable = (): string => {
    throw new Error('ENOENT');
  };
  expect(mayAllowOther({ ...WELL, settings: unreadable })).toBe(false);
});

it('a program that has a file in a mount open, or is in a folder of it, holds it', () => {
  const proc = mkdtempSync(join(tmpdir(), 'godwit-proc-'));
  const add = (pid: number, program: string, links: Record<string, string>): void => {
    mkdirSync(join(proc, `${pid}`, 'fd'), { recursive: true });
    writeFileSync(join(proc, `${pid}`, 'comm'), `${program}\n`);
    for (const [link, target] of Object.entries(links)) {
      symlinkSync(target, join(proc, `${pid}`, link));
    }
  };
  add(11, 'bash', { cwd: '/home/ann/mount/dir' });
  add(12, 'vim', { cwd: '/', 'fd/3': '/home/ann/mount' });
  add(13, 'other', { cwd: '/home/ann/mount-beside', 'fd/3': '/home/ann' });
  mkdirSync(join(proc, '14'));
  writeFileSync(join(proc, 'uptime'), '');
  const holders = holdersOf('/home/ann/mount', proc);
  rmSync(proc, { recursive: true });
  expect(holders.sort((a, b) => a.pid - b.pid)).toEqual([
    { pid: 11, program: 'bash' },
    { pid: 12, program: 'vim' },
  ]);
});
