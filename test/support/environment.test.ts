import { readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';

const missing = (): string => readFileSync('/no/such/file', 'utf8');

describe('errors in the test realm', () => {
  test('include the errors of Node as instances of Error', () => {
    expect(missing).toThrow(Error);
    expect(missing).toThrow(/ENOENT/);
  });

  test('keep their class when Node throws them', () => {
    const parse = (): unknown => new URL('no address');
    expect(parse).toThrow(TypeError);
    expect(parse).not.toThrow(RangeError);
  });

  test('keep their class when the engine throws them', () => {
    const value = JSON.parse('null') as { x: number };
    expect(() => value.x).toThrow(TypeError);
  });

  test('do not match an unrelated subclass of Error', () => {
    class Ours extends Error {}
    expect(new Ours()).toBeInstanceOf(Error);
    expect(missing).not.toThrow(Ours);
    expect({}).not.toBeInstanceOf(Error);
  });
});

test('dates and promises of Node are instances of Date and Promise', async () => {
  expect(statSync('.').mtime).toBeInstanceOf(Date);
  expect(new Date(0)).toBeInstanceOf(Date);
  const reading = readFile('package.json');
  expect(reading).toBeInstanceOf(Promise);
  await reading;
});

test('processes that tests start do not get the flags of the test runner', () => {
  expect(process.env['NODE_OPTIONS'] ?? '').not.toContain('vm-modules');
});
