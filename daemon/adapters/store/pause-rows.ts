/**
 * What ends a pause, in the table `pause_end` of daemon.db. A change is durable when the call returns: it is rare, and the person who pauses gets the
 * end as the answer.
 */
import type { z } from 'zod';
import type { Log } from '../../../shared/ports/log.ts';
import { databaseError, type Sqlite } from '../../../shared/sqlite/database.ts';
import { durably } from '../../../shared/sqlite/log-sync.ts';
import type { SealedRows } from '../../../shared/sqlite/sealed-rows.ts';
import {
  networkEnd,
  OVER,
  timedEnd,
  type KeptEnd,
  type NetworkEnd,
  type PauseEnds,
  type TimedEnd,
} from '../pause/pause-ends.ts';

export const PAUSE_TABLE = 'pause_end';
export type PauseEndKind = 'time' | 'network';

/** Keeps the ends of pauses as sealed rows of the daemon's database. */
export class PauseRows implements PauseEnds {
  readonly byTime: KeptEnd<TimedEnd>;
  readonly byNetwork: KeptEnd<NetworkEnd>;
  readonly #database: Sqlite;
  readonly #rows: SealedRows;

  constructor(database: Sqlite, rows: SealedRows, log: Log) {
    this.#database = database;
    this.#rows = rows;
    this.byTime = this.#kept('time', timedEnd, () => {
      log.warn('until when syncing was paused can not be read: it goes on');
      this.#replaceDamaged();
      return OVER;
    });
    // Syncing stays paused until a person resumes it, and the status shows that.
    this.byNetwork = this.#kept('network', networkEnd, () => {
      log.warn('on which network syncing was paused can not be read');
      return null;
    });
  }

  /** What can't be read is reported once; where the row can't be written, at the next start again. */
  #replaceDamaged(): void {
    try {
      this.byTime.save(OVER);
    } catch {
      return;
    }
  }

  #kept<S extends z.ZodType>(
    by: PauseEndKind,
    schema: S,
    damaged: () => z.output<S> | null,
  ): KeptEnd<z.output<S>> {
    return {
      load: () => {
        const { body, isDamaged } = this.#read(by);
        if (isDamaged) return damaged();
        if (body === null) return null;
        try {
          return schema.parse(JSON.parse(body));
        } catch {
          return damaged();
        }
      },
      save: (end) => {
        this.#write(() => {
          this.#rows.table(PAUSE_TABLE).put({ by, body: JSON.stringify(end) });
        });
      },
      remove: () => this.#write(() => this.#rows.table(PAUSE_TABLE).drop([by])),
    };
  }

  #read(by: PauseEndKind): { readonly body: string | null; readonly isDamaged: boolean } {
    const table = this.#rows.table(PAUSE_TABLE);
    let body: string | null = null;
    table.load((row) => {
      if (row['by'] === by) body = String(row['body']);
    });
    const isDamaged = table.damage?.altered.some(([key]) => key === by) === true;
    return { body, isDamaged };
  }

  #write(work: () => void): void {
    const table = this.#rows.table(PAUSE_TABLE);
    table.load(() => undefined);
    const { damage } = table;
    try {
      durably(this.#database, () => {
        this.#rows.write(
          () => {
            for (const keys of damage?.altered ?? []) table.drop(keys);
            work();
          },
          damage === null ? [] : [PAUSE_TABLE],
        );
      });
    } catch (error) {
      throw databaseError(error, this.#database.name);
    }
  }
}
