/**
 * What each conflict was about: both sides as they were when it was found. The list of conflicts has paths only, and a path may be
 * anything by the time a person says which side is to stay.
 *
 * A conflict that was found long before its sides were read has no entry: they may have been changed since. Losing the file
 * (DATA/conflicts.json) loses this convenience, no contents.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { ConflictStatus } from '../../../shared/control/snapshot.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { FileSystem } from '../../../shared/ports/file-system.ts';
import type { Host } from '../../../shared/ports/host.ts';
import type { Log } from '../../../shared/ports/log.ts';
import { writeDurably } from '../../../shared/system/durable-file.ts';
import { findPlace, lookUp } from './find-place.ts';
import type { Sides } from './plan-resolution.ts';
import { seen, seenOf } from './seen.ts';

/** Within this time after a conflict was found, no person can have seen it and changed a side. Milliseconds. */
const IN_TIME_MS = 60_000;

const entry = z.strictObject({
  id: z.number().int().min(1),
  when: z.string(),
  volume: z.string(),
  mine: seen.nullable(),
  theirs: seen.nullable(),
});
const entries = z.array(entry);

export type BookEntry = Readonly<z.output<typeof entry>>;

export interface BookParts {
  readonly file: string;
  readonly fileSystem: FileSystem;
  readonly host: Pick<Host, 'syncDirectory'>;
  readonly clock: Pick<Clock, 'wall'>;
  readonly log: Log;
}

/**
 * Stores both sides of each open conflict as they were when it was found, in DATA/conflicts.json.
 */
export class ConflictBook {
  readonly #parts: BookParts;
  /** By the number of the conflict, in the order of these. */
  #entries: ReadonlyMap<number, BookEntry>;

  constructor(parts: BookParts) {
    this.#parts = parts;
    this.#entries = read(parts);
  }

  /** null: its sides were not read in time. */
  find({ id, when }: ConflictStatus): BookEntry | null {
    const known = this.#entries.get(id);
    return known?.when === when ? known : null;
  }

  /** Writes down those that are new, and forgets those that are dealt with. */
  async look(conflicts: readonly ConflictStatus[]): Promise<void> {
    const kept: BookEntry[] = [];
    for (const conflict of conflicts) {
      const known = this.find(conflict) ?? (await this.#lookAt(conflict));
      if (known !== null) kept.push(known);
    }
    kept.sort((a, b) => a.id - b.id);
    const isSame =
      kept.length === this.#entries.size && kept.every((row) => row === this.#entries.get(row.id));
    if (isSame) return;
    this.#entries = byId(kept);
    try {
      writeDurably(this.#parts.file, `${JSON.stringify(kept)}\n`, this.#parts.host);
    } catch (error) {
      this.#parts.log.warn('what conflicts are about could not be written down', {
        why: (error as Error).message,
      });
    }
  }

  async #lookAt(conflict: ConflictStatus): Promise<BookEntry | null> {
    const { clock, log } = this.#parts;
    const { id, when } = conflict;
    if (Math.abs(clock.wall() - Date.parse(when)) > IN_TIME_MS) return null;
    try {
      const about = await this.#sides(conflict);
      return about === null ? null : { id, when, ...about };
    } catch (error) {
      log.info('a conflict could not be looked at', { id, why: (error as Error).message });
      return null;
    }
  }

  /** null: no volume that may be meant, or more than one, has the copy. */
  async #sides({
    volume,
    path,
    copy,
  }: ConflictStatus): Promise<(Sides & { readonly volume: string }) | null> {
    const { fileSystem } = this.#parts;
    const found: Array<Sides & { readonly volume: string }> = [];
    for (const { name, root } of await fileSystem.volumes()) {
      if (volume !== undefined && volume !== name) continue;
      const at = async (text: string): Promise<Sides['mine']> => {
        const place = await findPlace(fileSystem, root, text.split('/'));
        const there = place === null ? null : await lookUp(fileSystem, place);
        return there === null ? null : seenOf(there);
      };
      const mine = await at(copy);
      if (mine === null) continue;
      found.push({ volume: name, mine, theirs: path === copy ? null : await at(path) });
    }
    const [only] = found;
    return found.length === 1 && only !== undefined ? only : null;
  }
}

function byId(rows: readonly BookEntry[]): ReadonlyMap<number, BookEntry> {
  return new Map(rows.map((row) => [row.id, row]));
}

function read({ file, log }: BookParts): ReadonlyMap<number, BookEntry> {
  try {
    return byId(entries.parse(JSON.parse(readFileSync(file, 'utf8'))));
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ENOENT') {
      log.warn('what conflicts are about can not be read', { file });
    }
    return new Map();
  }
}
