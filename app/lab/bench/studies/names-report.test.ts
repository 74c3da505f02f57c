import { describe, expect, it } from '@jest/globals';
import { NameCaches } from '../../caches/names/name-caches.ts';
import { NAME_PARTS, nameCells, runNames } from '../../caches/names/study.ts';
import type { Operation } from '../../caches/names/workload.ts';
import { namesReport } from './names-report.ts';

const LOOKUPS = 6000;
const done = () =>
  nameCells(NAME_PARTS, 2, LOOKUPS).map((cell) => ({ cell, result: runNames(cell) }));

/** A lookup of /1 by a client. */
function lookup(client: number, more: Partial<Operation> = {}): Operation {
  const path = [{ dir: 0, entry: 1, file: 1 }];
  return { at: 0, client, home: client, path, changes: 'nothing', isTmp: false, ...more };
}

describe('the study of names', () => {
  it('gives the same figures again for the same seed', () => {
    expect(done()).toEqual(done());
  });

  it('has each table and figure of the paper', () => {
    const { sections, raw } = namesReport(done());
    const headings = sections.map(({ heading }) => heading).join('\n');
    for (const number of [1, 2, 3, 4, 5, 6, 7, 8, 9])
      expect(headings).toContain(`Figure ${number}:`);
    for (const number of [1, 2, 3, 4, 5, 6]) expect(headings).toContain(`Table ${number}:`);
    expect(raw).toMatchObject({ tables: { curves: { all: { directories: expect.any(Array) } } } });
  });

  it('draws lookups that are near what they are fitted to', () => {
    const { sections } = namesReport(done());
    const rows = (heading: string): Map<string, number[]> => {
      const { table = [] } = sections.find((section) => section.heading.startsWith(heading)) ?? {};
      return new Map(table.slice(1).map(([name = '', ...cells]) => [name, cells.map(parseFloat)]));
    };
    for (const heading of ['Table 2', 'Table 3']) {
      for (const [name, [drawn = 0, paper = 0]] of rows(heading)) {
        if (name.includes('changes') || name.startsWith('set')) continue;
        expect([heading, name, Math.abs(drawn / paper - 1) < 0.35]).toEqual([heading, name, true]);
      }
    }
    const [directories = 0, entries = 0] = rows('Figure 1').get('25') ?? [];
    expect(Math.abs(directories - 93)).toBeLessThan(3);
    expect(entries).toBeLessThan(65);
  });

  it('says nothing of parts that were not run', () => {
    const one = nameCells(['home'], 1, 100).map((cell) => ({ cell, result: runNames(cell) }));
    expect(namesReport(one)).toMatchObject({ sections: [], checks: [] });
  });
});

describe('the caches of names', () => {
  const caches = (atHome = false) => new NameCaches({ clients: 3, atHome, pruneIdle: null });

  it('count first uses, uses again, and what another client ended', () => {
    const all = caches();
    all.take(lookup(0));
    all.take(lookup(0));
    all.take(lookup(1, { changes: 'names' }));
    all.take(lookup(0));
    const { directories } = all.counts.all;
    expect(directories).toMatchObject({ references: 4, compulsory: 2, changes: 1 });
    expect([directories.hits[0], directories.ended[0], directories.remote[0]]).toEqual([1, 1, 1]);
    expect(directories.holders).toEqual([0, 1, 0]);
  });

  it('keep directories and entries when attributes alone change', () => {
    const all = caches();
    all.take(lookup(0));
    all.take(lookup(1, { changes: 'attributes' }));
    all.take(lookup(0));
    expect(all.counts.all.directories.hits[0]).toBe(1);
    expect(all.counts.all.attributes.ended[0]).toBe(1);
  });

  it('know of a missing name by the whole directory alone', () => {
    const all = caches();
    all.take(lookup(0));
    all.take(lookup(0, { path: [{ dir: 0, entry: 2, file: null }] }));
    expect(all.counts.all.directories.hits[0]).toBe(1);
    expect(all.counts.all.entries).toMatchObject({ references: 2, invalid: 1 });
    expect(all.counts.all.attributes.references).toBe(1);
  });

  it('count a process for its home where migration is undone', () => {
    const all = caches(true);
    all.take(lookup(0));
    all.take(lookup(1, { home: 0 }));
    expect(all.counts.all.directories.hits[0]).toBe(1);
    expect(all.counts.migrated.directories.references).toBe(1);
  });
});
