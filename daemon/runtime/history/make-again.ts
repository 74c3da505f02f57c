/**
 * Takes things back as ordinary updates of this device: the past is not rewritten, and what is done here can itself be undone.
 *
 * A vnode that has ended is never that vnode again: it is made anew, with the contents, mode and time of its last version. A name
 * that something else has by now is left to it.
 */
import type { Fid } from '../../../shared/model/fid.ts';
import { mountedVolume } from '../../../shared/model/mount-point.ts';
import { dataVersion, lacksContents, type VnodeStatus } from '../../../shared/model/vnode.ts';
import type {
  Attributes,
  FileSystem,
  MakeOptions,
  Place,
} from '../../../shared/ports/file-system.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { MOST_NAMES_TRIED } from '../../limits.ts';
import { namesBeside } from '../../../shared/model/conflict-name.ts';

const LABEL = 'restored';

/** At that place, or beside it; the place tells which. */
export async function makeAgain(
  fs: FileSystem,
  place: Place,
  status: VnodeStatus,
): Promise<{ attributes: Attributes; place: Place }> {
  return atFreeName(place, status.kind === 'directory', async (at) => ({
    attributes: await make(fs, at, status),
    place: at,
  }));
}

async function make(
  fs: FileSystem,
  { dir, name }: Place,
  status: VnodeStatus,
): Promise<Attributes> {
  const { mode, mtime, xattrs } = status;
  switch (status.kind) {
    case 'directory':
      return fs.mkdir(dir, name, { mode, mtime, xattrs, ...mountsOf(status) });
    case 'symlink':
      return fs.symlink(dir, name, status.target ?? '', { mtime });
    case 'file': {
      const made = await fs.create(dir, name, { mode, mtime, xattrs });
      // A file that was never stored has no contents to restore.
      if (lacksContents(status)) return made;
      try {
        return await putContents(fs, made.fid, status);
      } catch (error) {
        // An empty file would pass for the original. A file that was made or written meanwhile is left alone.
        const { fid, version } = made;
        await fs.remove({ dir, name }, { only: { fid, version } }).catch(unlessCoded);
        throw error;
      }
    }
  }
}

function mountsOf(status: VnodeStatus): Pick<MakeOptions, 'mounts'> {
  const mounts = mountedVolume(status);
  return mounts === null ? {} : { mounts };
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

/**
 * Does it at that name, or at one beside it. Each is simply tried, with a call that takes no name which something has: a look
 * before would be about a moment that is over.
 */
export async function atFreeName<T>(
  { dir, name }: Place,
  isDirectory: boolean,
  attempt: (place: Place) => Promise<T>,
): Promise<T> {
  let candidate = name;
  const beside = namesBeside(name, LABEL, isDirectory);
  for (let tried = 0; tried < MOST_NAMES_TRIED; tried++) {
    try {
      return await attempt({ dir, name: candidate });
    } catch (error) {
      if (!(error instanceof GodwitError) || error.code !== 'exists') throw error;
      candidate = beside.next().value;
    }
  }
  throw new GodwitError('exists', `${name}: all names beside it are taken`);
}

function unlessCoded(error: unknown): void {
  if (!(error instanceof GodwitError)) throw error;
}
