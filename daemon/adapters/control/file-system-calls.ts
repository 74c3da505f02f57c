/**
 * The operations of the file-system port as the control protocol names them: arguments as objects, already
 * validated, results as plain data.
 */
import type { FsArguments, FsOperationName } from '../../../shared/control/file-operations.ts';
import type {
  FileSystem,
  MakeOptions,
  RemoveOptions,
  RenameOptions,
} from '../../../shared/ports/file-system.ts';

/** Operations on handles are apart: handles belong to connections (connection-handles.ts). */
export type PlainOperation = Exclude<FsOperationName, 'open' | 'createOpen' | 'close' | 'abandon'>;

type Calls = {
  readonly [N in PlainOperation]: (fs: FileSystem, args: FsArguments<N>) => Promise<unknown>;
};

const CALLS: Calls = {
  volumes: (fs) => fs.volumes(),
  lookup: (fs, { dir, name, onwards }) => fs.lookup(dir, name, onwards),
  getattr: (fs, { fid }) => fs.getattr(fid),
  readdir: (fs, { dir }) => fs.readdir(dir),
  create: (fs, { dir, name, options }) => fs.create(dir, name, options as MakeOptions),
  mkdir: (fs, { dir, name, options }) => fs.mkdir(dir, name, options as MakeOptions),
  symlink: (fs, { dir, name, target, options }) =>
    fs.symlink(dir, name, target, options as Parameters<FileSystem['symlink']>[3]),
  link: (fs, { fid, place }) => fs.link(fid, place),
  remove: (fs, { place, options }) => fs.remove(place, options as RemoveOptions | undefined),
  rmdir: (fs, { place, options }) => fs.rmdir(place, options as RemoveOptions | undefined),
  rename: (fs, { from, to, options }) => fs.rename(from, to, options as RenameOptions | undefined),
  setattr: (fs, { fid, change }) => fs.setattr(fid, change as Parameters<FileSystem['setattr']>[1]),
};

/**
 * Calls one operation of the port with validated arguments and resolves to its result as plain
 * data.
 */
export function callFileSystem<N extends PlainOperation>(
  fs: FileSystem,
  operation: N,
  args: FsArguments<N>,
): Promise<unknown> {
  return CALLS[operation](fs, args);
}
