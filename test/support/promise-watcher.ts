/**
 * Watches a core server as its clients would, and fails when one of them could show something stale: when a writer is answered
 * while another device may still use a promise for what it had before (rules P2, P3).
 *
 * A client takes a break as late as it may: when it acknowledges it.
 */
import { volumeOf } from '../../shared/model/fid.ts';
import type { Break, GrantNumber } from '../../shared/model/callback-promise.ts';
import type { UpdateResult } from '../../shared/model/update.ts';
import type { CommitNumber } from '../../shared/model/vnode.ts';
import type { Effect, ServerEvent } from '../../server/core/events.ts';
import type { CoreServer, TestDevice } from './core-server.ts';

interface Promised {
  readonly commit: CommitNumber;
  readonly grant: GrantNumber;
}

interface Client {
  /** By fid, or number of a volume. */
  readonly promised: Map<string | number, Promised>;
  /** The highest break since the request began, by open call and subject (rule P2). */
  readonly open: Map<number, Map<string | number, GrantNumber>>;
}

/** Checks that no promise is stale when a writer gets its answer. */
export class PromiseWatcher {
  readonly #clients = new Map<number, Client>();
  readonly #breaks = new Map<number, { connection: number; items: readonly Break[] }>();
  readonly #callers = new Map<number, number>();
  answers = 0;

  constructor(server: CoreServer, devices: readonly TestDevice[]) {
    for (const { connection } of devices) {
      this.#clients.set(connection, { promised: new Map(), open: new Map() });
    }
    server.watch = (what) => this.#see(what);
  }

  asked(device: TestDevice, call: number): void {
    this.#callers.set(call, device.connection);
    this.#clients.get(device.connection)?.open.set(call, new Map());
  }

  #see(what: Effect | ServerEvent): void {
    if (what.kind === 'break') this.#breaks.set(what.message, what);
    else if (what.kind === 'acknowledged') this.#taken(what.message);
    else if (what.kind === 'reply') this.#answered(what);
  }

  #taken(message: number): void {
    const { connection, items } = this.#breaks.get(message) ?? { connection: 0, items: [] };
    const client = this.#clients.get(connection);
    for (const { subject, upTo } of items) {
      const key = subject.fid ?? subject.volume;
      if ((client?.promised.get(key)?.grant ?? Infinity) <= upTo) client?.promised.delete(key);
      for (const breaks of client?.open.values() ?? []) breaks.set(key, upTo);
    }
  }

  #answered(effect: Extract<Effect, { kind: 'reply' }>): void {
    const { call, reply } = effect;
    const caller = this.#callers.get(call) ?? 0;
    const client = this.#clients.get(caller);
    const breaks = client?.open.get(call) ?? new Map<string | number, GrantNumber>();
    client?.open.delete(call);
    this.answers++;
    const take = (key: string | number, commit: CommitNumber, grant: GrantNumber | null): void => {
      if (grant === null || grant <= (breaks.get(key) ?? 0)) return;
      client?.promised.set(key, { commit, grant });
    };
    if (reply.rpc === 'FetchStatus') {
      for (const { fid, status, grant } of reply.body.items) {
        if (status !== null) take(fid, status.commit, grant);
      }
    } else if (reply.rpc === 'FetchDir') {
      const { status, entries, grant } = reply.body;
      for (const each of [{ status }, ...entries]) take(each.status.fid, each.status.commit, grant);
    } else if (reply.rpc === 'Changes') {
      take(1, reply.body.upTo, reply.body.grant);
    } else if (reply.rpc === 'Apply') {
      for (const result of reply.body.results) this.#written(caller, result);
    } else if (reply.rpc === 'Store') {
      this.#written(caller, reply.body.result);
    }
  }

  #written(writer: number, result: UpdateResult): void {
    if (!result.ok) return;
    const keys = result.touched.flatMap(({ fid }) => [fid, volumeOf(fid)]);
    for (const [connection, { promised }] of this.#clients) {
      if (connection === writer) continue;
      for (const key of keys) {
        const held = promised.get(key);
        if (held === undefined || held.commit >= result.commit) continue;
        throw new Error(
          `connection ${connection} may use ${key} of commit ${held.commit} after ${result.commit}`,
        );
      }
    }
  }
}
