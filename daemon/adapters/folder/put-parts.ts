/** What the actions on the disk stand on. */
import type { Clock } from '../../../shared/ports/clock.ts';
import type { Host } from '../../../shared/ports/host.ts';
import type { FileAttributes } from './file-attributes.ts';
import type { FolderDisk } from './folder-disk.ts';
import type { FolderRecords } from './folder-records.ts';
import type { InDirectory } from './in-directory.ts';
import type { LateBases } from './late-bases.ts';
import type { OwnDirectory } from './own-directory.ts';
import type { Placeholders } from './placeholders.ts';

export interface PutInPlaceParts {
  readonly directories: InDirectory;
  readonly records: FolderRecords;
  readonly own: OwnDirectory;
  readonly host: Host;
  readonly late: LateBases;
  readonly attributes: FileAttributes;
  readonly placeholders: Placeholders;
  readonly clock: Clock;
  readonly disk: Pick<FolderDisk, 'isRespelled'>;
}
