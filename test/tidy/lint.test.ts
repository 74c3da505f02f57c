/** The linter is set as the tables say: the rules that the other house tests lean on are really on. */
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ESLint } from 'eslint';
import { ROOT } from '../../build/node-path.mjs';

type Rules = Readonly<Record<string, readonly unknown[] | undefined>>;
const ERROR = 2;

const eslint = new ESLint({ cwd: ROOT });

async function rulesFor(path: string): Promise<Rules> {
  const config = (await eslint.calculateConfigForFile(join(ROOT, path))) as { rules: Rules };
  return config.rules;
}

const severity = (rules: Rules, name: string): unknown => rules[name]?.[0];

describe('the lint rules', () => {
  test('forbid clocks and promises in a core', async () => {
    const rules = await rulesFor('daemon/core/cache/a.ts');
    expect(severity(rules, 'godwit/layers')).toBe(ERROR);
    expect(severity(rules, 'no-restricted-syntax')).toBe(ERROR);
    expect(JSON.stringify(rules['no-restricted-globals'])).toContain('"performance"');
    expect(JSON.stringify(rules['no-restricted-properties'])).toContain('"random"');
    expect(rules['max-lines']).toEqual([ERROR, { max: 500 }]);
    expect(rules['max-lines-per-function']).toEqual([
      ERROR,
      { max: 70, skipBlankLines: true, skipComments: true },
    ]);
  });

  test.each(['daemon/core/cache/a.ts', 'server/runtime/a.ts'])(
    'code in %s may make a Date of a given time only',
    async (path) => {
      const forbidden = JSON.stringify((await rulesFor(path))['no-restricted-syntax']);
      expect(forbidden).toContain('Identifier[name=\\"Date\\"]:not(');
    },
  );

  test('forbid clocks in a runtime and allow them in adapters and tests', async () => {
    expect(severity(await rulesFor('server/runtime/a.ts'), 'no-restricted-globals')).toBe(ERROR);
    for (const path of ['server/adapters/listener/a.ts', 'server/runtime/a.test.ts']) {
      const rules = await rulesFor(path);
      expect(severity(rules, 'no-restricted-globals')).not.toBe(ERROR);
      expect(severity(rules, 'godwit/layers')).toBe(ERROR);
    }
  });

  test('report a forbidden import with its reason', async () => {
    const filePath = join(ROOT, 'build', 'probe.mjs');
    const [result] = await eslint.lintText("import '../daemon/main.ts';\n", { filePath });
    expect(result?.messages).toMatchObject([
      {
        severity: ERROR,
        message: expect.stringContaining('build may not import daemon: set-up runs before'),
      },
    ]);
  });
});
