/** The switch "start when I log in": a desktop entry on Linux, the system's own list elsewhere. */
import { app } from 'electron';
import { hasLoginEntry, removeLoginEntry, writeLoginEntry } from '../../first-run/login-entry.ts';
import type { TrayArguments } from './arguments.ts';

/** Tells whether the tray starts when the user logs in. */
export function startsAtLogin(): boolean {
  if (process.platform === 'linux') return hasLoginEntry();
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
  } else if (isOn) writeLoginEntry(again);
  else removeLoginEntry();
}
