/**
 * Ignore files, which other devices may have written: rules at random are read and asked without a throw, and no pattern makes one
 * question cost more than its own length times that of the path.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { IGNORE_FILE } from '../../shared/control/default-ignores.ts';
import { readSmall } from '../../daemon/adapters/folder/disk/system-disk.ts';
import { IgnoreRules } from '../../daemon/adapters/folder/local/ignore-rules.ts';
import { isName } from '../../shared/model/names.ts';
import { fuzz } from './runs.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-ignores-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const piece = fc.constantFrom(
  ...[
    '*',
    '**',
    '**/',
    '/',
    '/**',
    '?',
    '[a-z]',
    '[!a]',
    '[z-a]',
    '[',
    ']',
    '[[:alpha:]]',
    '[[:x:]]',
  ],
  ...[
    '\\',
    '\\*',
    '\\ ',
    ' ',
    '!',
    '#',
    'a',
    'b',
    'aa',
    '.',
    '..',
    '(',
    ')+',
    '{2,}',
    '|',
    '^',
    '$',
  ],
  ...['\0', '\ue000', '\ufeff', '\ud83d', '\t', '\n', '\r\n'],
);
const pattern = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
const file = fc.oneof(
  fc.array(pattern, { maxLength: 6 }).map((lines) => Buffer.from(lines.join('\n'))),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
);
const name = fc.oneof(
  fc.constantFrom('a', 'aa', 'ab', '.a', '..a', 'a b', '[', '\\', '*', 'a'.repeat(40)),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }).filter(isName),
);
const path = fc.array(name, { minLength: 1, maxLength: 4 });

describe('ignore files', () => {
  fuzz('ignore files', fc.tuple(file, path, fc.boolean()), ([bytes, names, isDirectory]) => {
    writeFileSync(join(folder, IGNORE_FILE), bytes);
    const rules = new IgnoreRules(folder, { readSmall });
    expect(typeof rules.isIgnored(names, isDirectory)).toBe('boolean');
    expect(rules.isNameIgnored(['.godwit'], true)).toBe(true);
  });
});
