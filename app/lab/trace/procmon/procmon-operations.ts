/** What the operations of Windows are in a trace: from one row to one record. */
import { flagsOf, type TraceFlag, type TraceOperation, type TraceRecord } from '../record.ts';
import type { ProcmonRow } from './procmon-columns.ts';
import { detailNumber, detailRest, detailText } from './procmon-detail.ts';

/** What a row tells, without its time and process. */
export type UntimedRecord = Omit<TraceRecord, 'at' | 'client' | 'home' | 'pid' | 'program'>;

/** What it has no file in. Others that are not known are counted, and can't be done again. */
const NO_FILES =
  /^(?:Reg[A-Z]|TCP |UDP |Process |Thread |Load Image|Debug Output|System Statistics|.*Profil)/;

/** Tells whether a row is about the file system, by its event class or else by its operation. */
export function concernsFiles({ operation, eventClass }: ProcmonRow): boolean {
  if (eventClass !== '') return eventClass.trim().toLowerCase() === 'file system';
  return operation !== '' && !NO_FILES.test(operation);
}

/** With "advanced output" the operations have the names of the kernel. */
const KERNEL_NAMES: Readonly<Record<string, string>> = {
  IRP_MJ_CREATE: 'CreateFile',
  IRP_MJ_CLEANUP: 'CloseFile',
  IRP_MJ_READ: 'ReadFile',
  FASTIO_READ: 'ReadFile',
  IRP_MJ_WRITE: 'WriteFile',
  FASTIO_WRITE: 'WriteFile',
  IRP_MJ_FLUSH_BUFFERS: 'FlushBuffersFile',
  IRP_MJ_DIRECTORY_CONTROL: 'QueryDirectory',
  IRP_MJ_QUERY_INFORMATION: 'QueryInformationFile',
  FASTIO_QUERY_INFORMATION: 'QueryInformationFile',
  FASTIO_NETWORK_QUERY_OPEN: 'QueryOpen',
  IRP_MJ_SET_SECURITY: 'SetSecurityFile',
  IRP_MJ_QUERY_SECURITY: 'QuerySecurityFile',
  FASTIO_ACQUIRE_FOR_SECTION_SYNCHRONIZATION: 'CreateFileMapping',
};

const VOLUME_QUERY = /^Query.*(?:Volume|RemoteProtocol)/;
const FAILED: ReadonlySet<string> = new Set([
  'NAME NOT FOUND',
  'PATH NOT FOUND',
  'NO SUCH FILE',
  'NAME INVALID',
]);
/** Results that are no failure: what did not fit, the end of a list, a file that has no writable map. */
const FINE: ReadonlySet<string> = new Set([
  'SUCCESS',
  'BUFFER OVERFLOW',
  'NO MORE FILES',
  'NO MORE ENTRIES',
  'FILE LOCKED WITH ONLY READERS',
  'FILE LOCKED WITH WRITERS',
  'END OF FILE',
  'REPARSE',
]);

/** `path` gives the path of a file in a trace, null where it is none. The row's own is `name`; or what was expected. */
export function toldBy(
  row: ProcmonRow,
  name: string,
  path: (given: string) => string | null,
): UntimedRecord | string {
  const operation = KERNEL_NAMES[row.operation] ?? row.operation;
  const refused = FAILED.has(row.result)
    ? 'not-found'
    : FINE.has(row.result)
      ? null
      : ('failed' as const);
  switch (operation) {
    case 'CreateFile':
      return { ...opening(row.detail, refused), path: name };
    case 'ReadFile':
    case 'WriteFile':
      return moved(operation === 'ReadFile' ? 'read' : 'write', row, name, refused);
    case 'QueryDirectory':
      return listing(row.detail, name, refused);
    case 'SetRenameInformationFile':
    case 'SetRenameInformationFileEx':
    case 'SetLinkInformationFile':
      return renaming(operation.includes('Link') ? 'link' : 'rename', row, name, path, refused);
    case 'SetEndOfFileInformationFile': {
      const length = detailNumber(row.detail, 'EndOfFile');
      if (length === null && refused === null) return 'expected a size (EndOfFile) in Detail';
      return {
        op: 'truncate',
        path: name,
        length: length ?? undefined,
        flags: flagsOf(refused ?? false),
      };
    }
    default:
      return plain(operation, row.detail, name, refused);
  }
}

type Refused = Extract<TraceFlag, 'not-found' | 'failed'> | null;

function opening(detail: string, refused: Refused): UntimedRecord {
  const access = detailText(detail, 'Desired Access') ?? '';
  const options = detailText(detail, 'Options') ?? '';
  const done = detailText(detail, 'OpenResult') ?? '';
  const isDirectory = /(?:^|, )Directory\b/.test(options);
  const isNew = done === 'Created' && refused === null;
  const flags = flagsOf(
    /Generic Read|Read Data|Generic Execute|Execute|All Access/.test(access) && 'read',
    /Generic Write|Write Data|Append|All Access/.test(access) && 'write',
    (done === 'Overwritten' || done === 'Superseded') && 'truncate',
    isNew && detailText(detail, 'Disposition') === 'Create' && 'exclusive',
    isDirectory && 'directory',
    /Delete On Close/.test(options) && 'delete-on-close',
    /Sequential Access/.test(options) && 'sequential',
    refused ?? false,
  );
  if (isNew && isDirectory) return { op: 'mkdir', flags };
  return { op: isNew ? 'create' : 'open', flags };
}

function moved(
  op: 'read' | 'write',
  { detail, result }: ProcmonRow,
  path: string,
  refused: Refused,
): UntimedRecord | string {
  const [offset, length] = [detailNumber(detail, 'Offset'), detailNumber(detail, 'Length')];
  const isEnd = result === 'END OF FILE';
  const flags = flagsOf(/Paging I\/O/.test(detail) && 'paging', refused ?? false, isEnd && 'end');
  if (refused !== null) return { op, path, flags };
  if (offset === null || length === null) return 'expected Offset and Length in Detail';
  return { op, path, offset, length: isEnd ? 0 : length, flags };
}

/** Of one name (a filter without a wildcard) it asks for its attributes. The filter is the last name of the path then. */
function listing(detail: string, name: string, refused: Refused): UntimedRecord {
  const filter = detailText(detail, 'Filter');
  const flags = flagsOf('directory', refused ?? false);
  if (filter === null) return { op: 'readdir', path: name, flags };
  if (/[*?<>"]/.test(filter)) {
    const isInPath = name.toLowerCase().endsWith(`/${filter.toLowerCase()}`);
    const parent = name.slice(0, name.lastIndexOf('/'));
    return { op: 'readdir', path: isInPath ? parent || '/' : name, flags };
  }
  return { op: 'getattr', path: name, flags: flagsOf(refused ?? false) };
}

function renaming(
  op: 'rename' | 'link',
  { detail }: ProcmonRow,
  name: string,
  path: (given: string) => string | null,
  refused: Refused,
): UntimedRecord | string {
  const given = detailRest(detail, 'FileName');
  const to = given === null ? null : path(given);
  if (to !== null) return { op, path: name, to, flags: flagsOf(refused ?? false) };
  if (refused !== null) return { op: 'other', path: name, flags: flagsOf(refused) };
  return 'expected the path of a file (FileName) in Detail';
}

const OPERATIONS: Readonly<Record<string, TraceOperation>> = {
  CloseFile: 'close',
  FlushBuffersFile: 'sync',
  CreateFileMapping: 'map',
  SetBasicInformationFile: 'setattr',
  SetSecurityFile: 'setattr',
  SetEAFile: 'setattr',
};

function plain(operation: string, detail: string, path: string, refused: Refused): UntimedRecord {
  const flags = flagsOf(refused ?? false);
  const op = OPERATIONS[operation];
  if (op !== undefined) return { op, path, flags };
  if (operation.startsWith('SetDispositionInformationFile')) {
    const isMeant = /Delete: True|FILE_DISPOSITION_DELETE/.test(detail);
    return { op: isMeant ? 'remove' : 'other', path, flags };
  }
  if (operation.startsWith('Query') && !VOLUME_QUERY.test(operation)) {
    const size = detailNumber(detail, 'EndOfFile') ?? undefined;
    return { op: 'getattr', path, size, flags };
  }
  return { op: 'other', path, flags };
}
