/** The linter is set as the tables say: the rules that the other house tests lean on are really on. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ROOT } from '../../build/node-path.mjs';

type Rules = Readonly<Record<string, readonly unknown[] | undefined>>;
const ERROR = 2;

function eslint(args: string[], input = ''): { status: number | null; stdout: string } {
  const script = join(ROOT, 'node_modules', 'eslint', 'bin', 'eslint.js');
  const options = { cwd: ROOT, encoding: 'utf8', input } as const;
  return spawnSync(process.execPath, [script, ...args], options);
}

function rulesFor(path: string): Rules {
  const config = JSON.parse(eslint(['--print-config', path]).stdout) as { rules: Rules };
  return config.rules;
}

const severity = (rules: Rules, name: string): unknown => rules[name]?.[0];

describe('the lint rules', () => {
  test('forbid clocks and promises in a core', () => {
    const rules = rulesFor('daemon/core/cache/a.ts');
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
    'allow a Date only of a given time in %s',
    (path) => {
      const forbidden = JSON.stringify(rulesFor(path)['no-restricted-syntax']);
      expect(forbidden).toContain('Identifier[name=\\"Date\\"]:not(');
    },
  );

  test('forbid clocks in a runtime and allow them in adapters and tests', () => {
    expect(severity(rulesFor('server/runtime/a.ts'), 'no-restricted-globals')).toBe(ERROR);
    for (const path of ['server/adapters/listener/a.ts', 'server/runtime/a.test.ts']) {
      expect(severity(rulesFor(path), 'no-restricted-globals')).not.toBe(ERROR);
      expect(severity(rulesFor(path), 'godwit/layers')).toBe(ERROR);
    }
  });

  test('report a forbidden import with its reason', () => {
    const { status, stdout } = eslint(
      ['--stdin', '--stdin-filename', 'build/probe.mjs'],
      "import '../daemon/main.ts';\n",
    );
    expect(status).toBe(1);
    expect(stdout).toContain('build may not import daemon: set-up runs before anything');
  });
});
