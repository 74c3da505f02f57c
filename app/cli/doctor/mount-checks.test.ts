/** What doctor says of a mount. */
import { expect, it } from '@jest/globals';
import { checkMount, type MountMachine } from './mount-checks.ts';

const WELL: MountMachine = {
  ...{ platform: 'linux', isRoot: false, path: '/bin', kernel: '6.18.2-generic' },
  hasAddon: () => true,
  isUsable: () => true,
  exists: () => true,
  settings: () => 'user_allow_other\n',
  holders: () => [],
};
const MOUNT = { frontEnd: 'mount', folder: '/m' } as const;
const levels = (machine: Partial<MountMachine>): string[] =>
  checkMount(MOUNT, { ...WELL, ...machine }).map(
    ({ check, level }) => `${check.replace('mount ', '')} ${level}`,
  );

it('each part that a mount needs has a verdict, and a remedy where it is missing', () => {
  expect(levels({})).toEqual(['addon ok', 'device ok', 'helper ok', 'others ok', 'passthrough ok']);
  expect(levels({ hasAddon: () => false })[0]).toBe('addon bad');
  expect(levels({ isUsable: () => false })[1]).toBe('device bad');
  expect(levels({ exists: (path) => path === '/dev/fuse' })[2]).toBe('helper bad');
  expect(levels({ settings: () => '' })[3]).toBe('others warn');
  expect(levels({ settings: () => '', isRoot: true })[3]).toBe('others ok');
  const nothing = { ...WELL, hasAddon: () => false, isUsable: () => false, exists: () => false };
  for (const { level, remedy } of checkMount(MOUNT, nothing)) {
    expect(remedy === null).toBe(level === 'ok');
  }
});

it.each([
  ['6.8.0', 'has no passthrough'],
  ['6.9.1', 'does not use it'],
  ['7.0', 'does not use it'],
])('the check of passthrough says that kernel %s %s', (kernel, text) => {
  expect(checkMount(MOUNT, { ...WELL, kernel })[4]?.message).toContain(text);
});

it('the programs that use a mount are named, and of a folder one line says whether it could be a mount', () => {
  const holders = () => [{ pid: 7, program: 'vim' }];
  expect(checkMount(MOUNT, { ...WELL, holders }).at(-1)?.message).toBe('used by vim (7)');
  const folder = { frontEnd: 'folder', folder: '/f' } as const;
  const [one, ...more] = checkMount(folder, WELL);
  expect(more).toEqual([]);
  expect(one).toMatchObject({ level: 'ok', remedy: null });
  expect(checkMount(folder, { ...WELL, isUsable: () => false })).toMatchObject([{ level: 'ok' }]);
});
