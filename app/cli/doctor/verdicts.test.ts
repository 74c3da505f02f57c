import { expect, it } from '@jest/globals';
import type { ErrorStatus, StatusSnapshot } from '../../../shared/control/snapshot.ts';
import { ERROR_CODES } from '../../../shared/wire/error-codes.ts';
import { checkErrors } from './daemon-checks.ts';
import { ok, warn } from './finding.ts';
import { oneVerdict } from './verdicts.ts';

const CHECKS = [
  ...['data', 'disk of data', 'database', 'folder', 'disk of folder'],
  ...['watches', 'daemon', 'server'],
];
const WELL = CHECKS.map((check) => ok(check, 'well'));

function findingsBeside(code: string, path: string | null) {
  const errors: ErrorStatus[] = [{ code, message: 'm', remedy: 'r', path }];
  const told = checkErrors({ errors } as unknown as StatusSnapshot);
  return oneVerdict([...WELL, ...told], errors);
}

it.each([
  ['wrong-fingerprint', null, ['server']],
  ['device-revoked', null, ['server']],
  ['server-behind', null, ['server']],
  ['over-quota', 'doc', ['server']],
  ['disk-away', 'stick', ['folder']],
  ['folder-moved', null, ['folder']],
  ['removals-held', null, ['folder']],
  ['file-unreadable', 'doc', ['folder']],
  ['not-watched', null, ['watches']],
  ['damaged-rows', null, ['database']],
  ['disk-full', null, ['disk of data', 'disk of folder']],
  ['disk-full', 'doc', ['disk of folder', 'disk of data']],
  ['internal', null, ['daemon']],
])('an error %s of path %s leaves nothing that calls %j well', (code, path, subjects) => {
  const findings = findingsBeside(code, path);
  const well = findings.filter(({ level }) => level === 'ok').map(({ check }) => check);
  expect(well).toEqual(CHECKS.filter((check) => !subjects.includes(check)));
  const others = findings.filter(({ level }) => level !== 'ok').map(({ check }) => check);
  expect(others).toEqual(subjects.slice(0, 1));
});

it('no error of a daemon stands beside a finding that calls its subject well', () => {
  for (const code of Object.keys(ERROR_CODES)) {
    for (const path of [null, 'doc']) {
      const levels = Map.groupBy(findingsBeside(code, path), ({ check }) => check);
      const both = [...levels].filter(([, found]) => found.length > 1);
      expect([code, both]).toEqual([code, []]);
    }
  }
});

it('a warning denies what calls the same thing well', () => {
  const found = warn('database', 'what was damaged is in set-aside', 'remove it');
  expect(oneVerdict([ok('database', 'all rows are well'), found], [])).toEqual([found]);
});
