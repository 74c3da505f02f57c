import { expect, test } from '@jest/globals';
import { typeScriptFiles } from './repository.ts';
import { roomPairs } from './room-pairs.ts';

const CORE = 'daemon/core';
/** They put the rooms together: every room may know what they compose. */
const COMPOSING = ['client.ts', 'state.ts'];

/** Room by room one can read the core; two that import each other are read as one. No pair may be added. */
const KNOWN = ['log <-> sharing'];

test('the rooms of the core of the daemon import each other in the known pairs alone', () => {
  expect(roomPairs(typeScriptFiles(), CORE, COMPOSING)).toEqual(KNOWN);
});
