import { expect, it } from '@jest/globals';
import { usedTogether } from '../../../shared/util/used-together.ts';
import { fileOf, ProcessSpells } from './process-spells.ts';
import type { TraceRecord } from './record.ts';

const open = (at: number, pid: number, path: string, more: Partial<TraceRecord> = {}) =>
  ({ at: at * 1_000_000, pid, program: 'cc', op: 'open', path, ...more }) as TraceRecord;

function together(records: readonly TraceRecord[]): string[][] {
  const spells = new ProcessSpells();
  for (const record of records) spells.add(record);
  return usedTogether(spells.spells, { least: 2, apart: () => '' }).map(({ things }) => [
    ...things,
  ]);
}

it('processes of two machines that have the same number are separated', () => {
  const records = [10, 30].flatMap((at) => [
    open(at, 1, '/a.h', { client: 'ada' }),
    open(at, 1, '/notes', { client: 'bob' }),
    open(at, 1, '/b.h', { client: 'ada' }),
    open(at, 1, '/diary', { client: 'bob' }),
  ]);
  expect(together(records)).toEqual([
    ['path /a.h', 'path /b.h'],
    ['path /notes', 'path /diary'],
  ]);
});

it('processes that work at the same time are separated', () => {
  const records = [10, 20].flatMap((at) => [
    open(at, at, '/a.h'),
    open(at, at + 1, '/notes'),
    open(at, at, '/b.h'),
    open(at, at + 1, '/diary'),
    open(at, at, '/notes.h'),
  ]);
  expect(together([...records, open(40, 5, '/notes'), open(40, 5, '/diary')])).toEqual([
    ['path /notes', 'path /diary'],
    ['path /a.h', 'path /b.h', 'path /notes.h'],
  ]);
});

it('a long pause, and another program with the same number, begin a new spell', () => {
  const used = ['/a', '/b'];
  expect(together(used.map((path) => open(1, 1, path)))).toEqual([]);
  expect(together([1, 12].flatMap((at) => used.map((path) => open(at, 1, path))))).toHaveLength(1);
  const programs = ['cc', 'ld'].flatMap((program) =>
    used.map((path) => open(1, 1, path, { program })),
  );
  expect(together(programs)).toHaveLength(1);
});

it('only opens of files count in a spell', () => {
  const others = [{ op: 'getattr' }, { flags: ['not-found'] }, { flags: ['directory'] }] as const;
  const records = [1, 2].flatMap((pid) =>
    others.flatMap((more) => [
      open(1, pid, '/a', more as Partial<TraceRecord>),
      open(1, pid, '/b', more as Partial<TraceRecord>),
    ]),
  );
  expect(together(records)).toEqual([]);
});

it('a file is named by vnode or by path', () => {
  expect(fileOf('fid 1.2.3')).toEqual({ fid: '1.2.3' });
  expect(fileOf('path /a b')).toEqual({ path: '/a b' });
});
