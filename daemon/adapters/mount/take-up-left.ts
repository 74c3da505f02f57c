/**
 * What a run of the daemon that was killed has left in the log is taken up before the volume is mounted again.
 *
 * Files that were being written count as closed. After another start of the machine nobody knows how much of them was on the disk: they are
 * put aside, and the volume keeps what it has.
 */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ErrorStatus } from '../../../shared/control/snapshot.ts';
import { mtimeFromMs } from '../../../shared/model/vnode.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { Importer } from './importer.ts';

import { isOfMount, MOUNT_FOLDER, MountLog } from './mount-log.ts';
import type { MountOptions } from './mount-options.ts';
import type { Contents, KnownKeys, Operation } from './operations.ts';

export interface TakenUp {
  readonly files: MountLog;
  readonly keys: KnownKeys;
  /** The number of the newest operation. */
  readonly seq: number;
  /** What could not be taken up. */
  readonly errors: readonly ErrorStatus[];
}

export type LeftOptions = Pick<
  MountOptions,
  'dataDir' | 'fileSystem' | 'feed' | 'timers' | 'log' | 'boot'
>;

/**
 * What a mount has left is taken up before a folder is shown in its place. Gives what could not be, for the status. Rejects as `takeUpLeft` does.
 */
export async function takeUpMounted(options: LeftOptions): Promise<readonly ErrorStatus[]> {
  if (!existsSync(join(options.dataDir, MOUNT_FOLDER))) return [];
  const { errors, files } = await takeUpLeft(options);
  files.close();
  return errors;
}

/** Rejects with why an operation can't be taken up now; nothing is lost then. */
export async function takeUpLeft(options: LeftOptions): Promise<TakenUp> {
  const { dataDir, fileSystem, feed, timers, log, boot } = options;
  const files = new MountLog(dataDir);
  const volumes = await fileSystem.volumes();
  const notes = volumes.flatMap(({ id }) => feed.notes(id));
  const { operations, keys, seq } = files.left(notes);
  const left = withUnclosed(operations, files.unclosed(), seq);
  const isOtherStart = isAnotherStart(dataDir, boot);
  const told = { imported: () => undefined, refused: () => undefined, idle: () => undefined };
  const importer = new Importer({ fileSystem, feed, timers, log, files, keys, told }, seq);
  if (left.length > 0) log.info('operations of the mount are taken up', { count: left.length });
  importer.add(isOtherStart ? left.filter((op) => !putAside(op, files, importer)) : left);
  await importer.settled();
  const { failure, errors } = importer;
  if (failure !== null) {
    importer.close();
    throw failure;
  }
  await feed.noted(notes.filter(isOfMount).map(({ id }) => id));
  files.clearSpool();
  rememberStart(dataDir, boot);
  return { files, keys, seq: left.at(-1)?.seq ?? seq, errors };
}

/** `unclosed`: files that were being written, and that no operation has stored. */
function withUnclosed(
  operations: readonly Operation[],
  unclosed: readonly Contents[],
  seq: number,
): Operation[] {
  const found = unclosed.filter(({ path }) => existsSync(path));
  const closed = found.map((op, index): Operation => {
    const { size, mtimeMs } = statSync(op.path);
    return { ...op, op: 'store', seq: seq + 1 + index, size, mtime: mtimeFromMs(mtimeMs) };
  });
  return [...operations.filter(({ op }) => op !== 'writing'), ...closed];
}

function putAside(op: Operation, files: MountLog, importer: Importer): boolean {
  if (op.op !== 'store') return false;
  const name = op.name ?? op.key;
  const to = files.putAside(op.path, name, op.seq);
  if (to !== null) {
    const why = `it was being saved when the machine stopped; what there is of it is in ${to}`;
    const { code, message, remedy } = new GodwitError('damaged-contents', why, 'look at it there');
    importer.list({ code, message, remedy, path: name });
  }
  return true;
}

const startFile = (dataDir: string): string => join(dataDir, MOUNT_FOLDER, 'boot');

function isAnotherStart(dataDir: string, boot: string | null): boolean {
  const file = startFile(dataDir);
  return existsSync(file) && readFileSync(file, 'utf8') !== (boot ?? '');
}

function rememberStart(dataDir: string, boot: string | null): void {
  writeFileSync(startFile(dataDir), boot ?? '', { mode: 0o600 });
}
