/**
 * The files that the house rules look at: what git tracks or would track, so that a new file is judged
 * before its first commit. Paths are relative to the repository, with forward slashes, in byte order.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

const ROOT = join(import.meta.dirname, '..', '..');
const TEXT = /\.(ts|tsx|mjs|rs|toml|lock|sql|json|md|sh|html|css|ya?ml)$|^\.ci\/run$|^\.[a-z]+$/;

let all: readonly SourceFile[] | null = null;

export function textFiles(): readonly SourceFile[] {
  all ??= listed()
    .filter((path) => TEXT.test(path) && existsSync(join(ROOT, path)))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
  return all;
}

export function filesOf(extension: string): readonly SourceFile[] {
  return textFiles().filter((file) => file.path.endsWith(extension));
}

/** TypeScript, with and without markup in it. */
export function typeScriptFiles(): readonly SourceFile[] {
  return textFiles().filter(({ path }) => /\.tsx?$/.test(path));
}

export function readText(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

function listed(): string[] {
  const options = ['-c', '-o', '--exclude-standard', '-z'];
  const output = execFileSync('git', ['ls-files', ...options], { cwd: ROOT, encoding: 'utf8' });
  return [...new Set(output.split('\0').filter(Boolean))].sort();
}
