/** What the actions on the disk stand on, and how one says that it must not be done now. */
import type { Host } from '../../../shared/ports/host.ts';
import type { DiskFacts } from './disk-facts.ts';
import type { FolderRecords } from './folder-records.ts';
import type { InDirectory } from './in-directory.ts';
import type { LateBases } from './late-bases.ts';
import type { OwnDirectory } from './own-directory.ts';
import type { Placeholders } from './placeholders.ts';

/** The disk is not as recorded: the path is to be looked at. */
export class Blocked extends Error {
  readonly path: readonly string[];
  constructor(path: readonly string[]) {
    super(`changed here: ${path.join('/')}`);
    this.name = 'Blocked';
    this.path = path;
  }
}

export interface PutInPlaceParts {
  readonly directories: InDirectory;
  readonly records: FolderRecords;
  readonly own: OwnDirectory;
  readonly host: Host;
  readonly late: LateBases;
  readonly hasXattrs: boolean;
  readonly placeholders: Placeholders;
}

/** A file's contents: a private file, or (`there`) what is at the place already. */
export type Source = { readonly path: string } | { readonly there: DiskFacts };
