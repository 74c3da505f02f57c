import { readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';

const missing = (): string => readFileSync('/no/such/file', 'utf8');

describe('errors in a test', () => {
  test('an error of the core is an Error', () => {
    expect(missing).toThrow(Error);
    expect(missing).toThrow(/ENOENT/);
  });

  test('an error of the core keeps its class', () => {
    const parse = (): unknown => new URL('no address');
    expect(parse).toThrow(TypeError);
    expect(parse).not.toThrow(RangeError);
  });

  test('an error of the engine keeps its class', () => {
    const value = JSON.parse('null') as { x: number };
    expect(() => value.x).toThrow(TypeError);
  });

  test('a subclass does not widen', () => {
    class Ours extends Error {}
    expect(new Ours()).toBeInstanceOf(Error);
    expect(missing).not.toThrow(Ours);
    expect({}).not.toBeInstanceOf(Error);
  });
});

test('a date and a promise of the core are a Date and a Promise', async () => {
  expect(statSync('.').mtime).toBeInstanceOf(Date);
  expect(new Date(0)).toBeInstanceOf(Date);
  const reading = readFile('package.json');
  expect(reading).toBeInstanceOf(Promise);
  await reading;
});

test('the flags of the test runner do not reach processes that tests start', () => {
  expect(process.env['NODE_OPTIONS'] ?? '').not.toContain('vm-modules');
});
