/** The Electron that shows the tray: the one that was named, that came with the installation, or that is on the path. */
import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { PROGRAM_ROOT } from './folders.ts';

const NAME = process.platform === 'win32' ? 'electron.exe' : 'electron';

/** `named`: by a person; then it is that one or none. Throws GodwitError `no-electron`. */
export function findElectron(
  named: string | undefined,
  env: NodeJS.ProcessEnv = process.env,
  root = PROGRAM_ROOT,
): string {
  if (named !== undefined) {
    if (isProgram(named)) return named;
    throw new GodwitError('no-electron', `${named}: that is no program that can be run`);
  }
  const candidates = [
    // As packages of ours bring it.
    join(root, 'electron', NAME),
    ...npmsOwn(join(root, 'node_modules', 'electron')),
    ...(env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, NAME)),
  ];
  const found = candidates.find(isProgram);
  if (found === undefined) throw new GodwitError('no-electron');
  return found;
}

/** Its package fetches the program when it is first used, and says where in `path.txt`. */
function npmsOwn(folder: string): string[] {
  try {
    return [join(folder, 'dist', readFileSync(join(folder, 'path.txt'), 'utf8').trim())];
  } catch {
    return [];
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
