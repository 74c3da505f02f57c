/** A pack and its name: `00000007-1f2e3d4c5b6a7988.pack` is the seventh, with its mark in hex. Later packs have higher numbers. */
import { basename, join } from 'node:path';
import { MARK_BYTES } from './record.ts';

export interface PackId {
  readonly number: number;
  /** Hex. */
  readonly mark: string;
}

const NAME = /^(\d{8,15})-([0-9a-f]{16})\.pack$/;
const DIGITS = 8;

export const packFolder = (folder: string): string => join(folder, 'packs');

export const quarantineFolder = (folder: string): string => join(folder, 'quarantine');

/** Where a pack goes in which something is damaged. */
export function asidePath(folder: string, pack: PackId): string {
  return join(quarantineFolder(folder), basename(packPath(folder, pack)));
}

export function packPath(folder: string, { number, mark }: PackId): string {
  return join(packFolder(folder), `${String(number).padStart(DIGITS, '0')}-${mark}.pack`);
}

/** In the order of their numbers; what has another name is none. */
export function packsAmong(names: readonly string[]): PackId[] {
  return names
    .flatMap((name) => {
      const [, number, mark] = NAME.exec(name) ?? [];
      return number === undefined || mark === undefined ? [] : [{ number: Number(number), mark }];
    })
    .sort((a, b) => a.number - b.number);
}

export function markBytes({ mark }: PackId): Uint8Array {
  return Buffer.from(mark, 'hex').subarray(0, MARK_BYTES);
}
