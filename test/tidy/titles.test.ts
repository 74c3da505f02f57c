/** The house rule for titles of tests: whole sentences with their subject (titles.ts says what that is). */
import { describe, expect, test } from '@jest/globals';
import { typeScriptFiles } from './repository.ts';
import { titleFaults } from './titles.ts';

/** What shows here that the rule can fail breaks it. */
const tests = typeScriptFiles().filter(
  ({ path, text }) => path !== 'test/tidy/titles.test.ts' && /@jest\/globals|itNeeds/.test(text),
);

const faults = (text: string): string[] =>
  titleFaults([{ path: 'a.test.ts', text }]).map((fault) => fault.replace(/^\S+ /, ''));

describe('the titles of tests', () => {
  test('are whole sentences', () => {
    expect(titleFaults(tests)).toEqual([]);
  });

  test.each([
    ['a cache evicts old contents', []],
    ['`godwit undo` restores a file', []],
    ['after a restart, the server waits for leases', []],
    ['is so of FetchStatus', ['says "is so"', 'has no subject, and no describe around it']],
    ['%s is refused', ['begins with a placeholder, not with a noun']],
    ['"$name" is refused at once', ['begins with a placeholder, not with a noun']],
    ['evicts old contents', ['has no subject, and no describe around it']],
    ['evicts them', ['has fewer than three words', 'has no subject, and no describe around it']],
    ['of a daemon that is not there is an error', ['begins with "of"']],
    ['without a server the laptop waits', ['begins with "without"']],
    ['a laptop of two users', ['has no verb that title-words.ts knows']],
    ['the reader is told at once', ['says "told"']],
  ])('are judged in the case "%s"', (title, found) => {
    const text = `test.each(ROWS)(${JSON.stringify(title)}, () => {});`;
    expect(faults(text)).toEqual(found.map((fault) => `"${title}" ${fault}`));
  });

  test.each([
    ['a full cache', 0],
    ['the cache (%s)', 0],
    ['cache', 1],
    ['without a server', 1],
    ['%s of a cache', 1],
    ['evicts old contents', 1],
  ])('may begin with their verb in the describe "%s" with %i faults', (subject, count) => {
    const inside = "it('evicts old contents first', () => {});";
    const given = `describe('${subject}', clauses); function clauses() { ${inside} }`;
    expect(faults(`describe('${subject}', () => { ${inside} });`)).toHaveLength(count);
    expect(faults(given)).toHaveLength(count);
  });

  test('are found at tests that need something of the machine', () => {
    const text =
      "const mounted = itNeeds(a); mounted('x', b); itInBrowser('y', b); itNeeds(a)('z', b);";
    expect(faults(text)).toHaveLength(6);
  });
});
