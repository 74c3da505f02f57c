/** Where other volumes are kept in a folder, as its disk shows it: such a directory has the engine's hidden one at its top. */
import type { ProgramCalls } from '../posix/program-calls.ts';

/** The name of the engine's own directory in a mounted volume. */
export const OWN_OF_MOUNTED = /^\.godwit-[0-9a-f]{32}$/;

/** A path of the engine's own in a mounted volume, which a program may copy with its directory. */
export const OF_MOUNTED = /\/\.godwit-/;

/** The directory above a path (below `root`) in which another volume is kept; null: there is none. */
export function mountAbove(calls: ProgramCalls, root: string, path: string): string | null {
  const names = path.split('/').slice(0, -1);
  for (; names.length > 0; names.pop()) {
    const dir = names.join('/');
    if (namesOf(calls, `${root}/${dir}`).some((name) => OWN_OF_MOUNTED.test(name))) return dir;
  }
  return null;
}

/** What is not there, or nothing can be said of, has none. */
function namesOf(calls: ProgramCalls, dir: string): string[] {
  try {
    return calls.readdir(dir);
  } catch {
    return [];
  }
}
