/**
 * Folders of the user that is logged in, as the XDG Base Directory Specification has them: a variable that is empty, or that is no
 * whole path, counts as if it were not set. So no default folder lies wherever a program happens to be started.
 */
import { homedir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { GodwitError } from '../wire/error-codes.ts';

/** HOME; else what the system knows of its users. Throws GodwitError `no-home`. */
export function homeFolder(env: NodeJS.ProcessEnv = process.env, ofUser = systemHome): string {
  const given = process.platform === 'win32' ? homedir() : env['HOME'];
  if (given !== undefined && isAbsolute(given)) return given;
  const known = ofUser();
  if (known !== null && isAbsolute(known)) return known;
  throw new GodwitError('no-home', `HOME: ${whatIs(given)}, and this user has no home folder`);
}

/** `XDG_STATE_HOME` and its like; `usual`: where that is in the home folder otherwise. */
export function xdgFolder(
  name: 'XDG_CONFIG_HOME' | 'XDG_STATE_HOME',
  usual: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): string {
  const given = env[name];
  return given !== undefined && isAbsolute(given) ? given : join(homeFolder(env), ...usual);
}

function whatIs(home: string | undefined): string {
  if (home === undefined) return 'it is not set';
  return home === '' ? 'it is empty' : `${home} is no whole path`;
}

function systemHome(): string | null {
  try {
    return userInfo().homedir;
  } catch {
    // A number without a name, as in a container.
    return null;
  }
}
