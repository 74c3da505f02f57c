/** The rule book and the code: every rule that a comment cites is in the book, and every file that the book names exists. */
import { describe, expect, test } from '@jest/globals';
import { isSwitch } from '../model/rules.ts';
import { readText, textFiles, type SourceFile } from './repository.ts';
import { filesNamed, rulesOf, switchesNamed, unknownRules } from './rule-book.ts';

const BOOK = ['protocol', 'protocol-cells', 'protocol-names'].map(
  (page) => `docs/internals/${page}.md`,
);
const CODE = /\.(tsx?|mjs|rs|sql)$/;
/** What shows that a check can fail cites rules that there are not. */
const OURS = /^test\/tidy\/rule/;
const PAGES = /^docs\/(internals\/[\w-]+|decisions\/[\w-]+)\.md$|^(CONTRIBUTING|GLOSSARY)\.md$/;

/** Words that the page stresses, and that are no rules of the model. */
const STRESSED = ['italics', 'away', 'unshared'];

const book = BOOK.map((page) => readText(page)).join('\n');
const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const existing = new Set(textFiles().map(({ path }) => baseName(path)));

function missingFiles(pages: readonly SourceFile[], names: ReadonlySet<string>): string[] {
  return pages.flatMap(({ path, text }) =>
    filesNamed(text)
      .filter((name) => !names.has(name))
      .map((name) => `${path} names ${name}, which there is not`),
  );
}

describe('the rule book', () => {
  test('has every rule that a comment cites', () => {
    const code = textFiles().filter(({ path }) => CODE.test(path) && !OURS.test(path));
    expect(unknownRules(book, code)).toEqual([]);
  });

  test('has each rule once, with its words, its reason, its files and its tests', () => {
    const rules = rulesOf(book);
    const codes = rules.map(({ code }) => code);
    expect(codes).toEqual([...new Set(codes)]);
    expect(codes.length).toBeGreaterThan(30);
    const incomplete = rules.filter(
      ({ says, why, where, test: pinned }) =>
        says.length < 20 ||
        why.length < 20 ||
        filesNamed(where).length === 0 ||
        !filesNamed(pinned).some((name) => /\.(test|suite)\.ts$/.test(name)),
    );
    expect(incomplete).toEqual([]);
  });

  test('names rules that the model has', () => {
    expect(switchesNamed(book).filter((name) => !isKnown(name))).toEqual([]);
  });

  test('names existing files, like the pages beside it', () => {
    const pages = textFiles().filter(({ path }) => PAGES.test(path));
    expect(pages.length).toBeGreaterThan(0);
    expect(missingFiles(pages, existing)).toEqual([]);
  });

  test('is reported when a rule, a file or a row is missing', () => {
    const page = [
      '## P: promises',
      '| P1 | A promise counts under its lease. | Who is cut off hears no break. | `a.ts` | `a.test.ts` |',
    ].join('\n');
    const files = [
      { path: 'b.ts', text: '/** Kept by rule P1. */\nconst P7 = "rule P8";\n// And by P2.' },
      { path: 'c.sql', text: '-- the mark (rule X4)\n' },
    ];
    expect(unknownRules(page, files)).toEqual([
      'b.ts cites rule P2, which is in no table',
      'c.sql cites rule X4, which is in no table',
    ]);
    expect(missingFiles([{ path: 'p.md', text: page }], new Set(['a.ts']))).toEqual([
      'p.md names a.test.ts, which there is not',
    ]);
    expect(rulesOf(page.replace('P1 |', 'P1'))).toEqual([]);
    expect(switchesNamed('*P1-wait* and **bold**')).toEqual(['P1-wait']);
  });
});

/** A rule of the model, or a word that the page stresses. */
function isKnown(name: string): boolean {
  return isSwitch(name) || STRESSED.includes(name.toLowerCase());
}
