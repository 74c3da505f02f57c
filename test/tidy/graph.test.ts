import { describe, expect, test } from '@jest/globals';
import { ENTRIES, PRODUCT } from '../../build/layers.mjs';
import { cycles, unreached } from './graph.ts';
import { importGraph } from './imports.ts';
import { typeScriptFiles, type SourceFile } from './repository.ts';

const isTest = (path: string): boolean => path.endsWith('.test.ts');
const isProduct = (path: string): boolean => PRODUCT.some((room) => path.startsWith(`${room}/`));
/** The simulator is a tool of the tests as well: scenarios use parts of it that no command shows. */
const servesTests = (path: string): boolean => path.startsWith('app/lab/simulator/');

function deadFiles(files: readonly SourceFile[]): string[] {
  const graph = importGraph(files);
  const tests = [...graph.keys()].filter(isTest);
  const ofProduct = new Set(unreached(graph, ENTRIES));
  const ofTests = new Set(unreached(graph, [...ENTRIES, ...tests]));
  return [...graph.keys()].filter((path) => {
    if (isTest(path)) return false;
    return isProduct(path) && !servesTests(path) ? ofProduct.has(path) : ofTests.has(path);
  });
}

describe('the import graph', () => {
  test('has no cycle, types included', () => {
    expect(cycles(importGraph(typeScriptFiles()))).toEqual([]);
  });

  test('is found to have a cycle, and a diamond is not one', () => {
    const diamond = new Map([
      ['a', ['b', 'c']],
      ['b', ['d']],
      ['c', ['d']],
      ['d', []],
    ]);
    expect(cycles(diamond)).toEqual([]);
    expect(cycles(new Map([...diamond, ['d', ['b']]]))).toEqual([['b', 'd', 'b']]);
  });

  test('contains type imports as edges of a cycle', () => {
    const files = [
      { path: 'shared/model/a.ts', text: "import type { B } from './b.ts';" },
      { path: 'shared/model/b.ts', text: "type A = import('./a.ts').A;" },
    ];
    expect(cycles(importGraph(files))).toHaveLength(1);
  });
});

describe('a file that nothing reaches', () => {
  test('does not exist in the product or in the tests', () => {
    expect(deadFiles(typeScriptFiles())).toEqual([]);
  });

  test('is found also when only a test imports it', () => {
    const files = [
      { path: 'daemon/main.ts', text: "import './core/used.ts';" },
      { path: 'daemon/core/used.ts', text: '' },
      { path: 'daemon/core/dead.ts', text: '' },
      { path: 'daemon/core/dead.test.ts', text: "import './dead.ts';" },
      { path: 'test/support/used.ts', text: '' },
      { path: 'test/support/dead.ts', text: '' },
      { path: 'test/process/a.test.ts', text: "import '../support/used.ts';" },
    ];
    expect(deadFiles(files)).toEqual(['daemon/core/dead.ts', 'test/support/dead.ts']);
  });

  test('is not a worker that is named by its address', () => {
    const files = [
      { path: 'daemon/main.ts', text: "new Worker(new URL('./worker.ts', import.meta.url));" },
      { path: 'daemon/worker.ts', text: '' },
    ];
    expect(deadFiles(files)).toEqual([]);
  });
});
