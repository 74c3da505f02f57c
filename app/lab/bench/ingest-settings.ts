/** How much `godwit bench ingest` measures, and the room that it takes. 0 leaves a part out. */
import { statfsSync } from 'node:fs';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { sizeText } from '../../../shared/util/amounts.ts';

export interface IngestSettings {
  /** New files, and the bytes in each of them and of the known ones. */
  readonly files: number;
  readonly size: number;
  /** Bytes of the large file. */
  readonly large: number;
  /** Files that a daemon knows when it is started. */
  readonly known: number;
  readonly idleMs: number;
}

/** What can be asked for by name, each the setting that it is left out by. */
const PART_OF = { files: 'files', large: 'large', known: 'known', idle: 'idleMs' } as const;
export type IngestPart = keyof typeof PART_OF;
export const INGEST_PARTS = ['files', 'large', 'known', 'idle'] as const;

/** The settings that leave out all parts but these. */
export function leftOut(only: readonly IngestPart[]): Partial<IngestSettings> {
  const others = INGEST_PARTS.filter((part) => !only.includes(part));
  return Object.fromEntries(others.map((part) => [PART_OF[part], 0]));
}

const BLOCK_BYTES = 4096;
/** In the folder, on the way in the daemon's data, and on the server. */
const COPIES = 3;
/** Rows and names, on both sides. */
const FILE_OVERHEAD_BYTES = 8192;
const BASE_BYTES = 64 * 1024 * 1024;

/** At its worst: the known files come after everything else is removed. */
export function spaceNeeded({ files, size, large, known }: IngestSettings): number {
  const each = COPIES * Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES + FILE_OVERHEAD_BYTES;
  return BASE_BYTES + Math.max(files * each + COPIES * large, known * each);
}

/** Throws `disk-full`. */
export function refuseWithoutRoom(folder: string, settings: IngestSettings): void {
  const { bavail, bsize } = statfsSync(folder);
  const [free, needed] = [bavail * bsize, spaceNeeded(settings)];
  if (needed <= free) return;
  const sizes = `${sizeText(needed)} are needed and ${sizeText(free)} are free`;
  throw new GodwitError('disk-full', `${folder}: ${sizes} (TMPDIR names another place)`);
}
