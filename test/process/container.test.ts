/** The image of the server: built and run as a release says, where the programs for it are. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { missingForContainer, SLIM_ROOT } from '../../build/try-container.mjs';
import { itNeeds } from '../support/browser.ts';

const SCRIPT = join(import.meta.dirname, '..', '..', 'build', 'try-container.mjs');
const root = process.env['GODWIT_SLIM_ROOT'] ?? SLIM_ROOT;
const missing =
  missingForContainer() ??
  (existsSync(root) ? null : `there is no Debian in ${root}; run npm run try:container`);

itNeeds(missing)(
  'the image of the server is built, found healthy, paired, ended in order, and goes on with its volume',
  () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [SCRIPT, '--json', '--root', root],
      { encoding: 'utf8' },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const { steps } = JSON.parse(stdout) as { steps: ReadonlyArray<{ name: string }> };
    expect(steps.map(({ name }) => name)).toEqual([
      ...['built', 'runs', 'paired', 'stopped', 'begun anew', 'ended'],
    ]);
    return Promise.resolve();
  },
);
