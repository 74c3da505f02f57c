/** The Debian package on a clean Debian: installed, run by a real `systemd --user`, and removed. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { DEBIAN_ROOT, missingForTry } from '../../build/try-deb.mjs';
import { itNeeds } from '../support/browser.ts';

const SCRIPT = join(import.meta.dirname, '..', '..', 'build', 'try-deb.mjs');
const root = process.env['GODWIT_DEBIAN_ROOT'] ?? DEBIAN_ROOT;

itNeeds(missingForTry(root))(
  "the Debian package installs, syncs under its unit, and leaves users' files when it is removed",
  () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [SCRIPT, '--json', '--root', root],
      { encoding: 'utf8' },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const { steps } = JSON.parse(stdout) as { steps: ReadonlyArray<{ name: string }> };
    expect(steps.map(({ name }) => name)).toEqual([
      ...['installed', 'unit verified', 'paired', 'unit runs', 'synced', 'removed'],
    ]);
    return Promise.resolve();
  },
);
