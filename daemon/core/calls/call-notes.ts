/**
 * Notes that a front end gives with an update and reads back after a crash (file-system port, contract 10). A note is kept in the step that logs the
 * update, so both are durable or neither is. The front end drops a note when its own records have it.
 */
import { volumeOf, type Fid, type VolumeId } from '../../../shared/model/fid.ts';
import { dataVersion, type DataVersion } from '../../../shared/model/vnode.ts';
import type { NoteRow } from '../../../shared/ports/client-store.ts';
import type { KeptNote } from '../../../shared/ports/feed.ts';
import type { CallNote } from '../../../shared/ports/file-system.ts';
import type { Outbox } from '../effects.ts';

/**
 * Keeps the notes that front ends attach to their calls, as durable rows, until the front end drops
 * them.
 */
export class CallNotes {
  readonly #out: Outbox;
  readonly #rows = new Map<number, NoteRow>();

  constructor(out: Outbox) {
    this.#out = out;
  }

  load(rows: ReadonlyMap<string, NoteRow>): void {
    for (const [id, row] of rows) this.#rows.set(Number(id), row);
  }

  /** The call it came with was logged as one about `fid`; a front end without notes gives none. */
  keep(note: CallNote | undefined, fid: Fid, version: DataVersion = dataVersion(0)): void {
    if (note === undefined) return;
    const row = { text: note.text, fid, version };
    this.#rows.set(note.id, row);
    this.#out.put('note', note.id, row);
  }

  drop(ids: readonly number[]): void {
    for (const id of ids) if (this.#rows.delete(id)) this.#out.drop('note', id);
  }

  of(volume: VolumeId): KeptNote[] {
    return [...this.#rows]
      .filter(([, { fid }]) => volumeOf(fid) === volume)
      .map(([id, row]) => ({ id, ...row }))
      .sort((a, b) => a.id - b.id);
  }
}
