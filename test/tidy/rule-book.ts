/** The rule book (docs/internals/protocol.md) as data, and what files cite of it. */
import type { SourceFile } from './repository.ts';

export interface Rule {
  readonly code: string;
  readonly says: string;
  readonly why: string;
  readonly where: string;
  readonly test: string;
}

/** A row of a family's table: a code, what it says, why, where it is kept, and what pins it. */
const ROW = /^\| ([A-Z][1-9]) \| (.*) \| (.*) \| (.*) \| (.*) \|$/gm;
const FAMILY = /^## ([A-Z]): /gm;
const COMMENT = /\/\*[\s\S]*?\*\/|\/\/.*$|^\s*--.*$/gm;
const CALLED_RULE = /\brules? ([A-Z][1-9])\b/g;

export function rulesOf(page: string): Rule[] {
  return [...page.matchAll(ROW)].map(
    ([, code = '', says = '', why = '', where = '', test = '']) => {
      return { code, says, why, where, test };
    },
  );
}

export function familiesOf(page: string): string {
  return [...page.matchAll(FAMILY)].map(([, letter = '']) => letter).join('');
}

/** The codes in the comments of a file: of a family of the book, or whatever is called a rule. */
export function citedIn(text: string, families: string): string[] {
  const code = new RegExp(`\\b[${families}][1-9]\\b`, 'g');
  const comments = text.match(COMMENT) ?? [];
  const cited = comments.flatMap((comment) => [
    ...(comment.match(code) ?? []),
    ...[...comment.matchAll(CALLED_RULE)].map(([, named = '']) => named),
  ]);
  return [...new Set(cited)].sort();
}

/** One complaint for each code that a file cites and the book lacks. */
export function unknownRules(page: string, files: readonly SourceFile[]): string[] {
  const known = new Set(rulesOf(page).map(({ code }) => code));
  const families = familiesOf(page);
  return files.flatMap(({ path, text }) =>
    citedIn(text, families)
      .filter((code) => !known.has(code))
      .map((code) => `${path} cites rule ${code}, which is in no table`),
  );
}

const FILE = /`([\w./-]*?)([\w-]+(?:\.\w+)*\.(?:tsx?|rs|mjs|sql|sh|md))`/g;

/** The files that a page names in backticks, by their last name: a move of a folder changes no page. */
export function filesNamed(text: string): string[] {
  return [...new Set([...text.matchAll(FILE)].map(([, , name = '']) => name))].sort();
}

/** The rules of the model that a page names, in italics. */
export function switchesNamed(text: string): string[] {
  return [...text.matchAll(/(?<!\*)\*([\w-]+)\*(?!\*)/g)].map(([, name = '']) => name);
}
