/** What starts with the session on Linux: one desktop entry of ours, whichever program it starts. */
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { xdgFolder } from '../../shared/system/user-folders.ts';
import { desktopEntry } from './desktop-entry.ts';

/** Tells whether the entry is there. */
export const hasLoginEntry = (): boolean => existsSync(entryPath());

/** Writes an entry that runs the command at login. Throws the errors of the file system. */
export function writeLoginEntry(command: readonly string[]): void {
  const path = entryPath();
  mkdirSync(dirname(path), { recursive: true });
  // Whole, or as it was.
  writeFileSync(`${path}.new`, desktopEntry(command));
  renameSync(`${path}.new`, path);
}

/** Removes the entry, if it is there. */
export function removeLoginEntry(): void {
  rmSync(entryPath(), { force: true });
}

function entryPath(): string {
  return join(xdgFolder('XDG_CONFIG_HOME', ['.config']), 'autostart', 'godwit-tray.desktop');
}
