/**
 * DATA/pause.json: when the last pause with an end is over. Absent: there was none, or one without an end came after it.
 *
 * The end is stored on two clocks: the machine's own, which is never set and counts through suspend, for as long as the machine runs;
 * and the wall's, for after a restart of the machine.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { startupFailure } from '../../../shared/control/startup-failure.ts';
import type { Host } from '../../../shared/ports/host.ts';
import type { Log } from '../../../shared/ports/log.ts';
import { removeDurably, writeDurably } from '../../../shared/system/durable-file.ts';

const schema = z.strictObject({
  /** Milliseconds since 1970. */
  until: z.number(),
  /** How long it was to last; 0: it was ended before its time. */
  forMs: z.number().min(0),
  /** Which start of the machine `due` counts from; null: the system can't tell. */
  boot: z.string().nullable(),
  due: z.number(),
});

export type PauseEnd = Readonly<z.output<typeof schema>>;

export interface PauseStore {
  /** null: there is none. What can't be read is one that is over. */
  load(): PauseEnd | null;
  save(end: PauseEnd): void;
  remove(): void;
}

const OVER: PauseEnd = { until: 0, forMs: 0, boot: null, due: 0 };

/** Reads and writes DATA/pause.json. A damaged file counts as a pause that is over. */
export class PauseFile implements PauseStore {
  readonly #file: string;
  readonly #host: Pick<Host, 'syncDirectory'>;
  readonly #log: Log;

  constructor(file: string, host: Pick<Host, 'syncDirectory'>, log: Log) {
    this.#file = file;
    this.#host = host;
    this.#log = log;
  }

  load(): PauseEnd | null {
    try {
      return schema.parse(JSON.parse(readFileSync(this.#file, 'utf8')));
    } catch (error) {
      if ((error as { code?: unknown }).code === 'ENOENT') return null;
      this.#log.warn('until when syncing was paused can not be read: it goes on', {
        file: this.#file,
      });
      return OVER;
    }
  }

  save(end: PauseEnd): void {
    this.#change(() => writeDurably(this.#file, `${JSON.stringify(end)}\n`, this.#host));
  }

  remove(): void {
    this.#change(() => removeDurably(this.#file, this.#host));
  }

  #change(work: () => void): void {
    try {
      work();
    } catch (error) {
      throw startupFailure(error, { path: this.#file, code: 'folder-unusable' });
    }
  }
}
