/** What the actions on the disk work with, and on. */
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { Disk } from '../disk/disk.ts';
import type { AcrossDisks } from './across-disks.ts';
import type { DiskFacts } from '../disk/disk-facts.ts';
import type { Rooms } from '../disk/own-directories.ts';
import type { FileAttributes } from '../disk/file-attributes.ts';
import type { Disks } from '../disk/folder-disks.ts';
import type { FolderRecords } from '../records/folder-records.ts';
import type { InDirectory } from '../disk/in-directory.ts';
import type { ReplacedFiles } from './replaced-files.ts';
import type { Placeholders } from '../placeholders/placeholders.ts';

export interface PutInPlaceParts {
  readonly directories: InDirectory;
  readonly records: FolderRecords;
  readonly rooms: Rooms;
  readonly across: AcrossDisks;
  readonly files: Disk;
  readonly replaced: ReplacedFiles;
  readonly attributes: FileAttributes;
  readonly placeholders: Placeholders;
  readonly clock: Clock;
  readonly disks: Disks;
}

/** Where the contents for an action are: in a private file, or (`there`) in place already, found with these facts. */
export type Source = { readonly path: string } | { readonly there: DiskFacts };
