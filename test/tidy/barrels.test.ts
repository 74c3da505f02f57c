import { expect, test } from '@jest/globals';
import ts from 'typescript';
import { parse } from './imports.ts';
import { typeScriptFiles, type SourceFile } from './repository.ts';

/** Files that hand on what others made and make nothing: they hide who needs whom, and close cycles. */
function barrels(files: readonly SourceFile[]): string[] {
  return files.filter(isBarrel).map((file) => file.path);
}

function isBarrel(file: SourceFile): boolean {
  const statements = parse(file).statements;
  const exportsSomething = statements.some((statement) => ts.isExportDeclaration(statement));
  return (
    exportsSomething &&
    statements.every(
      (statement) => ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement),
    )
  );
}

test('no file of the project only re-exports', () => {
  expect(barrels(typeScriptFiles())).toEqual([]);
});

test.each([
  ["export * from './a.ts';", true],
  ["export { a } from './a.ts';\nexport type { B } from './b.ts';", true],
  ["import { a } from './a.ts';\nexport { a };", true],
  ["export { a } from './a.ts';\nexport const b = 1;", false],
  ["import './a.ts';", false],
])('the text %s is judged to be a barrel: %s', (text, expected) => {
  expect(barrels([{ path: 'shared/model/a.ts', text }]).length === 1).toBe(expected);
});
