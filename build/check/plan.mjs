/** What a check runs for a change, and what it leaves out. */
import { testsOf } from './reach.mjs';

/** Test files: half a minute of one core. */
const MOST_UNIT_FILES = 40;
/** Of another folder of test/, that are named as touched. */
const NAMED_OF_A_SUITE = 4;
const CACHE = '.cache/check';
const TYPED = /\.tsx?$/;
const LINTED = /\.(ts|tsx|mjs)$/;
const WINDOW = /^app\/tray\/window\//;
const TEST = /^test\/([\w-]+)\/.*\.test\.ts$/;

/** The house rules that a kind of file can break; build/ and what the rules are made of: all of them. */
const RULES = [
  [/\.(ts|tsx|mjs)$/, ['barrels', 'graph', 'hooks', 'layers', 'marks', 'purity', 'rules', 'sizes']],
  [/\.rs$/, ['marks', 'prose', 'rules', 'sizes']],
  [/\.sql$/, ['marks', 'rules', 'seals']],
  [/\.md$/, ['glossary', 'prose', 'rules', 'reference']],
  [
    /(error-codes|metrics?|settings|limits)[^/]*\.ts$|^app\/cli\//,
    ['errors', 'metrics', 'reference'],
  ],
  [/\.ts$/, ['prose']],
];
const ALL_RULES = /^(build\/|test\/tidy\/|eslint\.config|package)/;

/**
 * `about`: the change in words; `lanes`: lists of `{ name, command }`, each to be run in order beside the others; `left`: lines about what is not run.
 * Of `all` files and the `changed` ones (`{ files, removed }`); `textOf` gives a file's text.
 */
export function planOf(all, { files, removed }, textOf) {
  const { unit, suites } = testsOf(all, [...files, ...removed], textOf);
  const rules = rulesFor([...files, ...removed]);
  const own = files.filter((path) => TEST.test(path) && !path.startsWith('test/tidy/'));
  const near = unit.slice(0, MOST_UNIT_FILES);
  const tests = [...near, ...own, ...rules];
  const about = `${count(files.length + removed.length, 'file')}, ${count(near.length, 'unit test file')}`;
  const lanes = [checks(files, removed), tests.length === 0 ? [] : [testStep(tests, rules)]];
  return {
    about,
    lanes,
    left: [...leftUnit(unit), ...leftSuites(suites, own), ...leftNative(files)],
  };
}

function checks(files, removed) {
  const steps = [];
  const typed = [...files, ...removed].filter((path) => TYPED.test(path));
  const types = (name, project, cache = name) => ({
    name,
    command: [
      'node_modules/@typescript/native/bin/tsc',
      ...['-p', project, '--incremental', '--tsBuildInfoFile', `${CACHE}/${cache}.tsbuildinfo`],
    ],
  });
  if (typed.some((path) => !WINDOW.test(path))) steps.push(types('types', '.'));
  if (typed.some((path) => /^(app\/tray|shared)\//.test(path))) {
    steps.push(types('types of the page', 'app/tray/window', 'page'));
  }
  if (files.length === 0) return steps;
  const cached = (tool) => ['--cache', '--cache-location', `${CACHE}/${tool}`];
  steps.push({
    name: 'format',
    command: [
      'node_modules/prettier/bin/prettier.cjs',
      ...['--check', '--ignore-unknown', '--log-level', 'warn', ...files],
    ],
  });
  steps.push({
    name: 'spelling',
    command: [
      'node_modules/cspell/bin.mjs',
      ...['lint', '--no-progress', '--no-summary', '--no-must-find-files', ...files],
    ],
  });
  const documents = files.filter((path) => path.endsWith('.md'));
  if (documents.length > 0) {
    steps.push({ name: 'grammar', command: ['build/grammar.mjs', ...documents] });
  }
  const linted = files.filter((path) => LINTED.test(path));
  if (linted.length === 0) return steps;
  const lint = ['--max-warnings', '0', '--no-warn-ignored', ...cached('lint/')];
  steps.push({
    name: 'lint',
    command: [
      'node_modules/eslint/bin/eslint.js',
      ...lint,
      '--cache-strategy',
      'content',
      ...linted,
    ],
  });
  return steps;
}

function rulesFor(paths) {
  if (paths.some((path) => ALL_RULES.test(path))) return ['test/tidy/'];
  const names = RULES.filter(([kind]) => paths.some((path) => kind.test(path))).flatMap(
    ([, rules]) => rules,
  );
  return [...new Set(names)].sort().map((name) => `test/tidy/${name}.test.ts`);
}

function testStep(tests, rules) {
  const name = rules.length === tests.length ? 'house rules' : 'tests and house rules';
  return { name, command: ['build/run-tests.mjs', '-i', ...tests.map(exactly)] };
}

/** Jest takes patterns. */
const exactly = (path) => path.replaceAll('.', '\\.');

function leftUnit(unit) {
  const left = unit.length - MOST_UNIT_FILES;
  return left <= 0 ? [] : [`${count(left, 'unit test file')} further away: npm run test:unit`];
}

function leftSuites(suites, own) {
  return [...suites]
    .filter(([suite]) => suite !== 'tidy')
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([suite, paths]) => {
      const left = paths.filter((path) => !own.includes(path));
      if (left.length === 0) return [];
      const near = left
        .slice(0, NAMED_OF_A_SUITE)
        .map((path) => path.replace(/.*\/|\.test\.ts$/g, ''));
      const rest = left.length > near.length ? `, ${left.length - near.length} more` : '';
      return [`${suite} (${near.join(', ')}${rest}): node build/run-tests.mjs --suite ${suite}`];
    });
}

function leftNative(files) {
  if (!files.some((path) => /\.(rs|toml)$/.test(path))) return [];
  return ["the addon's own tests: node build/native.mjs --test, and --lint"];
}

const count = (number, word) => `${number} ${word}${number === 1 ? '' : 's'}`;
