/**
 * Which exported functions and classes of a file have a doc comment.
 *
 * One needs it if its text is longer than three lines, or if its parameters are not obvious: three
 * or more, or a number or boolean. A shorter one says by itself what it does.
 */
import ts from 'typescript';
import type { SourceFile } from './repository.ts';

export interface Exported {
  readonly name: string;
  readonly line: number;
  readonly hasComment: boolean;
}

const OBVIOUS_LINES = 3;
const OBVIOUS_PARAMETERS = 2;
const NOT_OBVIOUS: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.NumberKeyword,
  ts.SyntaxKind.BooleanKeyword,
]);

/** Those of the file that need a doc comment, in the order in which they stand there. */
export function documentedExports({ path, text }: SourceFile): Exported[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const lineOf = (at: number): number => source.getLineAndCharacterOfPosition(at).line + 1;
  return source.statements.filter(isExported).flatMap((statement) =>
    candidatesOf(statement)
      .filter(({ parameters }) => {
        const lines = lineOf(statement.end) - lineOf(statement.getStart()) + 1;
        return lines > OBVIOUS_LINES || !areObvious(parameters);
      })
      .map(({ name }) => ({
        name,
        line: lineOf(statement.getStart()),
        hasComment: ts.getJSDocCommentsAndTags(statement).length > 0,
      })),
  );
}

interface Candidate {
  readonly name: string;
  readonly parameters: readonly ts.ParameterDeclaration[];
}

function candidatesOf(statement: ts.Statement): Candidate[] {
  if (ts.isFunctionDeclaration(statement)) {
    return [{ name: statement.name?.text ?? 'default', parameters: statement.parameters }];
  }
  if (ts.isClassDeclaration(statement)) {
    return [{ name: statement.name?.text ?? 'default', parameters: [] }];
  }
  if (!ts.isVariableStatement(statement)) return [];
  return statement.declarationList.declarations.flatMap(({ name, initializer }) => {
    const isFunction =
      initializer !== undefined &&
      (ts.isArrowFunction(initializer) || ts.isFunctionExpression(initializer));
    return isFunction ? [{ name: name.getText(), parameters: initializer.parameters }] : [];
  });
}

function areObvious(parameters: readonly ts.ParameterDeclaration[]): boolean {
  if (parameters.length > OBVIOUS_PARAMETERS) return false;
  return !parameters.some(({ type }) => type !== undefined && NOT_OBVIOUS.has(type.kind));
}

function isExported(statement: ts.Statement): boolean {
  if (!ts.canHaveModifiers(statement)) return false;
  const modifiers = ts.getModifiers(statement) ?? [];
  return modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
}
