/** Files that a command leaves: refused before a run of minutes where they can't be written, and written whole. */
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';

/**
 * Resolves the name of a file that a flag asks for. Throws GodwitError `usage` if its folder is
 * missing or it is a folder itself.
 */
export function reportFile(flag: string, name: string): string {
  const file = resolve(name);
  if (!existsSync(dirname(file))) {
    throw new GodwitError('usage', `${flag} ${name}: there is no folder ${dirname(file)}`);
  }
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory() === true) {
    throw new GodwitError('usage', `${flag} ${name}: that is a folder`);
  }
  return file;
}

/** Writes a report. Throws GodwitError `usage` if the file can not be written. */
export function writeReport(flag: string, file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new GodwitError('usage', `${flag} ${file}: it can not be written (${code})`);
  }
}
