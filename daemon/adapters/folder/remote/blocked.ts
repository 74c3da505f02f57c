/** How an action on the disk says that it must not be done now, and where contents for one are. */
import type { DiskFacts } from '../disk/disk-facts.ts';

/** The disk is not as recorded: the path is to be looked at. */
export class Blocked extends Error {
  readonly path: readonly string[];
  constructor(path: readonly string[]) {
    super(`changed here: ${path.join('/')}`);
    this.name = 'Blocked';
    this.path = path;
  }
}

/** A file's contents: a private file, or (`there`) what is at the place already. */
export type Source = { readonly path: string } | { readonly there: DiskFacts };
