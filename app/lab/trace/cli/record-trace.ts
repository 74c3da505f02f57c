/** Fetches what a daemon records, part by part, until its signal is aborted. */
import type { ControlClient } from '../../../../shared/control/client.ts';
import { MAX_WAIT_MS } from '../../../../shared/control/limits.ts';
import type { RecordedPart } from '../../../../shared/control/recording.ts';
import type { TraceRecord } from '../record.ts';
import { checkRecord } from '../trace-line.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';

/** Takes one recording of a daemon over the control socket. */
export class TraceRecording {
  /** Operations, and those that the daemon had to leave out. */
  records = 0;
  lost = 0;
  /** Why it ended by itself; null: it did not. */
  failure: GodwitError | null = null;
  readonly #client: ControlClient;
  readonly #number: number;
  /** Records that arrived, gaps among them. */
  #received = 0;

  private constructor(client: ControlClient, number: number) {
    this.#client = client;
    this.#number = number;
  }

  /** From now on the daemon records. Rejects `try-again`, `not-running` ... */
  static async begin(client: ControlClient): Promise<TraceRecording> {
    const first = { recording: null, received: 0, waitMs: 0, end: false };
    const part = await client.command('record', first);
    return new TraceRecording(client, part.recording);
  }

  /** Until `stop` is aborted, or the daemon ends: what arrived before that is given either way. */
  async *take(stop: AbortSignal): AsyncGenerator<TraceRecord> {
    try {
      while (!stop.aborted) yield* await this.#next(MAX_WAIT_MS, false, stop);
      yield* await this.#next(0, true);
    } catch (error) {
      if (!(error instanceof GodwitError)) throw error;
      this.failure = error;
    }
  }

  /** A part that is on its way when it stops is requested again. */
  async #next(waitMs: number, end: boolean, stop?: AbortSignal): Promise<readonly TraceRecord[]> {
    const order = { recording: this.#number, received: this.#received, waitMs, end };
    const part = await this.#client.command('record', order, stop).catch((error: unknown) => {
      if (stop?.aborted === true) return null;
      throw error;
    });
    return part === null ? [] : this.#checked(part);
  }

  #checked({ first, records }: RecordedPart): readonly TraceRecord[] {
    if (first !== this.#received || !Array.isArray(records)) {
      throw new GodwitError('bad-message', 'the daemon told of other records than the next ones');
    }
    const checked: TraceRecord[] = [];
    for (const each of records as readonly unknown[]) {
      const record = checkRecord(each);
      if (typeof record === 'string') throw new GodwitError('bad-message', `the daemon: ${record}`);
      checked.push(record);
      if (record.op === 'gap') this.lost += record.length ?? 0;
      else this.records += 1;
    }
    this.#received += checked.length;
    return checked;
  }
}
