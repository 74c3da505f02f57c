import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { makeFilesPrivate, makePrivate } from './private-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'godwit-private-'));
afterAll(() => rmSync(root, { recursive: true }));
const isOurs = (name: string): boolean => name === 'ours';
const modeOf = (path: string): number => statSync(path).mode & 0o777;

function folder(name: string, mode: number, files: readonly string[] = []): string {
  const path = join(root, name);
  mkdirSync(path);
  for (const file of files) writeFileSync(join(path, file), '');
  chmodSync(path, mode);
  return path;
}

describe('a folder that others may look into', () => {
  it.each([
    ['an empty one', 0o755, [], 0o700],
    ['one of ours', 0o775, ['ours', 'else'], 0o700],
    ['one with something else', 0o755, ['else'], 0o755],
    ['one of nobody else', 0o500, ['ours'], 0o500],
  ])('%s', (name, before, files, after) => {
    const path = folder(name, before, files);
    makePrivate(path, isOurs);
    expect(modeOf(path)).toBe(after);
  });

  it('of another user is refused', () => {
    const isRoot = process.geteuid?.() === 0;
    try {
      if (isRoot) process.seteuid?.('nobody');
      expect(() => makePrivate('/', () => true)).toThrow(
        expect.objectContaining({ code: 'folder-unusable' }),
      );
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });
});

it('files that are there are for their user alone', () => {
  const path = join(root, 'file');
  writeFileSync(path, 'x', { mode: 0o644 });
  makeFilesPrivate([path, join(root, 'missing'), root]);
  expect(modeOf(path)).toBe(0o600);
});
