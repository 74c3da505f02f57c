import { describe, expect, test } from '@jest/globals';
import { LAYERS, PRODUCT, type Layer } from '../../build/layers.mjs';
import { isTest, judgeImport, layerOf, targetOf } from '../../build/lint/judge-import.mjs';
import { importsOf } from './imports.ts';
import { typeScriptFiles, type SourceFile } from './repository.ts';

function complaints(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) =>
    importsOf(file).flatMap(({ specifier, typeOnly, line }) => {
      const reason = judgeImport(file.path, specifier, { typeOnly });
      return reason === null ? [] : [`${file.path}:${line} ${reason}`];
    }),
  );
}

const inLaboratory = (path: string): boolean => path.startsWith('app/lab');

/** Files of product and build that import something of the laboratory. */
function waysIn(files: readonly SourceFile[]): string[] {
  const outside = files.filter(
    ({ path }) => !inLaboratory(path) && !path.startsWith('test/') && !isTest(path),
  );
  const imports = (file: SourceFile): boolean =>
    importsOf(file).some(({ specifier }) => inLaboratory(targetOf(file.path, specifier) ?? ''));
  return outside.filter(imports).map(({ path }) => path);
}

describe('the table of layers', () => {
  test('allows every import of the project', () => {
    expect(complaints(typeScriptFiles())).toEqual([]);
  });

  test('has a row for each folder of the product', () => {
    const product = typeScriptFiles().filter(({ path }) =>
      PRODUCT.some((room) => path.startsWith(`${room}/`)),
    );
    expect(product.filter(({ path }) => layerOf(path) === null)).toEqual([]);
  });

  test('lets one file outside of the laboratory import it', () => {
    expect(waysIn(typeScriptFiles())).toEqual(['app/cli/laboratory.ts']);
  });

  test('lets the check find another way into the laboratory, types included', () => {
    const text = "import type { TraceRecord } from '../app/lab/trace/record.ts';";
    const paths = ['daemon/a.ts', 'daemon/a.test.ts', 'test/a.ts', 'server/a.ts'];
    expect(waysIn(paths.map((path) => ({ path, text })))).toEqual(['daemon/a.ts', 'server/a.ts']);
    expect(waysIn([{ path: 'app/lab/a.ts', text: "import './trace/record.ts';" }])).toEqual([]);
  });

  test('opens the laboratory in no row but that of the one way in', () => {
    const lets = ({ path, code, types }: Layer): boolean =>
      !inLaboratory(path) && [...code, ...types].some(inLaboratory);
    expect(LAYERS.filter(lets).map(({ path }) => path)).toEqual(['app/cli/laboratory.ts']);
  });

  test('gives a reason for every row', () => {
    expect(LAYERS.filter((row) => row.why.length < 10)).toEqual([]);
  });

  test.each([
    ['daemon/core/cache/a.ts', '../../../shared/wire/rpcs.ts', true],
    ['daemon/core/cache/a.ts', '../names/b.ts', true],
    ['daemon/core/cache/a.ts', '../../../shared/ports/clock.ts', false],
    ['daemon/core/cache/a.ts', '../../../server/core/server.ts', false],
    ['daemon/core/cache/a.ts', '../../runtime/run.ts', false],
    ['daemon/core/cache/a.ts', 'node:fs', false],
    ['daemon/core/cache/a.ts', 'zod', false],
    ['daemon/core/cache/a.test.ts', 'fast-check', true],
    ['daemon/core/cache/a.test.ts', '../../../test/support/b.ts', true],
    ['daemon/core/cache/a.ts', '../../../test/support/b.ts', false],
    ['daemon/runtime/a.ts', '../core/client.ts', true],
    ['daemon/runtime/a.ts', '../adapters/store/b.ts', false],
    ['daemon/runtime/a.ts', 'node:timers', false],
    ['daemon/adapters/store/a.ts', '../../core/client.ts', false],
    ['daemon/adapters/store/a.ts', 'better-sqlite3', true],
    ['daemon/main.ts', './adapters/store/a.ts', true],
    ['daemon/main.ts', '../server/main.ts', false],
    ['server/core/a.ts', '../../daemon/core/client.ts', false],
    ['app/cli/a.ts', '../../daemon/main.ts', false],
    ['app/cli/a.ts', '../../shared/control/snapshot.ts', true],
    ['app/cli/laboratory.ts', '../lab/laboratory.ts', true],
    ['app/cli/laboratory.ts', '../lab/commands/bench.ts', false],
    ['app/cli/commands/a.ts', '../laboratory.ts', true],
    ['app/cli/commands/a.ts', '../../lab/laboratory.ts', false],
    ['app/cli/commands/a.ts', '../../lab/trace/record.ts', false],
    ['daemon/main.ts', '../app/lab/trace/recorder/recorder.ts', false],
    ['daemon/adapters/control/a.ts', '../../../app/lab/trace/record.ts', false],
    ['server/main.ts', '../app/lab/shaper/udp-relay.ts', false],
    ['app/tray/main/a.ts', '../../lab/laboratory.ts', false],
    ['shared/control/a.ts', '../../app/lab/trace/record.ts', false],
    ['build/a.mjs', '../app/lab/simulator/simulation.ts', false],
    ['app/lab/bench/a.ts', '../../cli/format.ts', true],
    ['app/lab/bench/a.ts', '../../../daemon/main.ts', false],
    ['app/lab/simulator/a.ts', '../../../daemon/runtime/run.ts', true],
    ['app/lab/simulator/a.ts', '../../../shared/transport/link.ts', false],
    ['shared/model/a.ts', '../ports/clock.ts', false],
    ['shared/attic/a.ts', '../model/fid.ts', false],
    ['shared/model/a.ts', '../../../elsewhere/a.ts', false],
    ['test/e2e/a.ts', '../../daemon/core/client.ts', true],
  ])('judges %s importing %s as allowed: %s', (file, specifier, allowed) => {
    expect(judgeImport(file, specifier) === null).toBe(allowed);
  });

  test('allows types where it forbids code', () => {
    const file = 'shared/ports/clock.ts';
    expect(judgeImport(file, '../wire/rpcs.ts', { typeOnly: true })).toBeNull();
    expect(judgeImport(file, '../wire/rpcs.ts')).toContain('only types');
  });

  test('gives the reason in its message', () => {
    expect(judgeImport('daemon/core/a.ts', 'node:fs')).toContain('the core decides');
  });

  test.each([
    ["import { a } from 'node:fs';", 1],
    ["import type { a } from 'node:fs';", 1],
    ["export { a } from 'node:fs';", 1],
    ["export * from 'node:fs';", 1],
    ["type A = import('node:fs').Stats;", 1],
    ["const a = await import('node:fs');", 1],
    ["import 'node:fs';", 1],
    ["const a = new URL('../../server/main.ts', import.meta.url);", 1],
    ["const a = new URL('../../migrations/daemon/', import.meta.url);", 0],
    ["import { a } from './a.ts'; const b = \"import x from 'node:fs'\";", 0],
  ])('covers the import in %s', (text, count) => {
    expect(complaints([{ path: 'daemon/core/a.ts', text }])).toHaveLength(count);
  });
});
