/** Programs of this machine that tests are to start. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The path of the first of these programs on PATH, or null. */
export function onPath(...names: readonly string[]): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const paths = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return paths.find(isProgram) ?? null;
}

/** Whether a path is an executable file. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Chromium refuses its sandbox to root; a container has nobody else. */
export const sandboxArguments = (): string[] => (process.getuid?.() === 0 ? ['--no-sandbox'] : []);
