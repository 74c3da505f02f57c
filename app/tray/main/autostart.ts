/** The switch "start when I log in": a desktop entry on Linux, the system's own list elsewhere. */
import { app } from 'electron';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { xdgFolder } from '../../../shared/system/user-folders.ts';
import type { TrayArguments } from './arguments.ts';
import { desktopEntry } from './desktop-entry.ts';

/** Tells whether the tray starts when the user logs in. */
export function startsAtLogin(): boolean {
  if (process.platform === 'linux') return existsSync(entryPath());
  return app.getLoginItemSettings().openAtLogin;
}

/**
 * Makes the tray start at login, or no longer. On Linux it writes or removes a desktop entry.
 * Throws the errors of the file system.
 */
export function startAtLogin(isOn: boolean, { again }: TrayArguments): void {
  if (process.platform !== 'linux') {
    const [path = '', ...args] = again;
    app.setLoginItemSettings({ openAtLogin: isOn, path, args });
    return;
  }
  const path = entryPath();
  if (!isOn) return rmSync(path, { force: true });
  mkdirSync(dirname(path), { recursive: true });
  // Whole, or as it was.
  writeFileSync(`${path}.new`, desktopEntry(again));
  renameSync(`${path}.new`, path);
}

function entryPath(): string {
  return join(xdgFolder('XDG_CONFIG_HOME', ['.config']), 'autostart', 'godwit-tray.desktop');
}
