/** Fetches in progress, by what they ask for: the connection that asked may raise them. */
import type { CallId, ConnectionId } from '../../shared/ports/transport.ts';
import type { RequestOf } from '../../shared/wire/rpcs.ts';

type FetchKey = Pick<RequestOf<'Fetch'>, 'fid' | 'version'>;

const keyOf = (connection: ConnectionId, { fid, version }: FetchKey): string =>
  `${connection} ${fid}@${version ?? 'present'}`;

/** Finds the fetch in progress that a connection wants to raise, by its question. */
export class OpenFetches {
  readonly #calls = new Map<string, CallId>();
  readonly #keys = new Map<CallId, string>();

  get size(): number {
    return this.#keys.size;
  }

  /** Of two with the same question the later one counts: the other is ending. */
  begins(connection: ConnectionId, call: CallId, asked: FetchKey): void {
    const key = keyOf(connection, asked);
    this.#calls.set(key, call);
    this.#keys.set(call, key);
  }

  find(connection: ConnectionId, asked: FetchKey): CallId | null {
    return this.#calls.get(keyOf(connection, asked)) ?? null;
  }

  ended(call: CallId): void {
    const key = this.#keys.get(call);
    if (key === undefined) return;
    this.#keys.delete(call);
    if (this.#calls.get(key) === call) this.#calls.delete(key);
  }
}
