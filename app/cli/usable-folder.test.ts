import { expect, it } from '@jest/globals';
import { unusable } from './usable-folder.ts';

it.each([
  ['ENOSPC', 'disk-full', '/a/b: the disk is full'],
  ['EDQUOT', 'disk-full', '/a/b: the quota of the disk is used up'],
  ['EACCES', 'folder-unusable', '/a/b: no right to read or write it'],
  ['EIO', 'disk-failing', '/a/b: the disk can not read or write it'],
  ['EROFS', 'folder-unusable', '/a/b: the disk is mounted read-only'],
  ['EEXIST', 'folder-unusable', '/a/b: it is a file'],
  ['ENOENT', 'folder-unusable', '/a/b: no folder can be made there'],
  ['ENODEV', 'folder-unusable', '/a/b: ENODEV'],
])('a folder that cannot be made is reported: %s', (errno, code, message) => {
  const error = Object.assign(new Error(errno), { code: errno });
  expect(unusable('/a/b', error)).toMatchObject({ code, message });
});
