import { expect, it } from '@jest/globals';
import { GROUP_XATTR } from '../../../../shared/model/file-group.ts';
import { withGroup } from './xattrs.ts';

const group = { name: GROUP_XATTR, value: 'MS4yLjM=' };
const other = { name: 'zone', value: 'AA==' };
const moved = { name: GROUP_XATTR, value: 'MS40LjU=' };

it.each([
  ['a file saved by rename keeps its group', [other], [group], [group, other]],
  ['other attributes stay unchanged', [], [other], []],
  ['a group that is set counts', [moved], [group], [moved]],
  ['a file without a group gets none', [other], [], [other]],
])('the group attribute is merged so that %s', (_, seen, before, expected) => {
  expect(withGroup(seen, before)).toEqual(expected);
});
