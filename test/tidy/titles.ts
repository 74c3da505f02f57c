/**
 * Whether the titles of tests are whole sentences. One is `subject verb ...`, with its subject in it: "the cache evicts ...". A title
 * within a `describe` may begin with the verb, where the describe names the subject: "a folder" > "keeps a file that ...".
 */
import ts from 'typescript';
import { parse } from './imports.ts';
import type { SourceFile } from './repository.ts';
import { HANGING, NOUNS_TOO, PREPOSITIONS, RIDDLES, VERB_FORMS } from './title-words.ts';

interface Title {
  readonly where: string;
  readonly text: string;
  /** Of the innermost `describe`, or of the one that the function around it is given to. */
  readonly subject: string | null;
}

const TEST = /^(?:it|test)(?:\.\w+)*$/;
const DESCRIBE = /^describe(?:\.\w+)*$/;
/** The tests that need something of the machine: `itNeeds(missing)(...)`, `itInBrowser(...)`. */
const NEEDS = /^itNeeds\(|^it[A-Z]\w*$/;
const PLACEHOLDER = /^["'`(]*(?:%[a-z#]|\$\w)/;

/** The faults of all titles in the given files, each with its place. */
export function titleFaults(files: readonly SourceFile[]): string[] {
  const trees = files.map((file) => ({ file, tree: parse(file) }));
  const given = new Map<string, string>();
  for (const { tree } of trees) collectGiven(tree, given);
  return trees.flatMap(({ file, tree }) =>
    titlesIn(file, tree, given).flatMap((title) =>
      faultsOf(title).map((fault) => `${title.where} "${title.text}" ${fault}`),
    ),
  );
}

function faultsOf({ text, subject }: Title): string[] {
  const [first = '', ...rest] = wordsOf(text);
  const faults: string[] = [];
  if (rest.length < 2) faults.push('has fewer than three words');
  if (PLACEHOLDER.test(text)) faults.push('begins with a placeholder, not with a noun');
  const riddle = RIDDLES.map((pattern) => pattern.exec(text)?.[0]).find((found) => found);
  if (riddle !== undefined) faults.push(`says "${riddle}"`);
  if (isHanging(first, text)) faults.push(`begins with "${first}"`);
  else if (![first, ...rest].some((word) => VERB_FORMS.has(word))) {
    faults.push('has no verb that title-words.ts knows');
  } else if (beginsWithVerb(first, rest)) faults.push(...faultsOfSubject(subject));
  return faults;
}

/** A title that begins with its verb needs a describe that is a noun phrase. */
function faultsOfSubject(subject: string | null): string[] {
  if (subject === null) return ['has no subject, and no describe around it'];
  const [first = '', ...rest] = wordsOf(subject);
  const isNoun =
    (rest.length > 0 || first.endsWith('s')) &&
    !PLACEHOLDER.test(subject) &&
    !isHanging(first, subject) &&
    (NOUNS_TOO.has(first) || !VERB_FORMS.has(first));
  return isNoun ? [] : [`has no subject: "${subject}" is none`];
}

function beginsWithVerb(first: string, rest: readonly string[]): boolean {
  if (!VERB_FORMS.has(first)) return false;
  return !NOUNS_TOO.has(first) || !rest.some((word) => VERB_FORMS.has(word));
}

function isHanging(first: string, text: string): boolean {
  return HANGING.includes(first) || (PREPOSITIONS.includes(first) && !/[,:]/.test(text));
}

/** In small letters; what is quoted, or filled in by a table, is a noun. */
function wordsOf(text: string): string[] {
  const plain = text.replace(/`[^`]*`|"[^"]*"|%[a-z#]|\$[\w.]+/g, ' NOUN ');
  return (plain.match(/[\w'’.-]+/g) ?? []).map((word) =>
    /^[A-Z]/.test(word) ? word : word.toLowerCase(),
  );
}

function titlesIn(
  file: SourceFile,
  tree: ts.SourceFile,
  given: ReadonlyMap<string, string>,
): Title[] {
  const found: Title[] = [];
  const needing = needingTests(tree);
  const visit = (node: ts.Node, subject: string | null): void => {
    let inner = subject;
    if (ts.isFunctionDeclaration(node) && node.name !== undefined) {
      inner = given.get(node.name.text) ?? subject;
    }
    const [name, title] = ts.isCallExpression(node) ? calledWith(node) : ['', null];
    if (ts.isCallExpression(node) && title !== null) {
      if (DESCRIBE.test(name)) inner = title;
      else if (TEST.test(name) || NEEDS.test(name) || needing.has(name)) {
        const { line } = tree.getLineAndCharacterOfPosition(node.getStart());
        found.push({ where: `${file.path}:${line + 1}`, text: title, subject });
      }
    }
    ts.forEachChild(node, (child) => visit(child, inner));
  };
  visit(tree, null);
  return found;
}

/** What is called, without the table of an `each`, and the title that it is given; null where that is no text. */
function calledWith(call: ts.CallExpression): [string, string | null] {
  const [first, body] = call.arguments;
  const title = body === undefined ? null : textOf(first);
  if (title === null) return ['', null];
  const { expression } = call;
  const isEach = ts.isCallExpression(expression) && /\.each$/.test(expression.expression.getText());
  return [(isEach ? expression.expression : expression).getText(), title];
}

function textOf(node: ts.Expression | undefined): string | null {
  if (node === undefined) return null;
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return null;
  return node.head.text + node.templateSpans.map(({ literal }) => `%s${literal.text}`).join('');
}

/** `const mounted = itNeeds(missing)`, `const limited = canNot ? it : itNeeds('...')`. */
function needingTests(tree: ts.SourceFile): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && /^itNeeds\(/.test(node.initializer?.getText() ?? '')) {
      names.add(node.name.getText());
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return names;
}

/** The functions that are given to a describe, or called in one, each with the title of that: `describe('a flush', flushClauses)`. */
function collectGiven(tree: ts.SourceFile, given: Map<string, string>): void {
  const visit = (node: ts.Node, subject: string | null): void => {
    let inner = subject;
    if (ts.isCallExpression(node)) {
      const [name, title] = calledWith(node);
      if (DESCRIBE.test(name) && title !== null) {
        inner = title;
        const body = node.arguments[1];
        if (body !== undefined && ts.isIdentifier(body)) given.set(body.text, title);
      } else if (subject !== null && ts.isIdentifier(node.expression)) {
        given.set(node.expression.text, subject);
      }
    }
    ts.forEachChild(node, (child) => visit(child, inner));
  };
  visit(tree, null);
}
