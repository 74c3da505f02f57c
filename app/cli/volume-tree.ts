/**
 * Finds what a volume path names, through the file-system port, a name at a time.
 */
import type { VolumeInfo } from '../../shared/model/change.ts';
import { volumeOf, type Fid } from '../../shared/model/fid.ts';
import type { Attributes, FileSystem } from '../../shared/ports/file-system.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { about } from './errors.ts';
import { formatVolumePath, parseVolumePath } from './volume-path.ts';

/** As many as Linux follows. */
const MAX_LINKS = 40;

export const DEFAULT_VOLUME = 'home';

/** Finds a volume by its name. Throws GodwitError `no-such-volume`. */
export async function findVolume(fs: FileSystem, name: string): Promise<VolumeInfo> {
  const volume = (await fs.volumes()).find((candidate) => candidate.name === name);
  if (volume === undefined)
    throw new GodwitError('no-such-volume', `${name}: there is no such volume`);
  return volume;
}

/** Goes down from the root. Symlinks on the way are followed, a last one only with `follow`. */
export async function findPath(
  fs: FileSystem,
  root: Fid,
  names: readonly string[],
  follow: boolean,
): Promise<Attributes> {
  const shown = formatVolumePath(names);
  let rest = [...names];
  let at: string[] = [];
  // The root is not asked for by itself: that would be a round trip of its own.
  const top = { fid: root, kind: 'directory' } as const;
  let dirs: Array<Pick<Attributes, 'fid'>> = [top];
  let last: Attributes | null = null;
  let links = 0;
  while (rest.length > 0) {
    const name = rest.shift() ?? '';
    const dir = last ?? top;
    if (dir.kind !== 'directory') {
      const file = formatVolumePath(at);
      throw new GodwitError('not-a-directory', `${shown}: ${file} is no folder`);
    }
    const where =
      links === 0
        ? shown
        : `${shown}: a symlink leads to ${formatVolumePath([...at, name, ...rest])}`;
    const found = await lookup(fs, dir.fid, [name, ...rest], where);
    if (found.kind === 'symlink' && (rest.length > 0 || follow)) {
      links += 1;
      if (links > MAX_LINKS) throw new GodwitError('not-found', `${shown}: too many symlinks`);
      const path = targetOf(at, found.target ?? '', shown);
      rest = [...path, ...rest];
      at = [];
      dirs = dirs.slice(0, 1);
      last = null;
      continue;
    }
    at.push(name);
    refuseRing(found, dirs, `${shown}: ${formatVolumePath(at)}`);
    dirs.push(found);
    last = found;
  }
  return last ?? (await fs.getattr(root));
}

/** Rule M2: a walk ends where a volume would be entered for the second time. */
function refuseRing(
  { fid, mounted }: Attributes,
  dirs: ReadonlyArray<Pick<Attributes, 'fid'>>,
  at: string,
): void {
  if (mounted === undefined || mounted.volume === null) return;
  if (!dirs.some((dir) => volumeOf(dir.fid) === volumeOf(fid))) return;
  throw new GodwitError(
    'not-found',
    `${at} shows the volume ${mounted.volume} again: a path ends there`,
  );
}

async function lookup(
  fs: FileSystem,
  dir: Fid,
  [name = '', ...onwards]: readonly string[],
  shown: string,
): Promise<Attributes> {
  try {
    return await fs.lookup(dir, name, onwards);
  } catch (error) {
    if (error instanceof GodwitError && error.code === 'not-found') {
      throw new GodwitError('not-found', `${shown}: there is no such file or folder`);
    }
    throw about(shown, error);
  }
}

/** Where a symlink in the directory `at` leads, from the root. A volume knows nothing outside of it. */
function targetOf(at: readonly string[], target: string, shown: string): string[] {
  const outside = new GodwitError('not-found', `${shown}: the symlink leads out of the volume`);
  if (target.startsWith('/')) throw outside;
  const path = [...at];
  for (const part of target.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') path.push(part);
    else if (path.pop() === undefined) throw outside;
  }
  return parseVolumePath(formatVolumePath(path));
}
