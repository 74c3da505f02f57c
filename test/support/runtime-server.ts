/**
 * The production runtime of the server in a small world: a network, a disk and (unless another is given) a MetaStore in
 * memory; and a bare client that speaks the wire with it.
 */
import { VirtualClock, VirtualTimers } from '../../app/lab/simulator/clock/virtual-clock.ts';
import { digestOf } from '../../app/lab/simulator/disk/content-digest.ts';
import { MemoryDisk } from '../../app/lab/simulator/disk/memory-disk.ts';
import { simulatedIdentity } from '../../app/lab/simulator/net/identity.ts';
import { MemoryTransport } from '../../app/lab/simulator/net/memory-transport.ts';
import { MemoryNetwork } from '../../app/lab/simulator/net/memory-network.ts';
import type { PathConditions } from '../../app/lab/simulator/net/pipe.ts';
import { MemoryLog } from '../../app/lab/simulator/process/memory-log.ts';
import { MemoryContentStore } from '../../app/lab/simulator/store/memory-content-store.ts';
import { MemoryDelta } from '../../app/lab/simulator/store/memory-delta.ts';
import { MemoryStreamFiles } from '../../app/lab/simulator/store/memory-stream-files.ts';
import { MemoryMetaStore } from '../../app/lab/simulator/store/memory-meta-store.ts';
import { World } from '../../app/lab/simulator/world.ts';
import type { StoreStream } from '../../server/core/update/jobs.ts';
import { ServerRuntime } from '../../server/runtime/server-runtime.ts';
import type { StreamPorts } from '../../server/runtime/streams.ts';
import { makeFid, type Fid, type VolumeId } from '../../shared/model/fid.ts';
import type { StoreUpdate, UpdateSeq } from '../../shared/model/update.ts';
import type { WallTime } from '../../shared/model/time.ts';
import type { DataVersion, Mtime } from '../../shared/model/vnode.ts';
import type {
  CallId,
  ConnectionId,
  TransportHandler,
  ReceivedContent,
} from '../../shared/ports/transport.ts';
import type { MetaStore } from '../../shared/ports/meta-store.ts';
import { present } from '../../shared/util/assert.ts';
import { decodeReply, encodeRequest, type Reply } from '../../shared/wire/codec.ts';
import { STRANGER_LIMITS } from '../../server/runtime/peers.ts';
import { MAX_HEADER_BYTES } from '../../shared/wire/limits.ts';
import type { RequestOf, RpcName } from '../../shared/wire/rpcs.ts';
import { RPCS } from '../../shared/wire/rpcs.ts';
import { create } from './core-updates.ts';

const PORT = 4433;
const HOME = 1 as VolumeId;
const NONE = 0 as UpdateSeq;

interface Invitation {
  readonly id: string;
  readonly secret: string;
}

export interface RuntimeServerOptions {
  readonly network?: Partial<PathConditions>;
  /** The ports for partial transfers; without them contents move whole. */
  readonly streams?: Omit<StreamPorts, 'delta' | 'files'>;
  /** Work goes in pieces, with turns of the event loop between them, as in production. */
  readonly inTurns?: boolean;
}

/** A server runtime in simulated time. */
export class RuntimeServer {
  readonly world = new World(1);
  readonly network: MemoryNetwork;
  readonly disk = new MemoryDisk();
  readonly log = new MemoryLog(this.world, 'server');
  readonly contents = new MemoryContentStore(this.disk, '/data');
  readonly delta = new MemoryDelta({ disk: this.disk });
  readonly faults: unknown[] = [];
  readonly #streams: RuntimeServerOptions['streams'] | null;
  readonly #inTurns: boolean;
  #running: { runtime: ServerRuntime; link: MemoryTransport | null; timers: VirtualTimers } | null =
    null;

  constructor({ network = {}, streams, inTurns = false }: RuntimeServerOptions = {}) {
    this.network = new MemoryNetwork(this.world.time, network);
    this.#streams = streams ?? null;
    this.#inTurns = inTurns;
  }

  /** Paths beneath the server's folder for streams, and in its spool. */
  get streamFiles(): string[] {
    return [...this.disk.list('/data/streams'), ...this.disk.list('/data/spool')];
  }

  async start(metaStore: MetaStore = new MemoryMetaStore()): Promise<ServerRuntime> {
    const timers = new VirtualTimers(this.world.time, 'server');
    const options = {
      host: 'server',
      disk: this.disk,
      identity: simulatedIdentity('server'),
      spool: '/data/spool',
      maxHeaderBytes: MAX_HEADER_BYTES,
      strangers: STRANGER_LIMITS,
      partialFrom: 1,
    };
    for (const path of this.disk.list(options.spool)) this.disk.remove(path);
    const files = new MemoryStreamFiles(this.disk, '/data/streams');
    const streams =
      this.#streams === null ? {} : { streams: { ...this.#streams, files, delta: this.delta } };
    const runtime = new ServerRuntime({
      createLink: (handler) => {
        const link = new MemoryTransport(this.network, { ...options, handler });
        if (this.#running !== null) this.#running.link = link;
        return link;
      },
      clock: new VirtualClock(this.world.time),
      timers,
      random: this.world.random.fork('server'),
      metaStore,
      contentStore: this.contents,
      ...streams,
      ...(this.#inTurns
        ? { goOn: (then: () => void) => void this.world.time.soon('a turn', then) }
        : {}),
      log: this.log,
      software: 'test',
      onFault: (error) => this.faults.push(error),
    });
    this.#running = { runtime, link: null, timers };
    await this.world.runFor(runtime.start(), 'the start');
    await this.world.runFor(runtime.listen({ host: '0.0.0.0', port: PORT }), 'listening');
    return runtime;
  }

  get runtime(): ServerRuntime | null {
    return this.#running?.runtime ?? null;
  }

  wall(): WallTime {
    return new VirtualClock(this.world.time).wall();
  }

  /** Closes the server in good order. */
  async close(): Promise<void> {
    const { runtime, timers } = present(this.#running, 'the server runs');
    await this.world.runFor(runtime.close(), 'the close');
    timers.stop();
    this.#running = null;
  }

  /** Ends the server like `kill -9`. */
  kill(): void {
    this.#running?.timers.stop();
    this.#running?.link?.kill();
    this.#running = null;
  }
}

/** The outcome of a call: the reply and its contents. */
export interface Answer<N extends RpcName> {
  readonly reply: Reply<N> | 'aborted';
  readonly content: Uint8Array | null;
}

/** A client that sends bytes on the wire. */
export class WireClient implements TransportHandler {
  readonly disk = new MemoryDisk();
  readonly closes: string[] = [];
  readonly #server: RuntimeServer;
  readonly #link: MemoryTransport;
  readonly #replies = new Map<CallId, { header: Uint8Array; contentLength: number } | 'aborted'>();
  readonly #contents = new Map<CallId, ReceivedContent>();
  #connection: ConnectionId = 0;
  #connected = false;
  #sent = 0;

  constructor(server: RuntimeServer, name: string) {
    this.#server = server;
    const options = { host: name, disk: this.disk, spool: '/spool', handler: this };
    this.#link = new MemoryTransport(server.network, {
      ...options,
      identity: simulatedIdentity(name),
      maxHeaderBytes: MAX_HEADER_BYTES,
    });
  }

  async connect(): Promise<void> {
    this.#connected = false;
    const pin = simulatedIdentity('server').fingerprint;
    this.#connection = this.#link.connect({ host: 'server', port: PORT, pin });
    await this.#server.world.runUntil(() => this.#connected, 'the connection');
  }

  async ask<N extends RpcName>(
    rpc: N,
    body: RequestOf<N>,
    content: Uint8Array | null = null,
  ): Promise<Answer<N>> {
    return this.wait(rpc, this.send(encodeRequest(rpc, body), content, rpc));
  }

  hello(previous: number | null, next: number, invitation: Invitation | null = null) {
    const token = (n: number): string => n.toString(16).padStart(32, '0');
    return this.ask('Hello', {
      protocol: { min: 1, max: 1 },
      software: 'test',
      deviceName: 'laptop',
      incarnation: { previous: previous === null ? null : token(previous), next: token(next) },
      epoch: null,
      lowWater: NONE,
      invitation,
    });
  }

  /** A new file in the root, called `f` and the number of the update. */
  async makeFile(seq: number): Promise<Fid> {
    const { reply } = await this.ask('AllocateVnodes', { volume: HOME, blocks: 1 });
    if (reply === 'aborted' || !reply.ok) throw new Error('no block');
    const [block] = reply.body.blocks;
    const fid = makeFid(HOME, block?.first ?? 0, block?.uniquifier ?? 0);
    const update = { seq: seq as UpdateSeq, after: [], update: create(fid, `f${seq}`) };
    await this.ask('Apply', { volume: HOME, lowWater: NONE, updates: [update] });
    return fid;
  }

  /** Sends a store with a stream, without waiting for anything. */
  sendStore(
    fid: Fid,
    seq: number,
    base: number,
    bytes: Uint8Array,
    { stream, rest }: { stream: StoreStream; rest: Uint8Array },
  ): CallId {
    const header = encodeRequest('Store', { ...storeBody(fid, seq, base, bytes), stream });
    return this.send(header, rest.length === 0 ? null : rest, 'Store');
  }

  abort(call: CallId): void {
    this.#link.abort(call, 1);
  }

  /** Stores contents. `change` makes the announcement differ from the contents. */
  store(
    fid: Fid,
    seq: number,
    base: number,
    bytes: Uint8Array,
    change: Partial<StoreUpdate> = {},
  ): Promise<Answer<'Store'>> {
    return this.ask('Store', storeBody(fid, seq, base, bytes, change), bytes);
  }

  send(header: Uint8Array, content: Uint8Array | null = null, rpc: RpcName = 'Fetch'): CallId {
    const path = `/out/${++this.#sent}`;
    if (content !== null) this.disk.write(path, content);
    const source = content === null ? null : { path, offset: 0, length: content.length };
    const { priorityClass } = RPCS[rpc];
    return this.#link.request(this.#connection, { priorityClass, header, content: source });
  }

  async wait<N extends RpcName>(rpc: N, call: CallId): Promise<Answer<N>> {
    const isDone = (): boolean => {
      const reply = this.#replies.get(call);
      if (reply === undefined) return false;
      return reply === 'aborted' || reply.contentLength === 0 || this.#contents.has(call);
    };
    await this.#server.world.runUntil(isDone, `the answer of ${rpc}`);
    const reply = this.#replies.get(call);
    if (reply === undefined || reply === 'aborted') return { reply: 'aborted', content: null };
    const content = this.#contents.get(call);
    const bytes = content === undefined ? null : this.disk.read(content.path);
    return { reply: decodeReply(rpc, reply.header), content: bytes };
  }

  connected(): void {
    this.#connected = true;
  }

  closed(_connection: ConnectionId, reason: string): void {
    this.closes.push(reason);
  }

  /** Acknowledges a break. */
  incoming(_connection: ConnectionId, call: CallId): void {
    const header = Uint8Array.from([0x92, 0x00, 0x80]); // [0, {}]
    this.#link.reply(call, { header, content: null });
  }

  reply(call: CallId, reply: { header: Uint8Array; contentLength: number }): void {
    this.#replies.set(call, reply);
  }

  content(call: CallId, content: ReceivedContent): void {
    this.#contents.set(call, content);
  }

  aborted(call: CallId): void {
    this.#replies.set(call, 'aborted');
  }

  partial(): void {}

  sent(): void {}

  progress(): void {}

  statistics(): void {}

  unread(): void {}
}

function storeBody(
  fid: Fid,
  seq: number,
  base: number,
  bytes: Uint8Array,
  change: Partial<StoreUpdate> = {},
): RequestOf<'Store'> {
  const update: StoreUpdate = {
    op: 'store',
    fid,
    base: base as DataVersion,
    size: bytes.length,
    digest: digestOf(bytes),
    mtime: '1' as Mtime,
    ...change,
  };
  return { volume: HOME, lowWater: NONE, seq: seq as UpdateSeq, after: [], update };
}
