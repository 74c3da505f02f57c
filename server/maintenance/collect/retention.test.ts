import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { openServerDatabase } from '../../adapters/meta-sqlite/server-database.ts';
import { dataFolder } from '../../data-folder.ts';
import { changeRetention } from './retention.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-retention-'));
  openServerDatabase(dataFolder(folder).database).close();
});
afterEach(() => rmSync(folder, { recursive: true }));

it('the retention has its default until it is changed, each part separately', () => {
  expect(changeRetention(folder, {})).toEqual({ allDays: 7, dailyDays: 30 });
  expect(changeRetention(folder, { allDays: 14 })).toEqual({ allDays: 14, dailyDays: 30 });
  expect(changeRetention(folder, { dailyDays: 0 })).toEqual({ allDays: 14, dailyDays: 0 });
  expect(changeRetention(folder, {})).toEqual({ allDays: 14, dailyDays: 0 });
});

it('the retention refuses what is no number of days and changes nothing', () => {
  for (const allDays of [-1, 1.5, 1e6, NaN]) {
    expect(() => changeRetention(folder, { allDays })).toThrow(/^days are whole numbers/);
  }
  expect(changeRetention(folder, {})).toEqual({ allDays: 7, dailyDays: 30 });
});

it.each(['zzz', '{"allDays":-1}', 'null'])(
  'the retention is reported as damaged when its row holds %s, and can be set anew',
  (value) => {
    const database = openServerDatabase(dataFolder(folder).database);
    database.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)').run('retention', value);
    database.close();
    const damaged = expect.objectContaining({
      code: 'damaged-database',
      message: expect.stringMatching(/retention.*can not be read/),
      remedy: expect.stringContaining('--all DAYS --daily DAYS'),
    });
    expect(() => changeRetention(folder, {})).toThrow(damaged);
    expect(() => changeRetention(folder, { allDays: 9 })).toThrow(damaged);
    expect(changeRetention(folder, { allDays: 9, dailyDays: 90 })).toEqual({
      ...{ allDays: 9, dailyDays: 90 },
    });
    expect(changeRetention(folder, {})).toEqual({ allDays: 9, dailyDays: 90 });
  },
);

it('the retention needs a server that was started', () => {
  expect(() => changeRetention(join(folder, 'nowhere'), {})).toThrow(/no server was started/);
});
