/** docs/papers.md says of every row of the papers what there is, and what it names is there. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { filesNamed, paperFaults, paperRows } from './paper-rows.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(ROOT, 'docs/papers.md'), 'utf8');
const exists = (path: string): boolean => existsSync(join(ROOT, path));

describe('the rows of the papers', () => {
  test('are all there, with a state, and with what is there to show it', () => {
    expect(paperFaults(page, exists)).toEqual([]);
    expect(paperRows(page).flatMap(({ shown }) => filesNamed(shown)).length).toBeGreaterThan(50);
  });

  test.each<[string, RegExp, string, string]>([
    ['a row that is gone', /^\| M7 .*\n/m, '', 'the rows are not all there'],
    ['another state', /^(\| M1 .*)DONE/m, '$1GOOD', 'M1: GOOD is no state'],
    ['a changed state', /^(\| M1 .*)DONE/m, '$1PARTIAL', 'the counts are'],
    [
      'a row that nothing shows',
      /^(\| C20 .*DONE \|).*$/m,
      '$1 It is so. |',
      'C20: nothing shows it',
    ],
    ['a row that says nothing', /^(\| M7 .*MISSING \|).*$/m, '$1 |', 'M7: it says nothing'],
    [
      'a file that is gone',
      /`app\/lab\/caches\/stack\.ts`/,
      '`app/gone.ts`',
      'there is no app/gone.ts',
    ],
  ])('are faulty with %s', (_, found, instead, fault) => {
    const changed = page.replace(found, instead);
    expect(changed).not.toBe(page);
    expect(paperFaults(changed, exists)).toContainEqual(expect.stringContaining(fault));
  });
});
