/** The version of the program that is installed here. A process that runs for long has asked when it began, so that its answer is its own. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGE = join(import.meta.dirname, '..', '..', 'package.json');

/** Nobody installs so often that a person could tell. */
const LOOK_EACH_MS = 60_000;

/**
 * Tells the version that is installed by now, where it is another one than `own`; null: it is the same, or there is none to be read. The
 * disk is looked at once a minute at most. `now` counts milliseconds.
 */
export function installedSince(
  own: string,
  now: () => number,
  look: () => string = programVersion,
): () => string | null {
  let [at, found] = [-Infinity, null as string | null];
  return () => {
    if (now() - at < LOOK_EACH_MS) return found;
    at = now();
    try {
      const version = look();
      found = version === own ? null : version;
    } catch {
      // It is being replaced, or was removed.
    }
    return found;
  };
}

/** As package.json has it. */
export function programVersion(): string {
  return (JSON.parse(readFileSync(PACKAGE, 'utf8')) as { version: string }).version;
}
