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

describe('the table of errors', () => {
  test('has each code on its page, which has no others', () => {
    expect(complaints(ERROR_CODES, readText('docs/reference/errors.md'))).toEqual([]);
  });

  test('has a remedy for each code that says what to do', () => {
    const codes: Codes = ERROR_CODES;
    const idle = Object.entries(codes).filter(([, { remedy }]) => /^nothing\b[:,]/.test(remedy));
    expect(idle).toEqual([]);
  });

  test('describes every entry in words', () => {
    const codes: Codes = ERROR_CODES;
    const empty = Object.entries(codes).filter(
      ([code, { summary, remedy }]) =>
        !/^[a-z][a-z0-9-]*$/.test(code) || summary.length < 10 || remedy.length < 5,
    );
    expect(empty).toEqual([]);
  });

  test('is compared with the page in both directions', () => {
    const page = renderErrors({ 'door-shut': entry });
    expect(complaints({ 'door-shut': entry }, page)).toEqual([]);
    expect(complaints({ 'door-shut': entry, 'door-gone': entry }, page)).toEqual([
      'undocumented: door-gone',
    ]);
    expect(complaints({}, page)).toEqual(['unknown: door-shut']);
  });

  test('is rendered as sentences', () => {
    expect(renderErrors({ 'door-shut': entry })).toContain(
      '### `door-shut`\n\nThe door is shut.\n\nWhat to do: open it.\n',
    );
  });
});
