/** The marker of a synced folder, which says to which data folder it belongs: ROOT/.godwit/marker.json. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Our own directory in the root: temporary files, the marker. Never synced, and nothing takes that back. */
export const OWN_DIRECTORY = '.godwit';

/** And one on each disk that is mounted in the folder, at its top, with the folder's token in its name: several folders may share a disk. */
export const ROOM_PREFIX = '.godwit-';
const ROOM = /^\.godwit-[0-9a-f]{32}(?:\/|$)/;

/** A name of such a directory, whosever it is, or (with a slash) of what is parked in one. Never synced, wherever it lies. */
export function isRoomName(name: string): boolean {
  return name.startsWith(ROOM_PREFIX) && ROOM.test(name);
}

export const MARKER_FILE = 'marker.json';

export interface Marker {
  readonly volume: number;
  readonly volumeName: string;
  readonly device: string;
  /** The same token is in the data folder's records, so another data folder is recognised. */
  readonly token: string;
}

/** Who reads a short file; throws as `readFileSync` does. */
export interface TextReader {
  readText(path: string): string;
}

const thisMachine: TextReader = { readText: (path) => readFileSync(path, 'utf8') };

/** Null if there is none. `own`: the name of our directory there. Throws the disk's error. */
export function readMarker(
  root: string,
  disk: TextReader = thisMachine,
  own = OWN_DIRECTORY,
): Marker | null {
  try {
    const text = disk.readText(join(root, own, MARKER_FILE));
    const marker = JSON.parse(text) as Marker;
    return typeof marker.token === 'string' && typeof marker.volume === 'number' ? marker : null;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === undefined || code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

/** Whether the synced folder of that token is there, as far as can be seen. `own` as above. */
export function isFolderAt(root: string, token: string, disk?: TextReader, own?: string): boolean {
  try {
    return readMarker(root, disk, own)?.token === token;
  } catch {
    return false;
  }
}
