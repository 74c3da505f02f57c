import { expect, it } from '@jest/globals';
import { makeFid } from '../model/fid.ts';
import { readMountedFile } from './mounted-file.ts';

it('the file of mounted volumes is read as it was written', () => {
  const mount = { at: makeFid(1, 5, 1), token: 'a'.repeat(32), leaving: 'desk/photos' };
  const written = { mounts: { 7: mount }, aside: [{ volume: 'photos', directory: 'x' }] };
  expect(readMountedFile(JSON.stringify(written))).toEqual(written);
});

it.each([
  '',
  'null',
  '{"mounts":null,"aside":[]}',
  '{"mounts":{"7":null},"aside":[]}',
  '{"mounts":{"7":{"at":"x","token":null,"leaving":null}},"aside":[]}',
  '{"mounts":{"x":{"at":"1.5.1","token":null,"leaving":null}},"aside":[]}',
  '{"mounts":{},"aside":[{"volume":7}]}',
])('the damaged text %p is refused', (text) => {
  expect(() => readMountedFile(text)).toThrow();
});
