import { userInfo } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { homeFolder, xdgFolder } from './user-folders.ts';

const nobody = () => null;

describe('the home folder', () => {
  it('is given by HOME when that is an absolute path', () => {
    expect(homeFolder({ HOME: '/home/ann' }, nobody)).toBe('/home/ann');
  });

  it.each([
    ['is not set', 'it is not set', {}],
    ['is empty', 'it is empty', { HOME: '' }],
    ['is no absolute path', 'ann is no whole path', { HOME: 'ann' }],
  ])('comes from the system when HOME %s, and is an error without one', (_case, why, env) => {
    expect(homeFolder(env)).toBe(userInfo().homedir);
    expect(homeFolder(env, () => '/srv/ann')).toBe('/srv/ann');
    for (const none of [nobody, () => '']) {
      expect(() => homeFolder(env, none)).toThrow(/^HOME: .*, and this user has no home folder$/);
      expect(() => homeFolder(env, none)).toThrow(why);
    }
  });
});

it.each([
  ['/else', '/else'],
  ['', '/home/ann/.local/state'],
  ['else', '/home/ann/.local/state'],
  ['./else', '/home/ann/.local/state'],
  [undefined, '/home/ann/.local/state'],
])('the folder for XDG_STATE_HOME=%s is %s', (given, folder) => {
  const env = { HOME: '/home/ann', XDG_STATE_HOME: given };
  expect(xdgFolder('XDG_STATE_HOME', ['.local', 'state'], env)).toBe(folder);
});
