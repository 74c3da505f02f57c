import { describe, expect, test } from '@jest/globals';
import { typeScriptFiles } from './repository.ts';
import { roomPairs } from './room-pairs.ts';

const CORE = 'server/core';
/** They put the rooms together: every room may know what they compose. */
const COMPOSING = ['server.ts', 'state.ts', 'volume-state.ts'];

/** Room by room one can read the core; two that import each other are read as one. No pair may be added. */
const KNOWN = ['callback <-> update'];

const file = (path: string, text: string) => ({ path: `${CORE}/${path}`, text });

describe('the rooms of the core of the server', () => {
  test('import each other in the known pairs alone', () => {
    expect(roomPairs(typeScriptFiles(), CORE, COMPOSING)).toEqual(KNOWN);
  });

  test('a pair is found, types included, and once', () => {
    const files = [
      file('quota/a.ts', "import { b } from '../volume/b.ts'; import '../volume/c.ts';"),
      file('volume/b.ts', ''),
      file('volume/c.ts', "import type { A } from '../quota/a.ts';"),
    ];
    expect(roomPairs(files, CORE, COMPOSING)).toEqual(['quota <-> volume']);
  });

  test('a file beside the rooms is a room, what composes them is none, and tests do not count', () => {
    const files = [
      file('answer.ts', "import './read/a.ts';"),
      file('read/a.ts', "import '../answer.ts'; import '../state.ts';"),
      file('read/a.test.ts', "import '../share/a.ts';"),
      file('share/a.ts', "import '../read/a.ts';"),
      file('state.ts', "import './read/a.ts';"),
    ];
    expect(roomPairs(files, CORE, COMPOSING)).toEqual(['answer.ts <-> read']);
  });
});
