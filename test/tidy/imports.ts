/** What a TypeScript file imports, types included, read from its syntax tree. */
import ts from 'typescript';
import { targetOf } from '../../build/lint/judge-import.mjs';
import type { SourceFile } from './repository.ts';

export interface Import {
  readonly specifier: string;
  readonly typeOnly: boolean;
  readonly line: number;
}

export function parse(file: SourceFile): ts.SourceFile {
  return ts.createSourceFile(file.path, file.text, ts.ScriptTarget.ES2024, true);
}

export function importsOf(file: SourceFile): Import[] {
  const tree = parse(file);
  const found: Import[] = [];
  const add = (literal: ts.Node | undefined, typeOnly: boolean): void => {
    if (literal === undefined || !ts.isStringLiteralLike(literal)) return;
    const line = tree.getLineAndCharacterOfPosition(literal.getStart()).line + 1;
    found.push({ specifier: literal.text, typeOnly, line });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, isTypeImport(node));
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      add(node.argument.literal, true);
    } else if (isDynamicImport(node) || isModuleAddress(node)) add(node.arguments?.[0], false);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

/** The edges of the import graph between the given files: path to the paths it imports, in order. */
export function importGraph(files: readonly SourceFile[]): Map<string, string[]> {
  return new Map(
    files.map((file) => {
      const targets = importsOf(file).map((entry) => targetOf(file.path, entry.specifier));
      return [file.path, [...new Set(targets.filter((target) => target !== null))].sort()];
    }),
  );
}

function isTypeImport(node: ts.ImportDeclaration): boolean {
  const clause = node.importClause;
  if (clause === undefined) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const names = clause.namedBindings;
  if (clause.name !== undefined || names === undefined || !ts.isNamedImports(names)) return false;
  return names.elements.length > 0 && names.elements.every((name) => name.isTypeOnly);
}

function isDynamicImport(node: ts.Node): node is ts.CallExpression {
  return ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
}

/** `new URL('./worker.ts', import.meta.url)`: a module by its address, for a worker. */
function isModuleAddress(node: ts.Node): node is ts.NewExpression {
  if (!ts.isNewExpression(node) || node.expression.getText() !== 'URL') return false;
  const [address, base] = node.arguments ?? [];
  return base?.getText() === 'import.meta.url' && /\.(ts|mjs)['"`]$/.test(address?.getText() ?? '');
}
