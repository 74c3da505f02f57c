/**
 * Lint: what the compiler does not see. Import directions and purity come from the tables in
 * build/layers.mjs and build/lint/ambient.mjs, each with its reason.
 */
import js from '@eslint/js';
import tseslint from 'typescript-eslint';
import { AMBIENT, AMBIENT_PROPERTIES, NO_PROMISES } from './build/lint/ambient.mjs';
import { LAYERS } from './build/layers.mjs';
import { layersRule } from './build/lint/layers-rule.mjs';

const TESTS = ['**/*.test.ts', 'test/**'];
const filesOf = (row) => {
  if (row.path.endsWith('.ts')) return [row.path];
  return [row.direct ? `${row.path}/*.ts` : `${row.path}/**/*.{ts,tsx}`];
};

export default tseslint.config(
  {
    ignores: [
      'node_modules/',
      '**/target/',
      '.cache/',
      'coverage/',
      'app/tray/built*/',
      '**/*.d.ts',
    ],
  },
  js.configs.recommended,
  {
    files: ['**/*.mjs'],
    languageOptions: { globals: nodeGlobals() },
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      '@typescript-eslint/require-array-sort-compare': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
    },
  },
  {
    files: ['**/*.ts', '**/*.tsx', '**/*.mjs'],
    plugins: { godwit: { rules: { layers: layersRule } } },
    rules: {
      eqeqeq: 'error',
      'max-lines': ['error', { max: 500 }],
      'max-lines-per-function': ['error', { max: 70, skipBlankLines: true, skipComments: true }],
      'no-constant-condition': ['error', { checkLoops: false }],
      'prefer-const': 'error',
    },
  },
  { files: ['**/*.ts', '**/*.tsx', 'build/**/*.mjs'], rules: { 'godwit/layers': 'error' } },
  ...LAYERS.filter((row) => !row.ambient).map((row) => ({
    files: filesOf(row),
    ignores: [...roomsInside(row, 'ambient'), ...TESTS],
    rules: {
      'no-restricted-globals': ['error', { globals: ambientGlobals(), checkGlobalObject: true }],
      'no-restricted-properties': ['error', ...ambientProperties()],
      'no-restricted-syntax': ['error', ...clockSyntax()],
    },
  })),
  ...LAYERS.filter((row) => !row.promises).map((row) => ({
    files: filesOf(row),
    ignores: [...roomsInside(row, 'promises'), ...TESTS],
    rules: {
      'no-restricted-syntax': ['error', ...promiseSyntax(), ...(row.ambient ? [] : clockSyntax())],
    },
  })),
  // A describe block is as long as its tests.
  { files: TESTS, rules: { 'max-lines-per-function': 'off' } },
);

/** Rooms inside a room that have a row of their own and may do what the outer one may not. */
function roomsInside(row, liberty) {
  return LAYERS.filter((other) => other.path.startsWith(`${row.path}/`) && other[liberty]).flatMap(
    filesOf,
  );
}

/** `Date` is judged by its syntax: made of a given time it is the same on every machine. */
function ambientGlobals() {
  return Object.entries(AMBIENT)
    .filter(([name]) => name !== 'Date')
    .map(([name, message]) => ({ name, message }));
}

function clockSyntax() {
  return [
    {
      selector: 'Identifier[name="Date"]:not(NewExpression[arguments.length>0] > .callee)',
      message: AMBIENT.Date,
    },
  ];
}

function ambientProperties() {
  return AMBIENT_PROPERTIES.map(({ object, property, why }) => ({
    ...(object === null ? {} : { object }),
    property,
    message: why,
  }));
}

function promiseSyntax() {
  return [
    ':function[async=true]',
    'AwaitExpression',
    'ForOfStatement[await=true]',
    'ImportExpression',
    'Identifier[name="Promise"]',
    'Identifier[name="PromiseLike"]',
  ].map((selector) => ({ selector, message: NO_PROMISES }));
}

/** What this Node has, a script may use. */
function nodeGlobals() {
  return Object.fromEntries(
    Object.getOwnPropertyNames(globalThis).map((name) => [name, 'readonly']),
  );
}
