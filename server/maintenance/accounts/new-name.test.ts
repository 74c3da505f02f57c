import { describe, expect, it } from '@jest/globals';
import { personNameFrom, volumeNameFrom } from './new-name.ts';

describe('the name of a new person', () => {
  it.each([
    ['@crew', 'it begins as the name of a team'],
    ['ann:read', 'it has a colon'],
    ['-x', 'it begins with a dash'],
    ['..', 'it means a folder'],
    ['a/b', 'it has a slash, a backslash or a control character'],
  ])('is not %j, which a command would take for something else', (name, why) => {
    expect(() => personNameFrom(name)).toThrow(
      expect.objectContaining({
        ...{ code: 'usage', message: `a user can not be called “${name}”: ${why}` },
      }),
    );
  });

  it.each(['ann', 'ann@example.org', 'Ann Bee', 'jos\u00e9'])('may be %j', (name) => {
    expect(personNameFrom(name)).toBe(name);
  });
});

it.each(['x@y', 'ann'])('the name of a new volume may be %j', (name) => {
  expect(volumeNameFrom(name)).toBe(name);
});
