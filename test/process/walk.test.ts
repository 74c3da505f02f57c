/** The first day as a person types it, on three machines with an empty Debian and a network of their own. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { DEBIAN_ROOT, missingForTry } from '../../build/try-deb.mjs';
import { itNeeds } from '../support/browser.ts';
import { onPath } from '../support/programs.ts';

const SCRIPT = join(import.meta.dirname, '..', '..', 'build', 'walk.mjs');
const root = process.env['GODWIT_DEBIAN_ROOT'] ?? DEBIAN_ROOT;
const missing =
  missingForTry(root) ?? (onPath('gpg') === null ? 'there is no gpg, which signs packages' : null);

itNeeds(missing)(
  'eight steps from nothing to a file on the second laptop, and a removal leaves what people have put there',
  () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [SCRIPT, '--json', '--root', root],
      { encoding: 'utf8' },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const { steps, found } = JSON.parse(stdout) as Record<string, ReadonlyArray<{ name: string }>>;
    expect(steps).toHaveLength(8);
    expect(found?.map(({ name }) => name)).toEqual([
      'removed on the second laptop',
      'installed again',
      'purged on the second laptop',
      'server set up again',
      'server removed, and installed again',
      'purged on the server',
    ]);
    return Promise.resolve();
  },
);
