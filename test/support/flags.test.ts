import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { usageOf } from './flags.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};
const PROGRAMS = ['checkouts', 'crash', 'fuzz', 'long-queue', 'model'];

function run(name: string, flag: string) {
  const entry = scripts[name]?.split(' ').at(-1) ?? '';
  return spawnSync(process.execPath, [join(ROOT, entry), flag], { encoding: 'utf8' });
}

it('the usage text shows each flag with its default value', () => {
  const options = {
    files: { type: 'string', default: '50' },
    seed: { type: 'string' },
    json: { type: 'boolean', default: false },
  } as const;
  expect(usageOf('npm run it', options)).toBe('npm run it -- [--files 50] [--seed ...] [--json]');
});

it.each(PROGRAMS)('npm run %s prints its flags, and one line about a wrong one', (name) => {
  const help = run(name, '--help');
  expect(help).toMatchObject({ status: 0, stderr: '' });
  expect(help.stdout).toMatch(new RegExp(`^npm run ${name} -- \\[--[^\\n]+\\n$`));
  const wrong = run(name, '--nothing-of-the-kind');
  expect(wrong).toMatchObject({ status: 2, stdout: '' });
  expect(wrong.stderr).toMatch(/^[^\n]*nothing-of-the-kind[^\n]*\n$/);
});
