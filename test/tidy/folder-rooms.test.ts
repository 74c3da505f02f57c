/** The rooms of the folder (daemon/adapters/folder): who knows whom, and that only a few files touch this machine. */
import { posix } from 'node:path';
import { expect, test } from '@jest/globals';
import { isTest, judgeImport, targetOf } from '../../build/lint/judge-import.mjs';
import { importsOf } from './imports.ts';
import { typeScriptFiles, type SourceFile } from './repository.ts';

const FOLDER = 'daemon/adapters/folder';
/** Imports from one file to another in another room. A new one is one more than this; one less is written down here. */
const MOST_BETWEEN_ROOMS = 237;
/** Room to room, as `one -> other`. */
const ARROWS = 14;

/** null: the file is in no room, but beside them. */
function roomOf(path: string): string | null {
  const below = posix.relative(FOLDER, path).split('/');
  return below[0] === '..' || below.length === 1 ? null : (below[0] ?? null);
}

interface Between {
  readonly arrow: string;
  readonly from: string;
  readonly to: string;
}

/** Imports that lead from one room to another, types included. */
function betweenRooms(files: readonly SourceFile[]): Between[] {
  return files
    .filter(({ path }) => path.startsWith(`${FOLDER}/`) && !isTest(path))
    .flatMap((file) =>
      importsOf(file).flatMap(({ specifier }) => {
        const target = targetOf(file.path, specifier);
        const [from, to] = [roomOf(file.path), target === null ? null : roomOf(target)];
        if (from === null || to === null || from === to) return [];
        return [{ arrow: `${from} -> ${to}`, from, to }];
      }),
    );
}

/** Pairs of rooms that know each other. */
function mutual(between: readonly Between[]): string[] {
  const arrows = new Set(between.map(({ arrow }) => arrow));
  const both = between.filter(
    ({ from, to }) => from < to && arrows.has(`${from} -> ${to}`) && arrows.has(`${to} -> ${from}`),
  );
  return [...new Set(both.map(({ from, to }) => `${from} and ${to}`))];
}

test('no two rooms of the folder know each other', () => {
  expect(mutual(betweenRooms(typeScriptFiles()))).toEqual([]);
});

test('the rooms of the folder do not grow together', () => {
  const between = betweenRooms(typeScriptFiles());
  expect(new Set(between.map(({ arrow }) => arrow)).size).toBeLessThanOrEqual(ARROWS);
  expect(between.length).toBeLessThanOrEqual(MOST_BETWEEN_ROOMS);
});

test('two rooms that import each other are found, types included', () => {
  const one = { path: `${FOLDER}/disk/a.ts`, text: "import type { B } from '../local/b.ts';" };
  const other = { path: `${FOLDER}/local/b.ts`, text: "import { a } from '../disk/a.ts';" };
  expect(mutual(betweenRooms([one, other]))).toEqual(['disk and local']);
  expect(mutual(betweenRooms([one]))).toEqual([]);
  const besides = { path: `${FOLDER}/local/b.test.ts`, text: other.text };
  expect(mutual(betweenRooms([one, besides]))).toEqual([]);
});

test.each([
  ['disk/a.ts', 'node:fs', false],
  ['disk/a.ts', 'node:fs/promises', false],
  ['disk/a.ts', 'node:crypto', false],
  ['disk/a.ts', 'node:child_process', false],
  ['disk/a.ts', './system-disk.ts', false],
  ['disk/a.ts', './mount-table.ts', true],
  ['disk/system-disk.ts', 'node:fs', true],
  ['disk/system-disk.ts', './sparse-copy.ts', true],
  ['disk/system-mounts.ts', 'node:fs', true],
  ['disk/ask-in-shell.ts', 'node:child_process', true],
  ['local/a.ts', 'node:fs', false],
  ['remote/a.ts', 'node:fs/promises', false],
  ['folder.ts', 'node:fs', false],
  ['folder.ts', './disk/system-disk.ts', false],
  ['folder-front-end.ts', 'node:fs', false],
  ['folder-front-end.ts', './disk/system-disk.ts', true],
  ['local/a.ts', 'node:timers/promises', false],
  ['local/a.ts', '../disk/system-mounts.ts', false],
  ['local/a.test.ts', '../disk/system-disk.ts', true],
  ['watch/a.ts', 'node:child_process', false],
  ['watch/a.ts', 'chokidar', true],
  ['local/a.ts', '../disk/disk.ts', true],
  ['disk/a.ts', '../records/folder-records.ts', false],
  ['records/a.ts', '../error-board.ts', true],
  ['records/a.ts', '../folder.ts', false],
])('the layer table answers for %s importing %s: %s', (file, specifier, isAllowed) => {
  expect(judgeImport(`${FOLDER}/${file}`, specifier) === null).toBe(isAllowed);
});

/** Files of the folder that are no tests, and what of each matches. */
function found(pattern: RegExp): string[] {
  return typeScriptFiles()
    .filter(({ path }) => path.startsWith(`${FOLDER}/`) && !isTest(path))
    .filter(({ text }) => pattern.test(text))
    .map(({ path }) => path);
}

test('nothing of the folder but what it is given of this machine imports the file system or a process', () => {
  const here = ['ask-in-shell', 'sparse-copy', 'system-disk', 'system-mounts'];
  const pattern = /from 'node:(?:fs|fs\/promises|child_process|process|timers)'/;
  expect(found(pattern).sort()).toEqual(here.map((file) => `${FOLDER}/disk/${file}.ts`));
});

test('nothing of the folder but its disk knows the Host', () => {
  const pattern = /\bHost\b.*from '.*ports\/host\.ts'/;
  expect(found(pattern).sort()).toEqual(
    ['disk', 'system-disk'].map((file) => `${FOLDER}/disk/${file}.ts`),
  );
});
