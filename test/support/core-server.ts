/**
 * The core of a server for tests: on a MetaStore in memory, with time and the order of answers in the test's hand.
 *
 * Everything settles by itself unless it is held: `hold.loads`, `hold.commits`, `hold.breaks`. Then it waits for `release`.
 */
import { MemoryMetaStore } from '../../app/lab/simulator/store/memory-meta-store.ts';
import { makeFid, type Fid } from '../../shared/model/fid.ts';
import { instant, wallTime, type WallTime } from '../../shared/model/time.ts';
import type { MetadataUpdate, UpdateResult, UpdateSeq } from '../../shared/model/update.ts';
import type { DataVersion, Digest, Mtime } from '../../shared/model/vnode.ts';
import { GodwitError, type ErrorCode } from '../../shared/wire/error-codes.ts';
import type { AnyRequest, ReplyOf, RequestOf, RpcName } from '../../shared/wire/rpcs.ts';
import { present } from '../../shared/util/assert.ts';
import type { Effect, ServerEvent, ServerStart, HeldContent } from '../../server/core/events.ts';
import { devicesToWatch } from '../../server/core/session/watched-devices.ts';
import { nextDeadline, step } from '../../server/core/server.ts';
import { makeState, type ServerState } from '../../server/core/state.ts';
import { VOLUME } from './core-updates.ts';
import { HeldWork } from './held-work.ts';

/** The given numbers as update numbers. */
export const seqs = (...numbers: number[]): UpdateSeq[] => numbers as UpdateSeq[];
export const digestOf = (digit: string): Digest => digit.repeat(64) as Digest;

type Outcome =
  | {
      readonly body: unknown;
      readonly digest: string | null;
      readonly told: HeldContent | null;
    }
  | { readonly code: ErrorCode };

/** The core of a server whose loads, commits and breaks a test can hold back. */
export class CoreServer extends HeldWork<ServerEvent> {
  readonly meta: MemoryMetaStore;
  readonly state: ServerState;
  readonly closedConnections: number[] = [];
  /** Breaks that were sent and not acknowledged. */
  readonly breaks: Array<Extract<Effect, { kind: 'break' }>> = [];
  closed = false;
  /** Bytes of received parts that the core gave up. */
  readonly gaveWay: number[] = [];
  /** Files that the core had removed. */
  readonly discarded: string[] = [];
  /** Lengths of received parts by `fingerprint digest`. */
  readonly parts = new Map<string, number>();
  /** Decides the result of a delta. */
  rebuild: (effect: Extract<Effect, { kind: 'rebuild' }>) => ServerEvent = ({ call }) => ({
    kind: 'not-rebuilt',
    call,
    code: 'unknown-base',
  });
  /** Receives each effect before it is carried out, and each acknowledgement before it is delivered. */
  watch: (what: Effect | ServerEvent) => void = () => {};
  now = 1000;
  readonly #outcomes = new Map<number, Outcome>();
  #lastId = 0;
  #lastDevice = 0;

  private constructor(meta: MemoryMetaStore, state: ServerState) {
    super();
    this.meta = meta;
    this.state = state;
  }

  static async start(
    meta = new MemoryMetaStore(),
    about: Pick<ServerStart, 'mostPromises'> = {},
  ): Promise<CoreServer> {
    const first = { epoch: 'e'.repeat(32), volumeName: 'home', userName: 'owner' };
    const stored = await meta.open({ ...first, when: wallTime(0) });
    const start = { stored, boot: 'b'.repeat(32), software: 'test', ...about };
    return new CoreServer(meta, makeState(start, instant(1000)));
  }

  feed(event: ServerEvent): void {
    const moment = { now: instant(this.now), wall: wallTime(this.now) };
    for (const effect of step(this.state, event, moment)) this.#carryOut(effect);
  }

  async pass(milliseconds: number): Promise<void> {
    await this.settle();
    const end = this.now + milliseconds;
    for (let at = nextDeadline(this.state); at !== null && at <= end;) {
      this.now = Math.max(this.now, at);
      this.feed({ kind: 'woken' });
      await this.settle();
      at = nextDeadline(this.state);
    }
    this.now = end;
    this.feed({ kind: 'woken' });
    await this.settle();
  }

  /** Sets the quota of the volume in bytes, as an administrator does; null removes it. */
  async limit(bytes: number | null): Promise<void> {
    this.meta.limit(VOLUME, bytes);
    this.feed({ kind: 'volumes', ...(await this.meta.volumes()) });
  }

  id(): number {
    return ++this.#lastId;
  }

  outcome(call: number): Outcome | undefined {
    return this.#outcomes.get(call);
  }

  /** Rows that loads may not show yet. */
  get stagedRows(): number {
    return [...this.state.volumes].reduce((all, { rows }) => all + rows.size, this.state.rows.size);
  }

  /** Devices with a session, in the order of their connections. */
  sessions(): number[] {
    return [...this.state.connections.values()].flatMap(({ device }) => device?.id ?? []);
  }

  /** A paired device with an open session and a block of vnode numbers. */
  async join(rights: 'read' | 'write' = 'write', user = 'owner'): Promise<TestDevice> {
    const device = new TestDevice(this, String(++this.#lastDevice));
    const secret = '5'.repeat(32);
    const id = String(this.#lastDevice).padStart(32, '0');
    const expires = Number.MAX_SAFE_INTEGER as WallTime;
    this.meta.invite({ id, secret, user, rights, expires });
    await device.hello({ invitation: { id, secret } });
    if (rights === 'write') await device.allocate();
    return device;
  }

  #carryOut(effect: Effect): void {
    this.watch(effect);
    switch (effect.kind) {
      case 'admit':
      case 'limit':
        return;
      case 'load':
        this.run(
          this.meta.load(effect.keys).then(
            (rows) => ({ kind: 'rows', ticket: effect.ticket, rows }),
            () => ({ kind: 'no-rows', ticket: effect.ticket, code: 'internal' }),
          ),
          'loads',
        );
        return;
      case 'commit':
        this.run(
          this.meta.commit(effect.writes).then(
            () => ({ kind: 'committed', group: effect.group }),
            (error: unknown) => {
              const code = error instanceof GodwitError ? error.code : 'internal';
              if (code === 'internal') throw error;
              return { kind: 'failed', group: effect.group, code };
            },
          ),
          'commits',
        );
        return;
      case 'reply':
        this.#outcomes.set(effect.call, {
          body: effect.reply.body,
          digest: effect.content?.digest ?? null,
          told: effect.content?.held ?? null,
        });
        return;
      case 'fail':
        this.#outcomes.set(effect.call, { code: effect.code });
        return;
      case 'break':
        this.breaks.push(effect);
        this.run(Promise.resolve({ kind: 'acknowledged', message: effect.message }), 'breaks');
        return;
      case 'pull':
        this.run(Promise.resolve({ kind: 'pulled', pull: effect.pull, held: [] }), null);
        return;
      case 'keep':
        this.run(Promise.resolve({ kind: 'kept', call: effect.call }), null);
        return;
      case 'close':
        this.closedConnections.push(effect.connection);
        this.run(
          Promise.resolve({
            kind: 'disconnected',
            connection: effect.connection,
            byPeer: false,
          }),
          null,
        );
        return;
      case 'closed':
        this.closed = true;
        return;
      case 'rebuild':
        this.run(Promise.resolve(this.rebuild(effect)), null);
        return;
      case 'raise':
        this.run(Promise.resolve({ kind: 'raised', call: effect.call, raised: false }), null);
        return;
      case 'begun': {
        const { call, fingerprint, streams } = effect;
        const lengths = streams.map((digest) => this.parts.get(`${fingerprint} ${digest}`) ?? 0);
        this.run(Promise.resolve({ kind: 'begun', call, lengths }), null);
        return;
      }
      case 'ask-access': {
        const { user, call, rpc, question } = effect;
        const answered = this.meta.askAccess(question, { person: user }).then(async (answer) => {
          if (answer.answer === 'made') {
            this.feed({ kind: 'volumes', ...(await this.meta.volumes()) });
          }
          return { kind: 'access-answer', call, rpc, question, answer } as const;
        });
        this.run(answered, 'loads');
        return;
      }
      case 'discard':
        this.discarded.push(effect.path);
        return;
      case 'give-way':
        this.gaveWay.push(effect.bytes);
        return;
      case 'note':
        return;
    }
  }

  protected override deliver(event: ServerEvent): void {
    this.watch(event);
    if (event.kind === 'acknowledged') {
      const at = this.breaks.findIndex(({ message }) => message === event.message);
      if (at >= 0) this.breaks.splice(at, 1);
    }
    this.feed(event);
    if (event.kind === 'access-answer') this.lookAtRights();
  }

  /** As a server does after a change of rights; it is in force when all has settled. */
  lookAtRights(): void {
    const { accessDoubts: doubts } = this.state;
    const found = this.meta.accessOf(devicesToWatch(this.state));
    this.run(
      found.then((devices) => ({ kind: 'access', devices, doubts })),
      null,
    );
  }
}

/** A device that sends requests to the core. */
export class TestDevice {
  server: CoreServer;
  readonly fingerprint: string;
  connection = 0;
  id = 0;
  lowWater = 0;
  incarnation = 0;
  #lastSeq = 0;
  #block: { first: number; uniquifier: number } | null = null;

  constructor(server: CoreServer, name: string) {
    this.server = server;
    this.fingerprint = name.padStart(64, 'f');
  }

  connect(): void {
    this.connection = this.server.id();
    const { connection, fingerprint } = this;
    this.server.feed({ kind: 'connected', connection, fingerprint });
  }

  /** Ends the connection. `byPeer`: the device closes it in good order. */
  disconnect(byPeer = false): void {
    this.server.feed({ kind: 'disconnected', connection: this.connection, byPeer });
  }

  /** Connects and says Hello, without waiting for anything. */
  sendHello(change: Partial<RequestOf<'Hello'>> = {}): number {
    this.connect();
    const token = (n: number): string => n.toString(16).padStart(32, '0');
    const previous = this.incarnation === 0 ? null : token(this.incarnation);
    const next = token(++this.incarnation);
    return this.send('Hello', {
      protocol: { min: 1, max: 1 },
      software: 'test',
      deviceName: `device ${this.fingerprint.replace(/^f+/, '')}`,
      incarnation: { previous, next },
      epoch: null,
      lowWater: this.lowWater as UpdateSeq,
      invitation: null,
      ...change,
    });
  }

  /** Connects and says Hello. */
  async hello(change: Partial<RequestOf<'Hello'>> = {}): Promise<Outcome> {
    const call = this.sendHello(change);
    await this.server.settle();
    const outcome = present(this.server.outcome(call), 'the call is answered', { rpc: 'Hello' });
    if ('body' in outcome) this.id = (outcome.body as ReplyOf<'Hello'>).device;
    return outcome;
  }

  async allocate(): Promise<void> {
    const { blocks } = await this.ask('AllocateVnodes', { volume: VOLUME, blocks: 1 });
    this.#block = present(blocks[0], 'a block');
  }

  /** The nth fid of this device's block. */
  fid(n: number): Fid {
    const { first, uniquifier } = present(this.#block, 'a block');
    return makeFid(VOLUME, first + n, uniquifier);
  }

  seq(): UpdateSeq {
    return ++this.#lastSeq as UpdateSeq;
  }

  /** Sends a request and gives its call, without waiting for anything. */
  send<N extends RpcName>(
    rpc: N,
    body: RequestOf<N>,
    contentLength = 0,
    isBegun: boolean | null = null,
  ): number {
    const call = this.server.id();
    const request = { rpc, body } as AnyRequest;
    const { connection } = this;
    const begun = isBegun === null ? {} : { isBegun };
    this.server.feed({ kind: 'request', connection, call, request, contentLength, ...begun });
    return call;
  }

  async try<N extends RpcName>(rpc: N, body: RequestOf<N>): Promise<Outcome> {
    const call = this.send(rpc, body);
    await this.server.settle();
    return present(this.server.outcome(call), 'the call is answered', { rpc });
  }

  async ask<N extends RpcName>(rpc: N, body: RequestOf<N>): Promise<ReplyOf<N>> {
    return bodyOf<N>(await this.try(rpc, body));
  }

  sendUpdates(updates: readonly Item[]): number {
    const items = updates.map(({ seq, name, afterNames, after = [], update }) => ({
      seq: (seq ?? this.seq()) as UpdateSeq,
      ...(name === undefined ? {} : { name }),
      ...(afterNames === undefined ? {} : { afterNames: [...afterNames] }),
      after: [...after] as UpdateSeq[],
      update,
    }));
    const lowWater = this.lowWater as UpdateSeq;
    return this.send('Apply', { volume: VOLUME, lowWater, updates: items });
  }

  async apply(...updates: MetadataUpdate[]): Promise<UpdateResult[]> {
    const call = this.sendUpdates(updates.map((update) => ({ update })));
    await this.server.settle();
    return bodyOf<'Apply'>(this.server.outcome(call)).results;
  }

  async applyOne(update: MetadataUpdate): Promise<UpdateResult> {
    return present((await this.apply(update))[0], 'a result');
  }

  /** Sends the header of a store without its contents. Returns the call. */
  sendStore(fid: Fid, base: number, options: StoreOptions = {}): number {
    const digest = options.digest ?? digestOf('c');
    const length = options.length ?? 3;
    const mtime = '7' as Mtime;
    const update = { op: 'store', fid, base: base as DataVersion, size: length, digest, mtime };
    const seq = (options.seq ?? this.seq()) as UpdateSeq;
    const after = [...(options.after ?? [])] as UpdateSeq[];
    const lowWater = this.lowWater as UpdateSeq;
    const { name } = options;
    const named = name === undefined ? {} : { name };
    const { stream } = options;
    const told = stream === undefined ? {} : { stream };
    const body = { volume: VOLUME, lowWater, seq, ...named, after, update, ...told };
    const rest = stream === undefined ? length : Math.max(stream.length - stream.offset, 0);
    return this.send('Store', body as RequestOf<'Store'>, rest, options.isBegun);
  }

  sendContent(call: number, options: StoreOptions = {}): void {
    const digest = options.digest ?? digestOf('c');
    this.server.feed({
      kind: 'content',
      call,
      path: '/spool/1',
      length: options.length ?? 3,
      digest,
    });
  }

  async store(fid: Fid, base: number, options: StoreOptions = {}): Promise<UpdateResult> {
    const call = this.sendStore(fid, base, options);
    this.sendContent(call, options);
    await this.server.settle();
    return bodyOf<'Store'>(this.server.outcome(call)).result;
  }
}

interface Item {
  readonly seq?: number;
  readonly name?: string;
  readonly after?: readonly number[];
  readonly afterNames?: readonly string[];
  readonly update: MetadataUpdate;
}

interface StoreOptions {
  readonly seq?: number;
  readonly name?: string;
  readonly after?: readonly number[];
  readonly digest?: Digest;
  readonly length?: number;
  readonly stream?: NonNullable<RequestOf<'Store'>['stream']>;
  readonly isBegun?: boolean;
}

/** The body of a successful outcome; throws for any other. */
export function bodyOf<N extends RpcName>(outcome: Outcome | undefined): ReplyOf<N> {
  if (outcome === undefined) throw new Error('no answer yet');
  if ('code' in outcome) throw new Error(`refused: ${outcome.code}`);
  return outcome.body as ReplyOf<N>;
}
