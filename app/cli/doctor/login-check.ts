/** Whether syncing starts by itself when the user logs in: by the entry of the window, or by the unit of the package. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { hasLoginEntry } from '../../first-run/login-entry.ts';
import { xdgFolder } from '../../../shared/system/user-folders.ts';
import { ok, warn, type Finding } from './finding.ts';

/** Where `systemctl --user enable`, and `systemctl --global enable` of an administrator, leave their links. */
const WANTED = ['default.target.wants', 'godwit.service'];
const GLOBAL = '/etc/systemd/user';

/** Checks that the user's session starts the tray or the daemon. `global`: the folder of units for all users. */
export function checkLogin(global = GLOBAL): Finding {
  if (process.platform !== 'linux') return ok('login', 'the window knows whether it starts');
  if (hasLoginEntry()) return ok('login', 'the tray starts with the session, and syncing with it');
  const own = join(xdgFolder('XDG_CONFIG_HOME', ['.config']), 'systemd', 'user');
  const isEnabled = [own, global].some((units) => existsSync(join(units, ...WANTED)));
  if (isEnabled) return ok('login', 'the service godwit starts with the session');
  return warn(
    'login',
    'nothing starts syncing when you log in',
    'switch it on in the window (Settings), or `systemctl --user enable godwit` with the package',
  );
}
