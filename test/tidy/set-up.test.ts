/** The parts of build/ that decide: what is installed, who may set up, what a run is called. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { jestArguments } from '../../build/jest.mjs';
import { nodeHeaders } from '../../build/node-headers.mjs';
import { hasTls, isNewEnough } from '../../build/node-path.mjs';
import { holdLock } from '../../build/setup/lock.mjs';
import { installedMatchesLock } from '../../build/setup/packages.mjs';
import { closingLine } from '../support/closing-line.mjs';
import { readText } from './repository.ts';

describe('the installed packages', () => {
  const lock = {
    packages: {
      '': { name: 'godwit' },
      'node_modules/a': { version: '1.0.0', integrity: 'x' },
      'node_modules/b': { version: '2.0.0', integrity: 'y', optional: true },
    },
  };

  test.each([
    ['nothing', null, false],
    ['all', { ...lock }, true],
    [
      'without the optional one',
      { packages: { 'node_modules/a': lock.packages['node_modules/a'] } },
      true,
    ],
    [
      'without a needed one',
      { packages: { 'node_modules/b': lock.packages['node_modules/b'] } },
      false,
    ],
    [
      'another version',
      { packages: { 'node_modules/a': { version: '1.0.1', integrity: 'x' } } },
      false,
    ],
    [
      'other contents',
      { packages: { 'node_modules/a': { version: '1.0.0', integrity: 'z' } } },
      false,
    ],
  ])('match the lock file or not with %s installed', (_what, installed, expected) => {
    expect(installedMatchesLock(installed, lock)).toBe(expected);
  });

  test('come from no registry named in the lock file', () => {
    expect(readText('package-lock.json')).not.toContain('"resolved"');
  });
});

describe('the set-up lock', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'godwit-lock-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test('is released at the end', async () => {
    const path = join(folder, 'lock');
    const release = await holdLock(path);
    expect(existsSync(path)).toBe(true);
    release();
    expect(existsSync(path)).toBe(false);
  });

  test('is taken over from a process that has ended', async () => {
    const path = join(folder, 'lock');
    const gone = spawnSync(process.execPath, ['-e', '']).pid;
    writeFileSync(path, `${gone}\n`);
    const release = await holdLock(path);
    release();
  });

  test('is refused while its holder lives', async () => {
    const path = join(folder, 'lock');
    const release = await holdLock(path);
    await expect(holdLock(path, { limitMs: 0, pollMs: 1 })).rejects.toThrow(/another set-up/);
    release();
  });
});

describe('a run of the tests', () => {
  test('passes all suites last, since the option takes all that follows', () => {
    expect(jestArguments(['--suite', 'unit', 'heap', '--suite', 'tidy'])).toEqual([
      'heap',
      '--selectProjects',
      'unit',
      'tidy',
    ]);
    expect(jestArguments(['heap'])).toEqual(['heap']);
  });

  test.each([
    [
      { numPassedTests: 3, numFailedTests: 0, numRuntimeErrorTestSuites: 0, numPendingTests: 0 },
      0,
      '3 passed, 0 failed',
    ],
    [
      { numPassedTests: 3, numFailedTests: 1, numRuntimeErrorTestSuites: 1, numPendingTests: 0 },
      1,
      '3 passed, 3 failed',
    ],
    [
      { numPassedTests: 3, numFailedTests: 0, numRuntimeErrorTestSuites: 0, numPendingTests: 2 },
      0,
      '3 passed, 0 failed, 2 skipped',
    ],
  ])('closes with a plain summary line', (results, checks, line) => {
    expect(closingLine(results, checks)).toBe(line);
  });
});

test.each([
  ['v24.21.0', true],
  ['v26.0.0', true],
  ['v20.20.2', false],
  ['', false],
])('the Node version %s is new enough: %s', (version, expected) => {
  expect(isNewEnough(version)).toBe(expected);
});

test.each([
  ['3.5.8', true],
  ['3.5.0', true],
  ['3.6.1+quic', true],
  ['3.10.0', true],
  ['3.0.19', false],
  ['3.4.1', false],
  ['4.0.0', false],
  ['1.1.1w+quic', false],
  ['0.0.0', false],
  ['', false],
  [undefined, false],
])('the OpenSSL %s has the TLS of the addon: %s', (version, expected) => {
  expect(hasTls(version)).toBe(expected);
});

test('the headers of the addon are those of the Node that the tests run on', () => {
  expect(nodeHeaders().version).toBe(process.versions.openssl);
});

describe('the script of prerequisites', () => {
  const crate = (): string | undefined =>
    /^rust-version = "1\.(\d+)"$/m.exec(readText('shared/transport/native/Cargo.toml'))?.[1];

  test('requires the same Rust as the addon and the documents', () => {
    const script = readText('build/install-prerequisites.sh');
    expect(/^readonly OLDEST_CARGO=(\d+)$/m.exec(script)?.[1]).toBe(crate());
    for (const page of ['README.md', 'docs/guide/getting-started.md']) {
      expect(readText(page)).toContain(`Rust toolchain (1.${crate()} or later)`);
    }
  });
});
