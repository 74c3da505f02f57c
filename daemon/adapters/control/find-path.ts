/** Finds what a path of a volume names, through the file-system port as any program does. */
import type { VolumeInfo } from '../../../shared/model/change.ts';
import type { Attributes, FileSystem } from '../../../shared/ports/file-system.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';

/** Rejects `no-such-volume`. */
export async function findVolume(fileSystem: FileSystem, name: string): Promise<VolumeInfo> {
  const volume = (await fileSystem.volumes()).find((each) => each.name === name);
  if (volume !== undefined) return volume;
  throw new GodwitError('no-such-volume', `this device sees no volume ${name}`);
}

/** Links are not followed. Rejects `no-such-volume`, `not-found`, `not-a-directory`, `not-connected` ... */
export async function findPath(
  fileSystem: FileSystem,
  volumeName: string,
  names: readonly string[],
): Promise<Attributes> {
  const { root } = await findVolume(fileSystem, volumeName);
  let found: Attributes | null = null;
  for (const [nth, name] of names.entries()) {
    found = await fileSystem.lookup(found?.fid ?? root, name, names.slice(nth + 1));
  }
  return found ?? (await fileSystem.getattr(root));
}
