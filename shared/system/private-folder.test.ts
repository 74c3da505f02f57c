import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { makeFilesPrivate, makePrivate } from './private-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'godwit-private-'));
afterAll(() => rmSync(root, { recursive: true }));
const names = {
  isKnown: (name: string): boolean => name === 'ours',
  isOurs: (name: string): boolean => name === 'log',
};
const modeOf = (path: string): number => statSync(path).mode & 0o777;

function folder(name: string, mode: number, files: readonly string[] = []): string {
  const path = join(root, name);
  mkdirSync(path);
  for (const file of files) writeFileSync(join(path, file), '');
  chmodSync(path, mode);
  return path;
}

describe('a folder that others can read', () => {
  it.each([
    ['an empty folder', 0o755, [], 0o700],
    ['a folder of ours', 0o775, ['ours', 'else'], 0o700],
    ['a folder with other files', 0o755, ['else'], 0o755],
    ['a folder that is closed to others', 0o500, ['ours'], 0o500],
  ])('gets the right mode: %s', (name, before, files, after) => {
    const path = folder(name, before, files);
    makePrivate(path, names);
    expect(modeOf(path)).toBe(after);
  });

  it('becomes private with its known files, but no others and nothing behind links', () => {
    const path = folder('deep', 0o755, ['ours', 'else']);
    mkdirSync(join(path, 'log', 'inner'), { recursive: true, mode: 0o755 });
    writeFileSync(join(path, 'log', 'inner', 'tool'), '', { mode: 0o755 });
    symlinkSync(join(path, 'else'), join(path, 'log', 'link'));
    for (const name of ['ours', 'else']) chmodSync(join(path, name), 0o644);
    makePrivate(path, names);
    const modes = ['.', 'ours', 'log', 'log/inner', 'log/inner/tool', 'else'].map((name) =>
      modeOf(join(path, name)),
    );
    expect(modes).toEqual([0o700, 0o600, 0o700, 0o700, 0o700, 0o644]);
  });

  it('is refused when it belongs to another user', () => {
    const isRoot = process.geteuid?.() === 0;
    try {
      if (isRoot) process.seteuid?.('nobody');
      expect(() => makePrivate('/', { ...names, isKnown: () => true })).toThrow(
        expect.objectContaining({ code: 'folder-unusable' }),
      );
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });
});

it('existing files become private', () => {
  const path = join(root, 'file');
  writeFileSync(path, 'x', { mode: 0o644 });
  makeFilesPrivate([path, join(root, 'missing'), root]);
  expect(modeOf(path)).toBe(0o600);
});
