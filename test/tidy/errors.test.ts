import { describe, expect, test } from '@jest/globals';
import { renderErrors } from '../../build/docs/render-errors.mjs';
import { ERROR_CODES } from '../../shared/wire/error-codes.ts';
import type { ErrorEntry } from '../../shared/wire/error-entry.ts';
import { readText } from './repository.ts';

type Codes = Readonly<Record<string, ErrorEntry>>;

/** What differs between the table and its page, both ways. */
function complaints(codes: Codes, page: string): string[] {
  const documented = [...page.matchAll(/^### `([^`]+)`$/gm)].map((match) => match[1] ?? '');
  const known = Object.keys(codes);
  return [
    ...known.filter((code) => !documented.includes(code)).map((code) => `undocumented: ${code}`),
    ...documented.filter((code) => !known.includes(code)).map((code) => `unknown: ${code}`),
  ];
}

const entry: ErrorEntry = { severity: 'permanent', summary: 'the door is shut', remedy: 'open it' };

describe('errors', () => {
  test('each code has its place on the page, and nothing else has', () => {
    expect(complaints(ERROR_CODES, readText('docs/reference/errors.md'))).toEqual([]);
  });

  test('a remedy says what to do, and does not begin with nothing', () => {
    const codes: Codes = ERROR_CODES;
    const idle = Object.entries(codes).filter(([, { remedy }]) => /^nothing\b[:,]/.test(remedy));
    expect(idle).toEqual([]);
  });

  test('every entry is said in words', () => {
    const codes: Codes = ERROR_CODES;
    const empty = Object.entries(codes).filter(
      ([code, { summary, remedy }]) =>
        !/^[a-z][a-z0-9-]*$/.test(code) || summary.length < 10 || remedy.length < 5,
    );
    expect(empty).toEqual([]);
  });

  test('a code too many is found on either side', () => {
    const page = renderErrors({ 'door-shut': entry });
    expect(complaints({ 'door-shut': entry }, page)).toEqual([]);
    expect(complaints({ 'door-shut': entry, 'door-gone': entry }, page)).toEqual([
      'undocumented: door-gone',
    ]);
    expect(complaints({}, page)).toEqual(['unknown: door-shut']);
  });

  test('an entry becomes sentences', () => {
    expect(renderErrors({ 'door-shut': entry })).toContain(
      '### `door-shut`\n\nThe door is shut.\n\nWhat to do: open it.\n',
    );
  });
});
