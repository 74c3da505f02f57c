/** A device beside another one that attacks the server, with real processes; `npm run beside` measures it. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { outputOf } from '../support/bench.ts';
import { ATTACKS } from './beside/attacks.ts';

const MAIN = fileURLToPath(new URL('./beside/main.ts', import.meta.url));

/** A slice asks and saves once at least, however short it is; figures need longer ones. */
it('a device is served beside each harmful one', async () => {
  const child = spawn(process.execPath, [MAIN, '--rounds', '1', '--seconds', '0.1']);
  const { code, stdout, stderr } = await outputOf(child);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const { name } of ATTACKS) {
    expect(stdout).toMatch(new RegExp(`^${name}: \\d+ answered`, 'm'));
  }
  expect(stdout.match(/ask beside p50/g)).toHaveLength(ATTACKS.length);
}, 600_000);
