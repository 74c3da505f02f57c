/**
 * Notes that go into the log with what is told (file-system port, contract 10), so that after a crash it is known what was told before the
 * records were written.
 *
 * Invariants
 * 1. A note is open from before its call until what came of the call is in the records in memory, or the call has failed.
 * 2. Which notes the records on the disk hold is written in the transaction of the records. None of them is taken a second time.
 * 3. The log is let go of a note when the records that hold it are durable.
 */
import type { VolumeId } from '../../../../shared/model/fid.ts';
import type { Feed } from '../../../../shared/ports/feed.ts';
import type { CallNote } from '../../../../shared/ports/file-system.ts';
import type { RecordUpdates, CarriedOutUpdate } from './record-updates.ts';

/** Of notes up to `last` all are in the records but those that are open. */
interface Covered {
  readonly last: number;
  readonly open: readonly number[];
}

interface Text {
  /** The folder that told it: another one has records of its own. */
  readonly folder: string;
  readonly told: CarriedOutUpdate;
}

export interface UpdateNotesParts {
  readonly feed: Pick<Feed, 'notes' | 'noted'>;
  readonly volume: VolumeId;
  readonly token: string;
  /** As the records on the disk have it; null: they hold none. */
  readonly covered: string | null;
}

/** Attaches a note to each logged change, so that after a crash the records take it once. */
export class UpdateNotes {
  readonly #parts: UpdateNotesParts;
  readonly #open = new Set<number>();
  #ended: number[] = [];
  #last: number;
  #count = 0;

  constructor(parts: UpdateNotesParts) {
    this.#parts = parts;
    this.#last = parse(parts.covered).last;
  }

  /** How many updates were told since the start, or were to be: who compares two counts knows whether any was meanwhile. */
  get count(): number {
    return this.#count;
  }

  /** What was told before a crash, and is not in the records yet, is put into them. Null: into records that begin anew, as little as anything else. */
  again(into: RecordUpdates | null): void {
    const { feed, volume, token, covered } = this.#parts;
    const { last, open } = parse(covered);
    for (const { id, text, ...answer } of feed.notes(volume)) {
      // A mount was here before, and has taken up what it told.
      const { folder, told } = (text === '' ? { folder: null } : JSON.parse(text)) as Partial<Text>;
      const isCovered = id <= last && !open.includes(id);
      if (folder === token && told !== undefined && !isCovered) into?.again(told, answer);
      this.#last = Math.max(this.#last, id);
      this.#ended.push(id);
    }
  }

  /** Runs a call with its note; `work` puts what came of it into the records before it resolves. */
  async with<T>(told: CarriedOutUpdate, work: (note: CallNote) => Promise<T>): Promise<T> {
    this.#last += 1;
    this.#count += 1;
    const id = this.#last;
    const text: Text = { folder: this.#parts.token, told };
    this.#open.add(id);
    try {
      return await work({ id, text: JSON.stringify(text) });
    } finally {
      this.#open.delete(id);
      this.#ended.push(id);
    }
  }

  /** What is to be written with the records as they are. */
  covered(): string {
    const covered: Covered = { last: this.#last, open: [...this.#open] };
    return JSON.stringify(covered);
  }

  /** The records are durable. What is not let go of now, since the daemon ends, is at the next start. */
  saved(): void {
    const ended = this.#ended;
    if (ended.length === 0) return;
    this.#ended = [];
    this.#parts.feed.noted(ended).catch(() => undefined);
  }
}

function parse(covered: string | null): Covered {
  return covered === null ? { last: 0, open: [] } : (JSON.parse(covered) as Covered);
}
