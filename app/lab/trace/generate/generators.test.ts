import { describe, expect, it, test } from '@jest/globals';
import { BadLines } from '../bad-lines.ts';
import { LargeFiles } from '../large-files.ts';
import { hasFlag, type TraceRecord } from '../record.ts';
import { StatisticsCollector, type TraceStatistics } from '../statistics.ts';
import { formatRecord, recordFault, type TraceGroup } from '../trace-line.ts';
import { DEFAULT_MAX_FILE_BYTES } from '../trace-limits.ts';
import { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import { modulesOf } from './consistency-workload.ts';
import { GENERATORS, generateTrace } from './generators.ts';
import { NTFS_TOTALS } from './ntfs-workloads.ts';
import { KB, MB } from './script.ts';

function made(
  name: string,
  seed = 1,
): { groups: readonly TraceGroup[]; records: readonly TraceRecord[] } {
  const workload = generateTrace(name, seed);
  if (workload === null) throw new Error(`no ${name}`);
  return workload;
}

function statisticsOf(records: Iterable<TraceRecord>): TraceStatistics {
  const collector = new StatisticsCollector(new BadLines('x', false));
  for (const record of records) collector.add(record);
  return collector.result();
}

const of = (name: string): TraceStatistics => statisticsOf(made(name).records);

/** Of the files that were there before: path and size. */
function filesBefore(records: readonly TraceRecord[], under = '/'): Map<string, number> {
  const files = new Map<string, number>();
  const made = new Set<string>();
  for (const { op, path = '', size } of records) {
    if (op === 'create') made.add(path);
    if (size !== undefined && !made.has(path) && path.startsWith(under)) files.set(path, size);
  }
  return files;
}

const sum = (numbers: Iterable<number>): number =>
  [...numbers].reduce((all, each) => all + each, 0);

describe.each([...GENERATORS.keys()])('the workload %s', (name) => {
  const { groups, records } = made(name);

  it('is the same for the same seed', () => {
    const again = made(name);
    expect(again.groups).toEqual(groups);
    expect(again.records.map(formatRecord)).toEqual(records.map(formatRecord));
  });

  it('is a valid trace in order without files that are too large', () => {
    expect(records.map(recordFault).filter((fault) => fault !== null)).toEqual([]);
    expect(records.every(({ at }, index) => at >= (records[index - 1]?.at ?? 0))).toBe(true);
    const large = new LargeFiles(DEFAULT_MAX_FILE_BYTES);
    for (const record of records) large.note(record);
    expect(records.filter((record) => large.drops(record))).toEqual([]);
  });

  it('opens the files it uses and closes them', () => {
    const open = new Map<string, number>();
    for (const { pid, op, path = '' } of records) {
      const key = `${pid} ${path}`;
      const now = open.get(key) ?? 0;
      if (op === 'open' || op === 'create') open.set(key, now + 1);
      if (op === 'read' || op === 'write' || op === 'close') expect(now).toBeGreaterThan(0);
      if (op === 'close') open.set(key, now - 1);
    }
    expect([...open.values()].every((count) => count === 0)).toBe(true);
  });

  it('makes no file twice and none that existed before', () => {
    const seen = new Set<string>();
    for (const { op, path = '' } of records) {
      if (op === 'create') expect(seen.has(path)).toBe(false);
      seen.add(path);
    }
  });

  it('has groups of files that existed before', () => {
    const here = filesBefore(records);
    const read = groups.flatMap(({ members }) => members).filter((path) => here.has(path));
    expect(read.length > 0).toBe(groups.length > 0);
  });
});

test('workloads with random parts differ between seeds', () => {
  for (const name of ['mostly-reads', 'compile', 'multigrep', 'consistency']) {
    expect(made(name, 2).records.map(formatRecord)).not.toEqual(
      made(name).records.map(formatRecord),
    );
  }
});

describe('table 3 of MFS', () => {
  test.each(Object.entries(NTFS_TOTALS))(
    'has the totals of %s, whatever the seed',
    (name, totals) => {
      for (const seed of [1, 2, 3]) {
        expect(statisticsOf(made(name, seed).records)).toMatchObject({
          seconds: totals.seconds,
          processes: totals.applications,
          files: totals.uniqueFiles,
          missing: 0,
          fileBytes: totals.fileBytes,
          bytesRead: totals.readBytes,
          bytesWritten: totals.writeBytes,
        });
      }
    },
  );

  it('equals the printed one of the paper', () => {
    const rows = Object.values(NTFS_TOTALS).map((totals) => [
      ...[totals.seconds, totals.applications, totals.uniqueFiles],
      ...[totals.fileBytes, totals.readBytes, totals.writeBytes].map((all) =>
        (all / MB).toFixed(2),
      ),
    ]);
    expect(rows).toEqual([
      [101, 25, 2952, '46.61', '10.82', '3.44'],
      [106, 15, 276, '16.51', '12.74', '19.92'],
      [34, 41, 3312, '125.31', '27.82', '9.59'],
    ]);
  });
});

describe('the microbenchmarks of MFS', () => {
  it('have the sizes of the paper', () => {
    expect(of('grep')).toMatchObject({ files: 256, fileBytes: 256 * 8 * KB, bytesWritten: 0 });
    expect(of('grep').bytesRead).toBe(3 * 256 * 8 * KB);
    expect(of('read')).toMatchObject({ files: 16, bytesRead: 16 * MB, fileBytes: 16 * MB });
    expect(of('write')).toMatchObject({ files: 16, bytesWritten: 16 * MB, fileBytes: 0 });
    expect(of('read-write')).toMatchObject({
      processes: 2,
      bytesRead: 16 * MB,
      bytesWritten: 16 * MB,
    });
    expect(of('compile-groups').fileBytes).toBe(1223 * KB);
  });

  it('compile 259 files and directories of 1223 KB', () => {
    const { records } = made('compile');
    const created = new Set(records.filter(({ op }) => op === 'create').map(({ path }) => path));
    const source = new Set(records.map(({ path }) => path).filter((path) => !created.has(path)));
    expect(source.size).toBe(259);
    expect(sum(filesBefore(records).values())).toBe(1223 * KB);
  });
});

describe('the prefetching tests of MFS', () => {
  it('have the groups of figure 6', () => {
    const sizes = (name: string) => made(name).groups.map(({ members }) => members.length);
    expect(sizes('read-write-group')).toEqual([16]);
    expect(sizes('compile-groups')).toEqual([42, 42, 42, 42, 42, 42]);
    expect(sizes('multigrep')).toEqual([75]);
    expect(sizes('pause')).toEqual([1024]);
    expect(sizes('simultaneous-demand-fetch')).toEqual([64]);
    expect(sizes('bad-groups')).toEqual(Array.from({ length: 16 }, () => 64));
  });

  it('read the amounts of the paper', () => {
    expect(of('multigrep')).toMatchObject({ files: 75, bytesRead: 2 * MB });
    expect(of('pause').bytesRead).toBe(8 * MB);
    expect(of('pause').seconds).toBeGreaterThan(4);
    expect(of('simultaneous-demand-fetch')).toMatchObject({ processes: 2, bytesRead: 8 * MB });
    expect(of('simultaneous-writeback')).toMatchObject({ bytesRead: 4 * MB, bytesWritten: 4 * MB });
    expect(of('thoughtful-writeback').seconds).toBeGreaterThan(63 * 0.25);
    expect(of('bad-groups')).toMatchObject({ files: 32, bytesRead: 32 * 128 * KB });
    const opened = (name: string) =>
      made(name)
        .records.filter(({ op }) => op === 'open')
        .map(({ path }) => path);
    expect(opened('good-order')).toEqual(made('good-order').groups[0]?.members);
    expect(opened('bad-order')).toEqual(opened('good-order').reverse());
    const touched = opened('bad-groups').map((path) => path?.slice(-4));
    expect(touched).toEqual([...Array<string>(16).fill('0000'), ...Array<string>(16).fill('0032')]);
  });
});

describe('the consistency workload of many machines', () => {
  const { records } = made('consistency-many');

  it('has four writers and four readers of the same modules', () => {
    expect(new Set(records.map(({ client }) => client)).size).toBe(8);
    const members = (kind: string) =>
      new Set(
        records
          .filter(
            ({ program = '', path = '' }) => program.startsWith(kind) && path.includes('member'),
          )
          .map(({ path }) => path),
      );
    const [written, read] = [members('writer'), members('reader')];
    expect([...written].filter((path) => read.has(path)).length).toBeGreaterThan(50);
  });

  it('writes files that nobody shares beside those of other writers', () => {
    const makers = new Map<string, Set<string>>();
    for (const { op, path = '', client = '' } of records) {
      if (op !== 'create') continue;
      makers.set(path, (makers.get(path) ?? new Set()).add(client));
    }
    expect([...makers.values()].every(({ size }) => size === 1)).toBe(true);
    expect(new Set([...makers.values()].flatMap((each) => [...each])).size).toBe(4);
  });
});

describe('the lookups of the names study', () => {
  const { records } = made('lookups');

  it('are of many machines, a fifth by processes that migrated', () => {
    const lookups = records.filter(({ op }) => op === 'getattr');
    expect(new Set(records.map(({ client }) => client)).size).toBeGreaterThan(30);
    const moved = lookups.filter(({ client, home }) => home !== undefined && home !== client);
    expect(moved.length / lookups.length).toBeGreaterThan(0.1);
    expect(moved.length / lookups.length).toBeLessThan(0.3);
    expect(records.some(({ client, home }) => client === home)).toBe(false);
  });

  it('find nothing about as often as table 3 says', () => {
    const missing = records.filter((record) => hasFlag(record, 'not-found')).length;
    expect(missing / records.length).toBeCloseTo(0.19, 1);
  });
});

describe('the consistency workload of MFS', () => {
  const { records } = made('consistency');
  const by = (program: string): TraceRecord[] =>
    records.filter((record) => record.program === program);
  const opens = by('writer').filter(
    ({ op, path = '' }) =>
      op !== 'close' && !path.endsWith('descriptor') && (op === 'open' || op === 'create'),
  );

  it('has 40 modules with 334 members of 64 KB on average', () => {
    const modules = modulesOf(new SeededRandom(1));
    const counts = modules.map(({ members }) => members.length);
    expect([
      modules.length,
      sum(counts),
      Math.min(...counts) >= 4,
      Math.max(...counts) <= 12,
    ]).toEqual([40, 334, true, true]);
    const sizes = modules.flatMap(({ members, descriptor }) => [descriptor, ...members]);
    expect(sum(sizes.map(({ size }) => size))).toBe(334 * 64 * KB + 40 * KB);
  });

  it('lasts two minutes for both programs', () => {
    for (const program of ['writer', 'reader']) {
      const last = by(program).at(-1)?.at ?? 0;
      expect(last).toBeGreaterThan(115e6);
      expect(last).toBeLessThan(121e6);
    }
  });

  it('consists of one fifth reads, and two fifths each of module writes and new files', () => {
    const parts = {
      reads: opens.filter((record) => hasFlag(record, 'read')).length / opens.length,
      members: opens.filter((record) => hasFlag(record, 'truncate')).length / opens.length,
      external: opens.filter(({ op }) => op === 'create').length / opens.length,
    };
    expect(opens.length).toBeGreaterThan(200);
    expect(parts.reads).toBeCloseTo(0.2, 1);
    expect(parts.members).toBeCloseTo(0.4, 1);
    expect(parts.external).toBeCloseTo(0.4, 1);
    expect(
      by('reader').every(({ op, path = '' }) => op !== 'create' && path.startsWith('/modules/')),
    ).toBe(true);
  });
});
