import { expect, it } from '@jest/globals';
import { installedSince, programVersion } from './program-version.ts';

it('another version that is installed meanwhile is noticed within a minute', () => {
  let [now, version] = [0, '1.0.0' as string | null];
  let looked = 0;
  const installed = installedSince(
    '1.0.0',
    () => now,
    () => {
      looked += 1;
      if (version === null) throw new Error('ENOENT');
      return version;
    },
  );
  expect(installed()).toBeNull();
  version = '1.1.0';
  expect(installed()).toBeNull();
  now += 60_000;
  expect([installed(), installed(), looked]).toEqual(['1.1.0', '1.1.0', 2]);
  version = null;
  now += 60_000;
  expect(installed()).toBe('1.1.0');
  version = '1.0.0';
  now += 60_000;
  expect(installed()).toBeNull();
});

it('the program as it is has no other version', () => {
  expect(installedSince(programVersion(), () => 0)()).toBeNull();
});
