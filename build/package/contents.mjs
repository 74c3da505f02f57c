/** What of the clone goes into packages: paths from its root. The rest is for those who work on it. */

/** What runs. */
export const PARTS = ['app', 'daemon', 'server', 'shared', 'migrations'];
/** Of them: what measures and simulates the product. It is a package of its own (godwit-lab). */
export const LABORATORY = 'app/lab';
export const FILES = ['package.json'];
/** What the README leads users and administrators to. */
export const DOCUMENTS = [
  'README.md',
  'CHANGELOG.md',
  'docs/guide',
  'docs/server',
  'docs/reference',
  'docs/images',
];
export const BUILD_FILES = [
  'build/end-with-parent.mjs',
  'build/entry.mjs',
  'build/godwit.mjs',
  'build/node-path.mjs',
];
