/** Where the data of a user's programs lie when nobody says otherwise: XDG on Linux, `Library` on macOS, local AppData on Windows. */
import { homedir } from 'node:os';
import { join } from 'node:path';

export function stateFolder(
  platform: NodeJS.Platform = process.platform,
  env: NodeJS.ProcessEnv = process.env,
): string {
  const home = homedir();
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'Godwit');
  if (platform === 'win32') {
    return join(env['LOCALAPPDATA'] || join(home, 'AppData', 'Local'), 'Godwit');
  }
  return join(env['XDG_STATE_HOME'] || join(home, '.local', 'state'), 'godwit');
}

export const defaultDaemonData = (): string => join(stateFolder(), 'default');
