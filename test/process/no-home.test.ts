/** The default data folder for users without a proper home folder: the one of XDG, or one clear error line. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';

const MAIN = join(import.meta.dirname, '..', '..', 'app', 'cli', 'main.ts');
/** Makes `userInfo` find no user, as in a container with an unknown user number. */
const NOBODY = `import os from 'node:os';
import { syncBuiltinESMExports } from 'node:module';
os.userInfo = () => { throw new Error('no such user'); };
syncBuiltinESMExports();`;

const root = mkdtempSync(join(tmpdir(), 'godwit-no-home-'));
afterAll(() => rmSync(root, { recursive: true }));

function run(args: readonly string[], env: NodeJS.ProcessEnv) {
  const nobody = `data:text/javascript,${encodeURIComponent(NOBODY)}`;
  const line = ['--import', nobody, MAIN, ...args];
  const set = { PATH: process.env['PATH'], ...env };
  return spawnSync(process.execPath, line, { cwd: root, env: set, encoding: 'utf8' });
}

describe('a user without a home folder', () => {
  it.each([
    [['status'], {}],
    [['up', '--folder', 'x'], { HOME: '' }],
    [['down'], { HOME: 'relative' }],
    [['server', 'devices'], { XDG_STATE_HOME: 'state' }],
    [['here'], { HOME: '', XDG_STATE_HOME: './state' }],
  ])('gets one line from the command %j with the environment %j', (args, env) => {
    const { status, stdout, stderr } = run(args, env);
    expect(stderr).toMatch(
      /^godwit: HOME: [^\n]+, and this user has no home folder; set HOME [^\n]+--data DIR\n$/,
    );
    expect([status, stdout]).toEqual([1, '']);
    expect(readdirSync(root)).toEqual([]);
  });

  it.each([
    [['status', '--data', join(root, 'data')], {}, /no daemon runs on this data folder/],
    [['link', '--to', 'x'], { HOME: '' }, /not an address/],
    [['status'], { HOME: 'no', XDG_STATE_HOME: root }, /\/godwit\/default: no daemon runs/],
  ])('needs no home folder for the command %j', (args, env, words) => {
    expect(run(args, env).stderr).toMatch(words);
    expect(readdirSync(root)).toEqual([]);
  });
});
