/** One operation of the mount's log, told to the file-system port as something that has happened already. */
import { link } from 'node:fs/promises';
import type { Fid } from '../../../shared/model/fid.ts';
import type { Mtime } from '../../../shared/model/vnode.ts';
import type {
  Attributes,
  FileSystem,
  Place,
  SeenVersion,
} from '../../../shared/ports/file-system.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { MOUNT_NOTE } from './mount-log.ts';
import {
  portXattrs,
  type Contents,
  type Key,
  type KnownKeys,
  type Operation,
} from './operations.ts';

/**
 * Gives the attributes of what it was about; null: of what it removed, or there is nothing to tell. Rejects as the port does, and
 * `not-found` where what it is about was never made.
 */
export async function applyOperation(
  op: Operation,
  fileSystem: FileSystem,
  keys: KnownKeys,
): Promise<Attributes | null> {
  const note = { id: op.seq, text: MOUNT_NOTE };
  const fid = (key: Key): Fid => known(keys, key);
  const place = (dir: Key, name: string): Place => ({ dir: fid(dir), name });
  switch (op.op) {
    case 'create':
    case 'mkdir': {
      const at = op.mtime as Mtime;
      const options = { mode: op.mode, mtime: at, at, observed: true, note };
      return fileSystem[op.op](fid(op.dir), op.name, options);
    }
    case 'symlink': {
      const at = op.mtime as Mtime;
      const options = { mtime: at, at, observed: true, note };
      return fileSystem.symlink(fid(op.dir), op.name, op.target, options);
    }
    case 'link': {
      const options = { at: op.at as Mtime, observed: null, note };
      return fileSystem.link(fid(op.key), place(op.dir, op.name), options);
    }
    case 'remove':
    case 'rmdir': {
      const version = 'version' in op ? op : { version: 0 };
      const observed = await seen(fid(op.key), version, fileSystem, keys);
      const options = { at: op.at as Mtime, observed, note };
      await fileSystem[op.op](place(op.dir, op.name), options);
      if ('last' in op) keys.ended(fid(op.key));
      return null;
    }
    case 'rename': {
      const { over } = op;
      const observed = over === undefined ? null : await seen(fid(over), op, fileSystem, keys);
      const options = { at: op.at as Mtime, moved: fid(op.key), observed, note };
      await fileSystem.rename(place(op.dir, op.name), place(op.toDir, op.toName), options);
      return null;
    }
    case 'setattr': {
      const { mode, mtime, xattrs } = op;
      return fileSystem.setattr(fid(op.key), {
        ...(mode === undefined ? {} : { mode }),
        ...(mtime === undefined ? {} : { mtime: mtime as Mtime }),
        ...(xattrs === undefined ? {} : { xattrs: portXattrs(xattrs) }),
        note,
      });
    }
    case 'writing':
      return null;
    case 'store':
      return store(op, fileSystem, keys);
  }
}

/** The addon counts the versions of files alone. */
async function seen(
  fid: Fid,
  { version = 0, own }: { readonly version?: number; readonly own?: true },
  fileSystem: FileSystem,
  keys: KnownKeys,
): Promise<SeenVersion> {
  const found = await fileSystem.getattr(fid).catch(() => null);
  if (found !== null && found.kind !== 'file') return { fid, base: found.version };
  return { fid, ...keys.seen(fid, version, own) };
}

/** The file of the operation is not written any more, so the core gets the same one under a name of its own. */
async function store(op: Contents, fileSystem: FileSystem, keys: KnownKeys): Promise<Attributes> {
  const { dir, name } = op;
  const place =
    dir === undefined || name === undefined ? {} : { place: { dir: known(keys, dir), name } };
  const fid = known(keys, op.key);
  const opened = await fileSystem.open(fid, {
    ...{ mode: 'write', truncate: true, bare: true, ...keys.seen(fid, op.base, op.own) },
    ...place,
  });
  try {
    await link(op.path, opened.path);
    const note = { id: op.seq, text: MOUNT_NOTE };
    const attributes = await fileSystem.close(opened.handle, { mtime: op.mtime as Mtime, note });
    keys.stored(fid, attributes);
    return attributes;
  } catch (error) {
    await fileSystem.abandon(opened.handle).catch(() => undefined);
    throw error;
  }
}

function known(keys: KnownKeys, key: Key): Fid {
  const fid = keys.fidOf(key);
  if (fid === null) throw new GodwitError('not-found', `${key}: what made it was refused`);
  return fid;
}
