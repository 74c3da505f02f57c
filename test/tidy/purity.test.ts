import { describe, expect, test } from '@jest/globals';
import ts from 'typescript';
import { layerOf } from '../../build/lint/judge-import.mjs';
import { AMBIENT, AMBIENT_PROPERTIES, NO_PROMISES } from '../../build/lint/ambient.mjs';
import { parse } from './imports.ts';
import { typeScriptFiles, type SourceFile } from './repository.ts';

const REASONS = new Map(Object.entries(AMBIENT));

/** Where a room that must not does reach for time, randomness, the process, or (in a core) promises. */
function complaints(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const layer = layerOf(file.path);
    if (layer === null || file.path.endsWith('.test.ts')) return [];
    const found: string[] = [];
    const tree = parse(file);
    const visit = (node: ts.Node): void => {
      const reason =
        (layer.ambient ? null : ambientReason(node)) ??
        (layer.promises ? null : promiseReason(node));
      if (reason !== null) {
        const line = tree.getLineAndCharacterOfPosition(node.getStart()).line + 1;
        found.push(`${file.path}:${line} ${reason}`);
      }
      ts.forEachChild(node, visit);
    };
    visit(tree);
    return found;
  });
}

function ambientReason(node: ts.Node): string | null {
  if (ts.isPropertyAccessExpression(node)) {
    const object = node.expression.getText();
    const property = node.name.text;
    if (object === 'globalThis') return REASONS.get(property) ?? null;
    const rule = AMBIENT_PROPERTIES.find(
      (entry) => entry.property === property && (entry.object ?? object) === object,
    );
    return rule?.why ?? null;
  }
  if (!ts.isIdentifier(node) || !isValue(node)) return null;
  if (node.text === 'Date' && isOfGivenTime(node.parent)) return null;
  return REASONS.get(node.text) ?? null;
}

/** `new Date(1)` reads no clock. */
function isOfGivenTime(node: ts.Node): boolean {
  return ts.isNewExpression(node) && (node.arguments?.length ?? 0) > 0;
}

/** A name that is read, and not the name of a property, a member, a declaration or a type. */
function isValue(node: ts.Identifier): boolean {
  const parent = node.parent;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isPropertyAssignment(parent)) return parent.initializer === node;
  if (ts.isShorthandPropertyAssignment(parent)) return true;
  return !ts.isTypeNode(parent) && !('name' in parent && parent.name === node);
}

function promiseReason(node: ts.Node): string | null {
  const isAsync =
    ts.isAwaitExpression(node) ||
    node.kind === ts.SyntaxKind.AsyncKeyword ||
    node.kind === ts.SyntaxKind.ImportKeyword ||
    (ts.isForOfStatement(node) && node.awaitModifier !== undefined) ||
    (ts.isIdentifier(node) && (node.text === 'Promise' || node.text === 'PromiseLike'));
  return isAsync ? NO_PROMISES : null;
}

describe('the purity of the code', () => {
  test('holds: cores and what runs in the simulator use nothing ambient', () => {
    expect(complaints(typeScriptFiles())).toEqual([]);
  });

  test.each([
    ['const a = Date.now();', 1],
    ['const a = new Date();', 1],
    ['const a = new Date(b).toISOString();', 0],
    ['const a = Date(b);', 1],
    ['const a = new Date(Date.now());', 1],
    ['const a = globalThis.performance.now();', 1],
    ['const a = Math.random();', 1],
    ['const a = { setTimeout };', 1],
    ['setTimeout(run, 5);', 1],
    ["const a = process.env['A'];", 1],
    ["const a = b.localeCompare('c');", 1],
    ['async function a() {}', 1],
    ['function a(): Promise<void> {}', 1],
    ["const a = import('./b.ts');", 1],
    ['const a = Math.max(1, 2);', 0],
    ['const a = { process: 1 }; const b = a.process;', 0],
    ['interface A { performance: number; process(): void }', 0],
    ["const a = 'Date.now() // setTimeout';", 0],
  ])('is judged in a core for %s: %s', (text, count) => {
    expect(complaints([{ path: 'daemon/core/cache/a.ts', text }])).toHaveLength(count);
  });

  test('allows promises and forbids clocks in a runtime', () => {
    const runtime = (text: string): SourceFile[] => [{ path: 'server/runtime/a.ts', text }];
    expect(complaints(runtime('const a = async () => { await b; };'))).toEqual([]);
    expect(complaints(runtime('const a = Date.now();'))).toHaveLength(1);
  });

  test('allows no clock in the folder, but to what it is given of this machine', () => {
    const folder = (file: string): SourceFile[] => [
      { path: `daemon/adapters/folder/${file}`, text: 'const a = process.platform;' },
    ];
    for (const file of ['folder.ts', 'disk/a.ts', 'local/a.ts']) {
      expect(complaints(folder(file))).toHaveLength(1);
    }
    expect(complaints(folder('disk/system-disk.ts'))).toEqual([]);
  });

  test('allows everything in an adapter', () => {
    const text = 'const a = Date.now(); setTimeout(run, 5);';
    expect(complaints([{ path: 'daemon/adapters/store/a.ts', text }])).toEqual([]);
  });
});
