/** `npm run check`: which tests a change gets, what is left out, and what it says of a request that is none. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { changedFiles, namedFiles, requestOf } from '../../build/check/changed-files.mjs';
import { planOf } from '../../build/check/plan.mjs';
import { distances, importersOf, testsOf } from '../../build/check/reach.mjs';

const SOURCES: Readonly<Record<string, string>> = {
  'server/core/a.ts': '',
  'server/core/b.ts': "import type { A } from './a.ts';",
  'server/core/a.test.ts': "import { a } from './a.ts';",
  'server/main.ts': "const b = await import('../server/core/b.ts');",
  'app/cli/c.test.ts': "import {\n  main,\n} from '../../server/main.ts';",
  'test/scenario/s.test.ts': "import { b } from '../../server/core/b.ts';",
  'test/process/p.test.ts': "const file = 'migrations/server/001-first.sql';",
  'daemon/d.test.ts': "new Worker(new URL('./worker.ts', import.meta.url));",
  'daemon/worker.ts': '',
  'migrations/server/001-first.sql': '',
  'docs/a.md': '',
};
const FILES = Object.keys(SOURCES).sort();
const textOf = (path: string): string => SOURCES[path] ?? '';

interface Plan {
  readonly lanes: readonly { readonly name: string; readonly command: readonly string[] }[][];
  readonly left: readonly string[];
}

describe('the tests of a change', () => {
  test('are those that reach it, nearest first, and by whatever way', () => {
    const found = testsOf(FILES, ['server/core/a.ts'], textOf);
    expect(found.unit).toEqual(['server/core/a.test.ts', 'app/cli/c.test.ts']);
    expect([...found.suites]).toEqual([['scenario', ['test/scenario/s.test.ts']]]);
    expect(testsOf(FILES, ['daemon/worker.ts'], textOf).unit).toEqual(['daemon/d.test.ts']);
  });

  test('count a test that has changed itself, and who names what is no code', () => {
    expect(testsOf(FILES, ['app/cli/c.test.ts'], textOf).unit).toEqual(['app/cli/c.test.ts']);
    const { unit, suites } = testsOf(FILES, ['migrations/server/001-first.sql'], textOf);
    expect(unit).toEqual([]);
    expect([...suites.keys()]).toEqual(['process']);
  });

  test('are found where files import each other', () => {
    const texts: Record<string, string> = {
      'a.ts': "import './b.ts';",
      'b.ts': "import './a.ts';",
    };
    const importers = importersOf(['a.ts', 'b.ts'], (path: string) => texts[path] ?? '');
    expect([...distances(importers, ['a.ts'])]).toEqual([
      ['a.ts', 0],
      ['b.ts', 1],
    ]);
  });
});

describe('the plan', () => {
  const plan = (files: string[], removed: string[] = []): Plan =>
    planOf(FILES, { files, removed }, textOf);
  const names = ({ lanes }: Plan): string[] => lanes.flat().map(({ name }) => name);

  test('has types, lint and tests for code, and says which suites it leaves out', () => {
    const found = plan(['server/core/a.ts']);
    expect(names(found)).toEqual(['types', 'format', 'spelling', 'lint', 'tests and house rules']);
    expect(found.left).toEqual(['scenario (s): node build/run-tests.mjs --suite scenario']);
  });

  test('has neither types nor lint for a document', () => {
    expect(names(plan(['docs/a.md']))).toEqual(['format', 'spelling', 'grammar', 'house rules']);
  });

  test('runs a changed test of a suite, and does not name it as left out', () => {
    const found = plan(['test/scenario/s.test.ts']);
    expect(found.lanes[1]?.[0]?.command).toContain('test/scenario/s\\.test\\.ts');
    expect(found.left).toEqual([]);
  });

  test('looks at what used a file that was removed', () => {
    const found = plan([], ['server/core/a.ts']);
    expect(names(found)).toEqual(['types', 'tests and house rules']);
  });

  test('leaves out distant tests of a large change and counts them', () => {
    const many = Array.from({ length: 50 }, (_, index) => `shared/m/t${index}.test.ts`);
    const text = (path: string): string => (path.includes('.test.') ? "import './m.ts';" : '');
    const found = planOf(
      ['shared/m/m.ts', ...many],
      { files: ['shared/m/m.ts'], removed: [] },
      text,
    ) as Plan;
    expect(found.left).toEqual(['10 unit test files further away: npm run test:unit']);
  });
});

describe('a request to check', () => {
  test.each([
    [[], /^no file is named; usage: npm run check -- /],
    [[''], /^an argument is empty; usage: npm run check -- /],
    [['a.ts', ''], /^an argument is empty; /],
    [['--all'], /^unknown flag '--all'; usage: /],
    [['--since'], /^--since: a commit is missing$/],
    [['--changed', 'a.ts'], /^give files, or --changed or --since, not both$/],
  ])('refuses %j in one line', (words, line) => {
    expect(() => requestOf(words)).toThrow(line);
  });

  test('is for files, or since a commit', () => {
    expect(requestOf(['a.ts', 'b.ts'])).toEqual({ files: ['a.ts', 'b.ts'] });
    expect(requestOf(['--changed'])).toEqual({ since: 'HEAD' });
    expect(requestOf(['--since', 'main'])).toEqual({ since: 'main' });
  });
});

describe('in a repository', () => {
  let root: string;
  const git = (...args: string[]): void => {
    const who = ['-c', 'user.name=x', '-c', 'user.email=x@y', '-c', 'commit.gpgsign=false'];
    const { status, stderr } = spawnSync('git', [...who, ...args], { cwd: root, encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
  };
  const write = (path: string, text = 'x'): void => writeFileSync(join(root, path), text);

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'godwit check '));
    git('init', '-q');
    mkdirSync(join(root, 'folder'));
    for (const name of ['one.ts', 'two.ts', 'folder/three.ts']) write(name);
    write('.gitignore', 'ignored\n');
    git('add', '.');
    git('commit', '-q', '-m', 'first');
  });
  afterEach(() => rmSync(root, { recursive: true }));

  test('the changed files are those of the index, of the folder, new ones and removed ones', () => {
    expect(changedFiles(root, 'HEAD')).toEqual({ files: [], removed: [] });
    write('one.ts', 'changed');
    git('add', '.');
    write('one.ts');
    write('folder/three.ts', 'changed');
    rmSync(join(root, 'two.ts'));
    write('ü new.ts');
    write('ignored');
    expect(changedFiles(root, 'HEAD')).toEqual({
      files: ['folder/three.ts', 'one.ts', 'ü new.ts'],
      removed: ['two.ts'],
    });
    git('add', '.');
    git('commit', '-q', '-m', 'second');
    expect(changedFiles(root, 'HEAD~1').removed).toEqual(['two.ts']);
    expect(() => changedFiles(root, 'nobody')).toThrow(
      /^git merge-base: fatal: [^\n]*nobody[^\n]*$/,
    );
  });

  test('named files are those that are there, in the repository, and not ignored', () => {
    expect(namedFiles(root, join(root, 'folder'), ['three.ts', '../one.ts', 'three.ts'])).toEqual([
      'folder/three.ts',
      'one.ts',
    ]);
    write('ignored');
    for (const [name, line] of [
      ['none.ts', /^none\.ts: there is no such file$/],
      ['folder', /^folder: is a folder; name files, or use --changed$/],
      ['/etc/hostname', /^\/etc\/hostname: is not in this repository$/],
      ['ignored', /^ignored: git ignores it, and so does the check$/],
    ] as const) {
      expect(() => void namedFiles(root, root, [name])).toThrow(line);
    }
  });

  test('the command says what is wrong in one line', () => {
    const script = join(import.meta.dirname, '../../build/check.mjs');
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, 'none.ts'], {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, INIT_CWD: root },
    });
    expect({ status, stdout, stderr }).toEqual({
      status: 1,
      stdout: '',
      stderr: 'godwit: none.ts: there is no such file\n',
    });
  });
});
