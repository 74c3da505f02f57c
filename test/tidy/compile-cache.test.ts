/** Node runs what lies in its cache of compiled modules: nobody but its user may write there. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { compileCache } from '../../build/node-path.mjs';

const before = process.env['XDG_CACHE_HOME'];
let base: string;
let cache: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'godwit-cache-'));
  cache = join(base, 'godwit', 'node-compile-cache');
  process.env['XDG_CACHE_HOME'] = base;
});

afterEach(() => {
  if (before === undefined) delete process.env['XDG_CACHE_HOME'];
  else process.env['XDG_CACHE_HOME'] = before;
  rmSync(base, { recursive: true, force: true });
});

const modeOf = (path: string): number => statSync(path).mode & 0o777;

/** As a umask of 000 lets Node make it, with a module in it. */
function made(above: number, own: number): string {
  mkdirSync(cache, { recursive: true });
  const module = join(cache, 'module');
  writeFileSync(module, 'of somebody');
  chmodSync(join(base, 'godwit'), above);
  chmodSync(cache, own);
  return module;
}

test('a new cache is for its user alone, whatever the umask', () => {
  expect(compileCache()).toEqual({ NODE_COMPILE_CACHE: cache });
  expect([modeOf(join(base, 'godwit')), modeOf(cache)]).toEqual([0o700, 0o700]);
});

test.each([
  ['it and the folder above it', 0o777, 0o777],
  ['it', 0o755, 0o775],
  ['the folder above it', 0o777, 0o755],
])('a cache begins anew where others could write into %s', (_, above, own) => {
  const module = made(above, own);
  expect(compileCache()).toEqual({ NODE_COMPILE_CACHE: cache });
  expect(existsSync(module)).toBe(false);
  expect([modeOf(join(base, 'godwit')), modeOf(cache)]).toEqual([0o700, 0o700]);
});

test('a cache that others could only read is kept', () => {
  const module = made(0o755, 0o755);
  expect(compileCache()).toEqual({ NODE_COMPILE_CACHE: cache });
  expect(existsSync(module)).toBe(true);
});

test('no cache is used where none can be made', () => {
  writeFileSync(join(base, 'godwit'), 'a file');
  expect(compileCache()).toEqual({});
});
