/** `godwit server`: what it makes is for its user alone, whatever its folder lets others do. */
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it } from '@jest/globals';
import { godwitUntil } from '../../../test/support/run-cli.ts';
import { Interruption } from '../interruption.ts';

it("a server's files are private also in a folder that was readable before", async () => {
  const root = mkdtempSync(join(tmpdir(), 'godwit-private-'));
  const data = join(root, 'data');
  mkdirSync(data);
  chmodSync(data, 0o755);
  // Somebody's for more than a server: its permissions are left as they are.
  writeFileSync(join(data, 'of somebody'), '');
  const umask = process.umask();
  const interruption = new Interruption();
  const seen = new PassThrough();
  const started = new Promise((resolve) => seen.once('data', resolve));
  const args = ['server', '--data', data, '--listen', '127.0.0.1:0'];
  const run = godwitUntil(args, interruption, seen);
  await Promise.race([started, run]);
  const open = readdirSync(data, { recursive: true, encoding: 'utf8' })
    .filter((name) => name !== 'of somebody')
    .filter((name) => (statSync(join(data, name)).mode & 0o077) !== 0);
  const names = readdirSync(data);
  interruption.interrupt();
  expect(await run).toMatchObject({ code: 0 });
  expect(names).toEqual(expect.arrayContaining(['server.db', 'contents.db', 'listening']));
  expect(open).toEqual([]);
  expect(process.umask()).toBe(umask);
  rmSync(root, { recursive: true });
});
