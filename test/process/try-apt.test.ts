/** The Debian packages from a repository of their own, on an empty Debian under a systemd that is in charge of it. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { DEBIAN_ROOT, missingForTry } from '../../build/try-deb.mjs';
import { itNeeds } from '../support/browser.ts';

const SCRIPT = join(import.meta.dirname, '..', '..', 'build', 'try-apt.mjs');
const root = process.env['GODWIT_DEBIAN_ROOT'] ?? DEBIAN_ROOT;

itNeeds(missingForTry(root))(
  'apt installs a server, its set-up starts it, a laptop joins, and purge leaves what people have put there',
  () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [SCRIPT, '--json', '--root', root],
      { encoding: 'utf8' },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const { steps } = JSON.parse(stdout) as { steps: ReadonlyArray<{ name: string }> };
    expect(steps.map(({ name }) => name)).toEqual([
      ...['installed', 'version', 'service', 'paired', 'set up again', 'purged'],
    ]);
    return Promise.resolve();
  },
);
