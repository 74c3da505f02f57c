/**
 * The one place that turns what a person types for a file into a path of a volume.
 *
 * 1. `VOLUME:/x` is that path of that volume, if there is such a volume. `./VOLUME:/x` is never taken so, and `VOLUME::/x` is refused.
 * 2. What lies in the synced folder is taken from there: a whole path, or one from the working directory, wherever that is.
 * 3. A relative path that names nothing there is taken from the root of the volume, if it names something there; not one that begins with dots.
 * 4. A whole path outside of the folder is a path of the volume.
 * 5. A name that has a placeholder's ending is that of the file, unless a file is called so.
 * 6. Nothing is above the root, and what lies in another synced folder is never taken for something in this one.
 * 7. A name that is not there as it is written, but in the other form of its Unicode characters, is that one.
 */
import { isAbsolute, resolve } from 'node:path';
import { nameBehind } from '../../../shared/model/placeholder-name.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { formatVolumePath, parseVolumePath } from '../volume-path.ts';
import { diskPath, isFolderName, isOnDisk, isSameFolder, namesBelow, realOf } from './disk-path.ts';
import type { PathKind } from './path-arguments.ts';
import { syncedFolderOf } from './synced-folder-of.ts';

/** What is asked of the daemon. Each answers for what a path means there; null: that can't be told now. */
export interface Tree {
  isVolume(name: string): Promise<boolean>;
  isThere(volume: string, names: readonly string[], kind: PathKind): Promise<boolean | null>;
  /** The same path with names that are there, in whatever Unicode form; null: there is none. */
  alike(volume: string, names: readonly string[]): Promise<string[] | null>;
}

export interface Standing {
  /** The synced folder of the daemon as its settings have it; null: there is none. */
  readonly folder: string | null;
  /** The volume that the folder shows. */
  readonly ofFolder: string;
  /** The volume that a person has asked for (`--volume`). */
  readonly asked: string | null;
  readonly cwd: string | null;
}

export interface GivenPath {
  /** As it was typed. */
  readonly text: string;
  readonly volume: string;
  readonly names: string[];
  /** What it would be on this disk; null: it names its volume. */
  readonly disk: string | null;
  /** It is the place in the synced folder that is meant. */
  readonly inFolder: boolean;
  /** A folder is meant: it ends in a slash, or in dots. */
  readonly isFolder: boolean;
  readonly kind: PathKind;
  /** It names nothing from the working directory on, and was taken from the root (rule 3 above). */
  readonly fromRoot: boolean;
}

/** Throws GodwitError `usage` where it is no path of the volume, and `bad-name` where a name in it can be none. */
export async function resolvePath(
  text: string,
  kind: PathKind,
  standing: Standing,
  tree: Tree,
): Promise<GivenPath> {
  const given = { text, kind, isFolder: isFolderName(text), inFolder: false, fromRoot: false };
  const explicit = await explicitPath(text, tree);
  if (explicit !== null) {
    if (standing.asked !== null && standing.asked !== explicit.volume) {
      throw new GodwitError('usage', `${text}: --volume names another one, ${standing.asked}`);
    }
    const names = parseVolumePath(explicit.path, text);
    return { ...given, ...(await settled(explicit.volume, names, kind, tree)), disk: null };
  }
  const volume = standing.asked ?? standing.ofFolder;
  const disk = diskPath(text, standing.cwd);
  const place = volume === standing.ofFolder ? placeIn(standing, text, disk) : null;
  if (place === null) {
    refuseForeign(text, disk, standing);
    const names = namesFromRoot(text, standing);
    return { ...given, ...(await settled(volume, names, kind, tree)), disk };
  }
  const names = parseVolumePath(formatVolumePath(place), text);
  const here = { ...given, ...(await settled(volume, names, kind, tree)), disk, inFolder: true };
  const other = isAbsolute(text) || DOTS.test(text) ? null : fromTheRoot(text);
  if (other === null || formatVolumePath(other) === formatVolumePath(names)) return here;
  if (isThereAlready(disk, kind)) return here;
  if ((await tree.isThere(volume, here.names, kind)) !== false) return here;
  const there = await settled(volume, other, kind, tree);
  const isOther = (await tree.isThere(volume, there.names, kind)) === true;
  return isOther ? { ...given, ...there, disk, fromRoot: true } : here;
}

/** A placeholder, or a new name, says nothing by being on the disk. */
function isThereAlready(disk: string | null, kind: PathKind): boolean {
  return disk !== null && kind !== 'new' && isOnDisk(disk);
}

const EXPLICIT = /^([^/]+?):(\/.*)$/s;
const TWO_COLONS = /^([^/:]+)::+(?=\/|$)/;
/** Here, and nowhere else. */
const DOTS = /^\.{1,2}(\/|$)/;

/** The volume that a path says it is in; null: it says nothing of one. */
export const volumeIn = (text: string): string | null => EXPLICIT.exec(text)?.[1] ?? null;

async function explicitPath(
  text: string,
  tree: Tree,
): Promise<{ volume: string; path: string } | null> {
  const doubled = TWO_COLONS.exec(text)?.[1];
  if (doubled !== undefined && (await tree.isVolume(doubled))) {
    const meant = `${doubled}:${text.replace(TWO_COLONS, '') || '/'}`;
    throw new GodwitError('usage', `${text}: one colon too many`, `give ${meant}`);
  }
  const [, volume, path] = EXPLICIT.exec(text) ?? [];
  if (volume === undefined || path === undefined) return null;
  return (await tree.isVolume(volume)) ? { volume, path } : null;
}

/** By rules 5 and 7 above. */
async function settled(
  volume: string,
  names: string[],
  kind: PathKind,
  tree: Tree,
): Promise<{ volume: string; names: string[] }> {
  const last = names.at(-1) ?? '';
  const behind = nameBehind(last);
  const isPlain = formatVolumePath(names).normalize('NFD') === formatVolumePath(names).normalize();
  if (kind === 'new' || (behind === null && isPlain)) return { volume, names };
  if ((await tree.isThere(volume, names, kind)) !== false) return { volume, names };
  const forms = behind === null ? [names] : [[...names.slice(0, -1), behind], names];
  for (const form of forms) {
    if ((await tree.isThere(volume, form, kind)) === true) return { volume, names: form };
    const alike = isPlain ? null : await tree.alike(volume, form);
    if (alike !== null) return { volume, names: alike };
  }
  return { volume, names };
}

/** The names from the folder on, through links and as it is written; null: it is not in the folder. */
function placeIn({ folder, cwd }: Standing, text: string, disk: string | null): string[] | null {
  if (folder === null || disk === null) return null;
  const [real, written] = [realOf(folder), resolve(cwd ?? '/', text)];
  return (
    namesBelow(real, disk) ??
    // A link in the folder that leads out of it is in the folder: the daemon says what is wrong with it.
    namesBelow(real, written) ??
    namesBelow(resolve(folder), written) ??
    // A link elsewhere that leads into the folder, or to it.
    namesBelow(real, realOf(disk)) ??
    throughOtherMount(real, disk)
  );
}

function throughOtherMount(folder: string, disk: string): string[] | null {
  const other = syncedFolderOf(disk);
  return other !== null && isSameFolder(other, folder) ? namesBelow(other, disk) : null;
}

function fromTheRoot(text: string): string[] | null {
  try {
    return parseVolumePath(text);
  } catch {
    return null;
  }
}

/** By rule 3 where nobody stands in the folder, and by rule 4. */
function namesFromRoot(text: string, { folder, asked, ofFolder }: Standing): string[] {
  try {
    return parseVolumePath(text);
  } catch (error) {
    const isAbove = error instanceof GodwitError && error.code === 'usage';
    if (!isAbove || folder === null || (asked ?? ofFolder) !== ofFolder) throw error;
    throw outside(text, folder);
  }
}

/** The one line for what is not in the folder. */
export function outside(text: string, folder: string): GodwitError {
  return new GodwitError(
    'usage',
    `${text}: it is not in the synced folder, ${folder}`,
    'give a path in the folder, or one from the root of the volume, such as `godwit ls /` lists them',
  );
}

/** By rule 6: its daemon does not run, or has its folder elsewhere. */
function refuseForeign(text: string, disk: string | null, { folder, asked }: Standing): void {
  if (disk === null || asked !== null) return;
  const other = syncedFolderOf(disk);
  if (other === null || (folder !== null && isSameFolder(other, realOf(folder)))) return;
  throw new GodwitError(
    'usage',
    `${text}: it is in another synced folder, ${other}, which this daemon does not keep`,
    'start its daemon with `godwit up`, or choose it with --data DIR; `godwit config folder DIR` if you have moved the folder',
  );
}
