/**
 * Jest: one project for each kind of test, all with the same way of loading TypeScript: Node's own, which strips its types
 * (test/support/jest/runtime.mjs). Positions are exact, and there are no source maps. Run it through build/run-tests.mjs.
 */
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

const root = import.meta.dirname;
const PRODUCT = ['shared', 'daemon', 'server', 'app'];
const SUITES = [
  'model',
  'sim',
  'scenario',
  'sequences',
  'conformance',
  'fuzz',
  'process',
  'e2e',
  'tidy',
  'support',
];

const common = {
  rootDir: root,
  runtime: join(root, 'test/support/jest/runtime.mjs'),
  testEnvironment: '<rootDir>/test/support/jest/environment.mjs',
  transform: {},
  injectGlobals: false,
  extensionsToTreatAsEsm: ['.ts'],
  moduleFileExtensions: ['ts', 'mjs', 'js', 'cjs', 'json', 'node'],
  modulePathIgnorePatterns: ['/target/', '<rootDir>/\\.cache/', '<rootDir>/app/tray/built'],
};

/** Jest refuses roots that don't exist; a folder appears here with its first file. */
function project(name, folders) {
  const roots = folders.filter((folder) => existsSync(join(root, folder)));
  if (roots.length === 0) return [];
  return [
    {
      ...common,
      displayName: name,
      roots: roots.map((folder) => `<rootDir>/${folder}`),
      testMatch: ['**/*.test.ts'],
    },
  ];
}

export default {
  rootDir: root,
  watchman: false,
  // One more than there are cores: tests of real processes wait for leases and lines most of their time.
  maxWorkers: availableParallelism() + 1,
  // What a worker keeps of the files it has run grows; a new one starts in a second.
  workerIdleMemoryLimit: '700MB',
  // For all projects: in one of them it is not heeded. Only for what hangs: a test that takes some seconds takes minutes beside much else.
  testTimeout: 600_000,
  projects: [
    ...project('unit', PRODUCT),
    ...SUITES.flatMap((suite) => project(suite, [`test/${suite}`])),
  ],
  testSequencer: '<rootDir>/test/support/jest/sequencer.mjs',
  reporters: ['default', '<rootDir>/test/support/closing-line.mjs'],
};
