/** The default folder for the data of a user's programs: XDG on Linux, `Library` on macOS, local AppData on Windows. */
import { join } from 'node:path';
import { homeFolder, xdgFolder } from '../system/user-folders.ts';

/** Throws GodwitError `no-home`. */
export function stateFolder(
  platform: NodeJS.Platform = process.platform,
  env: NodeJS.ProcessEnv = process.env,
): string {
  if (platform === 'darwin') {
    return join(homeFolder(env), 'Library', 'Application Support', 'Godwit');
  }
  if (platform === 'win32') {
    return join(env['LOCALAPPDATA'] || join(homeFolder(env), 'AppData', 'Local'), 'Godwit');
  }
  return join(xdgFolder('XDG_STATE_HOME', ['.local', 'state'], env), 'godwit');
}

export const defaultDaemonData = (): string => join(stateFolder(), 'default');
