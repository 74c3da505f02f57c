import { expect, it } from '@jest/globals';
import { unusable } from './usable-folder.ts';

it.each([
  ['ENOSPC', 'disk-full', '/a/b: the disk is full'],
  ['EDQUOT', 'disk-full', '/a/b: the quota of the disk is used up'],
  ['EACCES', 'folder-unusable', '/a/b: no right to read or write it'],
  ['EIO', 'folder-unusable', '/a/b: EIO'],
])('a folder that can not be made: %s', (errno, code, message) => {
  const error = Object.assign(new Error(errno), { code: errno });
  expect(unusable('/a/b', error)).toMatchObject({ code, message });
});
