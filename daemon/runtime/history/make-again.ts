/**
 * Takes things back as ordinary updates of this device: the past is not rewritten, and what is done here can itself be undone.
 *
 * A vnode that has ended is never that vnode again: it is made anew, with the contents, mode and time of its last version. A name
 * that something else has by now is left to it.
 */
import type { Fid } from '../../../shared/model/fid.ts';
import { dataVersion, lacksContents, type VnodeStatus } from '../../../shared/model/vnode.ts';
import type { Attributes, FileSystem, Place } from '../../../shared/ports/file-system.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { namesBeside } from '../../core/conflict/conflict-name.ts';
import { lookup } from './past.ts';

const LABEL = 'restored';

/** At that place, or beside it; the place tells which. */
export async function makeAgain(
  fs: FileSystem,
  place: Place,
  status: VnodeStatus,
): Promise<{ attributes: Attributes; place: Place }> {
  const name = await freeName(fs, place, status.kind === 'directory');
  const at = { dir: place.dir, name };
  return { attributes: await make(fs, at, status), place: at };
}

async function make(
  fs: FileSystem,
  { dir, name }: Place,
  status: VnodeStatus,
): Promise<Attributes> {
  const { mode, mtime, xattrs } = status;
  switch (status.kind) {
    case 'directory':
      return fs.mkdir(dir, name, { mode, mtime, xattrs });
    case 'symlink':
      return fs.symlink(dir, name, status.target ?? '', { mtime });
    case 'file': {
      const made = await fs.create(dir, name, { mode, mtime, xattrs });
      // One that nobody had stored yet has nothing to be put back.
      if (lacksContents(status)) return made;
      try {
        return await putContents(fs, made.fid, status);
      } catch (error) {
        // An empty file would look like what it was.
        await fs.remove({ dir, name });
        throw error;
      }
    }
  }
}

/** The contents and the time of an older version, of this file or another, as a new version of this one. */
export async function putContents(
  fs: FileSystem,
  fid: Fid,
  { fid: of, version, digest, size, mtime }: VnodeStatus,
): Promise<Attributes> {
  if (digest === null) throw new GodwitError('no-contents', 'that version had no contents');
  const from = { fid: of, version: dataVersion(version), digest };
  const { handle } = await fs.open(fid, { mode: 'write', truncate: false, from });
  try {
    return await fs.close(handle, { mtime, digest, size });
  } catch (error) {
    await fs.abandon(handle);
    throw error;
  }
}

/** The name itself, or one beside it. */
export async function freeName(
  fs: FileSystem,
  { dir, name }: Place,
  isDirectory: boolean,
): Promise<string> {
  if ((await lookup(fs, dir, name)) === null) return name;
  for (const candidate of namesBeside(name, LABEL, isDirectory)) {
    if ((await lookup(fs, dir, candidate)) === null) return candidate;
  }
  throw new GodwitError('exists', `${name}: all names beside it are taken`);
}
