/** Programs in a Node whose OpenSSL has no TLS for the addon: one clear line, and no crash. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '..', '..');

function run(openssl: string, [entry, ...args]: readonly [string, ...string[]]) {
  const versions = `const versions = { ...process.versions, openssl: '${openssl}' };
Object.defineProperty(process, 'versions', { value: versions });`;
  const other = `data:text/javascript,${encodeURIComponent(versions)}`;
  const env = { ...process.env, NODE_OPTIONS: '' };
  const line = ['--import', other, join(ROOT, entry), ...args];
  return spawnSync(process.execPath, line, { env, encoding: 'utf8' });
}

const nowhere = join(tmpdir(), 'godwit-other-node');

it.each<[string, readonly [string, ...string[]]]>([
  ['3.0.19', ['daemon/main.ts', '--data', nowhere]],
  ['3.4.4', ['app/cli/main.ts', 'server', '--data', nowhere, '--listen', '127.0.0.1:0']],
  ['4.0.1', ['daemon/main.ts', '--data', nowhere]],
  ['0.0.0', ['daemon/main.ts', '--data', nowhere]],
])('a program in a Node with OpenSSL %s ends with one line: %j', (openssl, line) => {
  const { status, signal, stdout, stderr } = run(openssl, line);
  expect(stderr).toMatch(/^godwit: this needs a Node with OpenSSL 3\.5 [^\n]+; start it [^\n]+\n$/);
  expect(stderr).toContain(`${process.version} has ${openssl};`);
  expect([status, signal, stdout]).toEqual([1, null, '']);
  expect(existsSync(nowhere)).toBe(false);
});
