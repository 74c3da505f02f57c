/**
 * Set-up: packages, native addons and a Node that is new enough. `npm run setup`; `npm start` and
 * `npm test` run it first. Does nothing, within a moment, when nothing has changed. `--packages`: these alone, for what can
 * begin while the rest is built.
 *
 * Runs on Node 20 and needs no package: it is what installs them. One set-up at a time in a clone;
 * a second one waits for the first.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installPackages, packagesAreInstalled } from './setup/packages.mjs';
import { holdLock } from './setup/lock.mjs';
import { checkNode } from './setup/check-node.mjs';
import { fail, findNode, ROOT } from './node-path.mjs';

const OLDEST_SETUP_NODE = 20;

try {
  await setUp();
} catch (error) {
  fail(error.message);
}

async function setUp() {
  const version = process.versions.node;
  if (Number.parseInt(version, 10) < OLDEST_SETUP_NODE) {
    throw new Error(`Node ${version} is too old to set up with. Install Node 20 or newer.`);
  }
  const release = await holdLock(join(ROOT, '.cache', 'setup.lock'));
  try {
    const fresh = !packagesAreInstalled();
    if (fresh) installPackages();
    checkNode({ thorough: fresh });
    if (process.argv.includes('--packages')) return;
    await buildNatives();
    buildWith('ui.mjs', 'the page can not be built');
    buildWith('bundle.mjs', 'the programs can not be bundled');
    // Before `npm start` it would say what is about to be seen.
    if (process.env.npm_lifecycle_event === 'setup') {
      process.stdout.write('Set-up is done. `npm start` runs Godwit on this machine.\n');
    }
  } finally {
    release();
  }
}

/** What is bundled is so by a package, which wants the Node of the product. */
function buildWith(name, failure) {
  const script = join(ROOT, 'build', name);
  const { status } = spawnSync(findNode(), [script], { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`${failure}; see above, and ${script}`);
}

/** The native addons have a script of their own, which builds only what changed. */
async function buildNatives() {
  const script = join(ROOT, 'build', 'native.mjs');
  if (!existsSync(script)) return;
  const { ensureNative } = await import('./native.mjs');
  await ensureNative({ quiet: false });
}
