/**
 * Work as a user who is not root, whom every right is checked for: root passes everything, so a test that runs as root finds nothing wrong.
 * Where the tests run as an ordinary user already, nothing changes.
 */
import { chownSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const NOBODY = 65_534;
const { getuid, seteuid, setegid } = process;
const isRoot = getuid?.() === 0;

/** Gives up root in all threads of this process. Returns a function that takes it back. */
export function beOrdinary(): () => void {
  if (!isRoot || seteuid === undefined || setegid === undefined) return () => undefined;
  setegid.call(process, NOBODY);
  seteuid.call(process, NOBODY);
  return () => {
    seteuid.call(process, 0);
    setegid.call(process, 0);
  };
}

/** A new folder that is the ordinary user's. */
export function ordinaryFolder(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  if (isRoot) chownSync(folder, NOBODY, NOBODY);
  return folder;
}
