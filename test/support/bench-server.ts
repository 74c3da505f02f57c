/** The core of the server for the client bench: on a MetaStore in memory, every message a step of the bench. */
import { MemoryMetaStore } from '../../app/lab/simulator/store/memory-meta-store.ts';
import type { VolumeId } from '../../shared/model/fid.ts';
import { instant, wallTime, type WallTime } from '../../shared/model/time.ts';
import { EMPTY_DIGEST } from '../../shared/model/vnode.ts';
import type { Break } from '../../shared/model/callback-promise.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import type { Effect, ReplyContent, ServerEvent } from '../../server/core/events.ts';
import { nextDeadline, step } from '../../server/core/server.ts';
import { makeState, type ServerState } from '../../server/core/state.ts';
import type { ReplyOf } from '../../shared/wire/rpcs.ts';
import type { RpcReply } from '../../daemon/core/events.ts';

export interface ServerPeer {
  replied(call: number, reply: RpcReply, content: ReplyContent | null): void;
  broken(message: number, items: readonly Break[], number: number | undefined): void;
  closedByServer(): void;
}

export interface BenchTime {
  now: number;
  /** Runs the callback later, in an order that the bench chooses. */
  later(what: string, run: () => void): void;
  /** Makes the bench wait for work of a store, which ends by itself. */
  wait(work: Promise<void>): void;
}

/** The server of the client bench. */
export class BenchServer {
  readonly meta: MemoryMetaStore;
  readonly state: ServerState;
  /** Stored contents, by digest. */
  readonly contents = new Map<string, string>();
  /** Digests of the contents that were ever a committed version. */
  readonly committed = new Set<string>();
  /** How often each kind of request came. */
  readonly asked = new Map<string, number>();
  readonly #time: BenchTime;
  readonly #peers = new Map<number, ServerPeer>();
  readonly #calls = new Map<number, ServerPeer>();
  readonly #stores = new Map<number, string>();

  private constructor(time: BenchTime, meta: MemoryMetaStore, state: ServerState) {
    this.#time = time;
    this.meta = meta;
    this.state = state;
    this.contents.set(EMPTY_DIGEST, '');
  }

  static async start(time: BenchTime): Promise<BenchServer> {
    const meta = new MemoryMetaStore();
    const first = { epoch: 'e'.repeat(32), volumeName: 'home', userName: 'owner' };
    const stored = await meta.open({ ...first, when: wallTime(0) });
    const start = { stored, boot: 'b'.repeat(32), software: 'bench' };
    return new BenchServer(time, meta, makeState(start, instant(time.now)));
  }

  invite(number: number, rights: 'read' | 'write'): { id: string; secret: string } {
    const invitation = { id: String(number).padStart(32, '0'), secret: '5'.repeat(32) };
    const expires = Number.MAX_SAFE_INTEGER as WallTime;
    const user = rights === 'write' ? 'owner' : 'reader';
    this.meta.invite({ ...invitation, user, rights, expires });
    return invitation;
  }

  /** Sets the quota of a volume in bytes; null removes it. */
  async limit(volume: VolumeId, bytes: number | null): Promise<void> {
    this.meta.limit(volume, bytes);
    this.feed({ kind: 'volumes', ...(await this.meta.volumes()) });
  }

  connect(connection: number, fingerprint: string, peer: ServerPeer): void {
    this.#peers.set(connection, peer);
    this.feed({ kind: 'connected', connection, fingerprint });
  }

  disconnect(connection: number, calls: readonly number[]): void {
    this.#peers.delete(connection);
    for (const call of calls) this.feed({ kind: 'aborted', call, withdrawn: false });
    this.feed({ kind: 'disconnected', connection, byPeer: false });
  }

  /** The server can not read it, as one that is older. */
  isUnreadable: (request: Extract<ServerEvent, { kind: 'request' }>['request']) => boolean = () =>
    false;

  request(event: Extract<ServerEvent, { kind: 'request' }>): void {
    const peer = this.#peers.get(event.connection);
    if (peer === undefined) return;
    this.#calls.set(event.call, peer);
    const { request } = event;
    this.asked.set(request.rpc, this.count(request.rpc) + 1);
    if (request.rpc === 'Store') this.#stores.set(event.call, request.body.update.digest);
    this.feed(event);
  }

  count(rpc: string): number {
    return this.asked.get(rpc) ?? 0;
  }

  feed(event: ServerEvent): void {
    const { now } = this.#time;
    const moment = { now: instant(now), wall: wallTime(now) };
    for (const effect of step(this.state, event, moment)) this.#carryOut(effect);
  }

  wake(): void {
    const at = nextDeadline(this.state);
    if (at !== null && at <= this.#time.now) this.feed({ kind: 'woken' });
  }

  #carryOut(effect: Effect): void {
    switch (effect.kind) {
      case 'load':
        return this.#load(effect);
      case 'commit':
        return this.#commit(effect);
      case 'reply':
        return this.#answer(
          effect.call,
          { ok: true, body: effect.reply.body, ...after(effect) },
          effect.content,
        );
      case 'fail': {
        const { call, code, detail } = effect;
        return this.#answer(call, { ok: false, code, detail, ...after(effect) }, null);
      }
      case 'break':
        this.#peers.get(effect.connection)?.broken(effect.message, effect.items, effect.number);
        return;
      case 'keep':
        this.#time.later('kept', () => this.feed({ kind: 'kept', call: effect.call }));
        return;
      case 'raise':
        this.feed({ kind: 'raised', call: effect.call, raised: true });
        return;
      case 'close':
        this.#peers.get(effect.connection)?.closedByServer();
        return;
      default:
        return;
    }
  }

  #answer(call: number, reply: RpcReply, content: ReplyContent | null): void {
    const digest = this.#stores.get(call);
    const stored = reply.ok && digest !== undefined ? (reply.body as ReplyOf<'Store'>) : null;
    if (digest !== undefined && stored?.result.ok === true) this.committed.add(digest);
    this.#calls.get(call)?.replied(call, reply, content);
    this.#calls.delete(call);
  }

  #load({ ticket, keys }: Extract<Effect, { kind: 'load' }>): void {
    this.#time.wait(
      this.meta.load(keys).then((rows) => {
        this.#time.later('rows', () => this.feed({ kind: 'rows', ticket, rows }));
      }),
    );
  }

  #commit({ group, writes }: Extract<Effect, { kind: 'commit' }>): void {
    this.#time.wait(
      this.meta.commit(writes).then(
        () => this.#time.later('committed', () => this.feed({ kind: 'committed', group })),
        (error: unknown) => {
          if (!(error instanceof GodwitError)) throw error;
          const { code } = error;
          this.#time.later('failed', () => this.feed({ kind: 'failed', group, code }));
        },
      ),
    );
  }
}

function after({ afterBreak }: Extract<Effect, { kind: 'reply' | 'fail' }>) {
  return afterBreak === undefined ? {} : { afterBreak };
}
