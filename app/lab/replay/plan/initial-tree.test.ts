import { describe, expect, it } from '@jest/globals';
import type { TraceRecord } from '../../trace/record.ts';
import { InitialTree } from './initial-tree.ts';

type PartialRecord = Partial<TraceRecord> & Pick<TraceRecord, 'op' | 'path'>;

function nodesOf(...records: readonly PartialRecord[]): Record<string, number | 'directory'> {
  const tree = new InitialTree();
  for (const [at, told] of records.entries()) {
    tree.add({ at, pid: 1, ...told }, told.path ?? '', told.to ?? null);
  }
  return Object.fromEntries(
    tree.nodes().map(({ path, kind, size }) => [path, kind === 'file' ? size : kind]),
  );
}

describe('the tree before a trace', () => {
  it.each<[string, readonly PartialRecord[], Record<string, number | 'directory'>]>([
    [
      'has what was opened, with the folders above it',
      [{ op: 'open', path: '/a/b/c', size: 7, flags: ['read'] }],
      { '/a': 'directory', '/a/b': 'directory', '/a/b/c': 7 },
    ],
    [
      'has files as large as they were read',
      [{ op: 'read', path: '/f', offset: 10, length: 5 }],
      { '/f': 15 },
    ],
    [
      'has files no larger because of later writes',
      [
        { op: 'open', path: '/f', flags: ['write'] },
        { op: 'write', path: '/f', offset: 0, length: 99 },
        { op: 'read', path: '/f', offset: 0, length: 99 },
      ],
      { '/f': 0 },
    ],
    ['lacks what was made', [{ op: 'create', path: '/d/f' }], { '/d': 'directory' }],
    [
      'lacks what was made in a new folder',
      [
        { op: 'mkdir', path: '/d' },
        { op: 'create', path: '/d/f' },
      ],
      {},
    ],
    [
      'lacks what was looked for in vain',
      [{ op: 'getattr', path: '/x/y', flags: ['not-found'] }],
      {},
    ],
    [
      'lacks what was looked for in vain and made later, and has its folder',
      [
        { op: 'getattr', path: '/x/y', flags: ['not-found'] },
        { op: 'create', path: '/x/y' },
      ],
      { '/x': 'directory' },
    ],
    [
      'has the old name of a renamed file',
      [
        { op: 'rename', path: '/old', to: '/new' },
        { op: 'open', path: '/new', flags: ['read'] },
      ],
      { '/old': 0 },
    ],
    [
      'has the old names of files in a renamed folder',
      [
        { op: 'rename', path: '/old', to: '/new', flags: ['directory'] },
        { op: 'open', path: '/new/f', size: 3, flags: ['read'] },
      ],
      { '/old': 'directory', '/old/f': 3 },
    ],
    [
      'has a folder wherever a file is below it',
      [
        { op: 'open', path: '/d', size: 4, flags: ['read'] },
        { op: 'open', path: '/d/f', size: 1, flags: ['read'] },
      ],
      { '/d': 'directory', '/d/f': 1 },
    ],
    ['is empty when every call was refused', [{ op: 'open', path: '/f', flags: ['failed'] }], {}],
  ])('is derived from the records: it %s', (_, records, expected) => {
    expect(nodesOf(...records)).toEqual(expected);
  });
});
