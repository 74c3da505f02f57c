/** `godwit server check` and `gc`: what they print, and what the shell is told. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { startServer } from '../../../server/main.ts';
import type { Digest } from '../../../shared/model/vnode.ts';
import type { Log } from '../../../shared/ports/log.ts';
import { nameContent } from '../../../test/support/name-content.ts';
import { godwit } from '../../../test/support/run-cli.ts';

const silent = (): void => undefined;
/** Why the server collected, as its log says. */
const collections: unknown[] = [];
const log: Log = {
  error: silent,
  warn: silent,
  info: (message, fields) => {
    if (message === 'contents were collected') collections.push(fields?.['reason']);
  },
  debug: silent,
  with: () => log,
};
/** Contents that were never here. */
const GONE = '9'.repeat(64) as Digest;

let data: string;
beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), 'godwit-upkeep-cli-'));
  const listen = { host: '127.0.0.1', port: 0 };
  await (await startServer({ dataDir: data, listen, log })).close();
});
afterEach(() => rmSync(data, { recursive: true }));

const run = (...args: string[]) => godwit(['server', ...args, '--data', data]);

it('a new server passes its check', async () => {
  const { code, stdout } = await run('check');
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^of present versions +0 +0 B\n/)]);
  expect(stdout).toMatch(/\neverything is there, and whole\n$/);
  expect(await run('gc')).toMatchObject({ code: 0, stderr: '' });
});

it('a check lists missing contents and fails', async () => {
  await nameContent(data, GONE);
  const shown = await run('check');
  expect(shown.code).toBe(1);
  expect(shown.stdout).toContain(`1 content missing:\n  ${GONE}\n`);
  const { code, stdout } = await run('check', '--json');
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ fine: false, missing: [GONE], damaged: [] });
});

it('a check reports an altered row in one line and fails', async () => {
  await nameContent(data, GONE);
  const database = new Database(join(data, 'server.db'));
  database.exec('UPDATE vnode SET mode = 511 WHERE vnode = 2 AND to_commit IS NULL');
  database.close();
  const { code, stdout, stderr } = await run('check');
  expect([code, stdout]).toEqual([7, '']);
  expect(stderr).toContain('rows of 1.2.2 (/a) are not as commit 3 of home wrote them');
});

it('a check counts commits that cannot be verified', async () => {
  const database = new Database(join(data, 'server.db'));
  database.exec('UPDATE commit_log SET seal = NULL');
  database.close();
  const { code, stdout } = await run('check');
  expect(code).toBe(0);
  expect(stdout).toContain('1 commit of an older version of Godwit: rows were held');
});

it.each([
  [['check'], 'lock'],
  [['check', '--repair'], 'upkeep.lock'],
  [['gc'], 'lock'],
  [['gc'], 'upkeep.lock'],
  [['quota'], 'lock'],
  [['restore'], 'lock'],
])('the command %j reports a folder at the path of %s', async (args, name) => {
  const path = join(data, name);
  rmSync(path, { force: true });
  mkdirSync(path);
  const { code, stdout, stderr } = await run(...args);
  const why = 'a folder is there, where a file is to be';
  expect(stderr).toBe(`godwit: ${path}: ${why}; move it away, or choose another folder\n`);
  expect([code, stdout]).toEqual([1, '']);
});

it.each([['check'], ['gc'], ['backup']])(
  'the command %s reports a file in place of the contents',
  async (what) => {
    const path = join(data, 'packs');
    writeFileSync(path, 'mine');
    const to = join(data, '..', `${basename(data)}-backup`);
    const { code, stdout, stderr } = await run(what, ...(what === 'backup' ? [to] : []));
    expect(stderr).toMatch(`godwit: ${path}: a file is there, where a folder is to be; `);
    expect([code, stdout, existsSync(to)]).toEqual([1, '', false]);
  },
);

it.each([
  ['invite', 'identity.json'],
  ['invite', 'listening'],
  ['check', 'lock'],
  ['devices', 'server.db'],
])('the command %s does not wait for a pipe at the path of %s', async (what, name) => {
  const path = join(data, name);
  rmSync(path, { force: true });
  spawnSync('mkfifo', [path]);
  const { code, stderr } = await run(what);
  expect(stderr).toMatch(`godwit: ${path}: a special file is there, where a file is to be; `);
  expect(code).toBe(1);
});

it('a running server can be checked and collects on request', async () => {
  const server = await startServer({ dataDir: data, listen: { host: '127.0.0.1', port: 0 }, log });
  expect(await run('check')).toMatchObject({ code: 0 });
  expect(await run('gc')).toMatchObject({ code: 0, stderr: '' });
  expect(collections).toEqual(['asked']);
  await server.close();
});
