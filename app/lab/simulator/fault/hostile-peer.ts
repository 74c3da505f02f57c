/**
 * A machine that speaks the protocol badly on purpose: alone on its network address, with a key of its own, paired or not.
 *
 * Each of its messages must be answered in good form, or aborted; and a peer that is not paired gets no information.
 */
import type { DeviceId } from '../../../../shared/model/change.ts';
import type { VolumeId } from '../../../../shared/model/fid.ts';
import type {
  CallId,
  ConnectionId,
  Fingerprint,
  TransportHandler,
} from '../../../../shared/ports/transport.ts';
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import { decodeReply, encodeFailure, encodeReply } from '../../../../shared/wire/codec.ts';
import { MAX_HEADER_BYTES } from '../../../../shared/wire/limits.ts';
import type { ReplyOf, RpcName } from '../../../../shared/wire/rpcs.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { SERVER_HOST, SERVER_PORT } from '../cluster/server-node.ts';
import type { Invitation } from '../cluster/server-node.ts';
import { MemoryDisk } from '../disk/memory-disk.ts';
import { simulatedIdentity } from '../net/identity.ts';
import { MemoryTransport } from '../net/memory-transport.ts';
import { HostileKnowledge } from './hostile-knowledge.ts';
import { drawHello, drawHostileRequest } from './hostile-requests.ts';
import type { HostileRequest } from './hostile-requests.ts';

const LONGEST_PAUSE_MS = 400;
const SPOOL = '/spool';

export interface HostileOptions {
  readonly host: string;
  readonly volume: VolumeId;
  /** Null: it was never invited. */
  readonly invitation: Invitation | null;
  readonly random: SeededRandom;
}

/** Connects to the server and sends it bad requests at random intervals, until it is ended. */
export class HostilePeer {
  readonly #cluster: Cluster;
  readonly #options: HostileOptions;
  readonly #random: SeededRandom;
  readonly #disk = new MemoryDisk();
  readonly #known: HostileKnowledge;
  readonly #link: MemoryTransport;
  readonly #calls = new Map<CallId, RpcName | null>();
  #connection: ConnectionId | null = null;
  /** Null: it was not let in yet. */
  device: DeviceId | null = null;
  #greeted = false;
  #over = false;
  #files = 0;

  constructor(cluster: Cluster, options: HostileOptions) {
    this.#cluster = cluster;
    this.#options = options;
    this.#random = options.random;
    this.#known = new HostileKnowledge(options.volume);
    this.#link = new MemoryTransport(cluster.network, {
      host: options.host,
      disk: this.#disk,
      identity: simulatedIdentity(options.host),
      spool: SPOOL,
      maxHeaderBytes: MAX_HEADER_BYTES,
      handler: this.#handler(),
    });
  }

  get fingerprint(): Fingerprint {
    return simulatedIdentity(this.#options.host).fingerprint;
  }

  begin(): void {
    this.#connect();
    this.#later();
  }

  /** Leaves, and is silent from then on. */
  end(): void {
    this.#over = true;
    if (this.#connection !== null) this.#link.close(this.#connection);
  }

  #connect(): void {
    const { fingerprint } = this.#cluster.server.identity;
    this.#greeted = false;
    this.#connection = this.#link.connect({
      host: SERVER_HOST,
      port: SERVER_PORT,
      pin: fingerprint,
    });
  }

  #later(): void {
    const pause = this.#random.below(LONGEST_PAUSE_MS);
    this.#cluster.world.time.in(pause, `${this.#options.host} goes on`, () => {
      if (this.#over) return;
      this.#step();
      this.#later();
    });
  }

  #step(): void {
    const random = this.#random;
    const connection = this.#connection;
    if (connection === null) return this.#connect();
    const [open] = this.#calls.keys();
    if (open !== undefined && random.chance(0.05)) return this.#link.abort(open, 0);
    if (random.chance(0.02)) return this.#link.close(connection);
    // Some things it says before it has said who it is, and some several times.
    if (!this.#greeted && random.chance(0.7)) {
      this.#greeted = random.chance(0.9);
      return this.#send(connection, drawHello(random, this.#options.invitation));
    }
    const several = random.pick([1, 1, 1, 3]);
    for (let i = 0; i < several; i++) {
      this.#send(connection, drawHostileRequest(random, this.#known));
    }
  }

  #send(connection: ConnectionId, { rpc, header, content }: HostileRequest): void {
    const priorityClass = 'STORE_ATTR';
    const call = this.#link.request(connection, {
      priorityClass,
      header,
      content: content === null ? null : this.#file(content),
    });
    this.#calls.set(call, rpc);
  }

  #file(content: Uint8Array): { path: string; offset: number; length: number } {
    this.#files += 1;
    const path = `/lies/${this.#files}`;
    this.#disk.write(path, content);
    return { path, offset: 0, length: content.length };
  }

  #handler(): TransportHandler {
    return {
      connected: () => undefined,
      closed: (connection) => {
        if (connection === this.#connection) this.#connection = null;
      },
      incoming: (_, call) => this.#broken(call),
      reply: (call, { header }) => this.hear(call, header),
      content: (_, { path }) => this.#disk.remove(path, { missing: 'fine' }),
      partial: (_, { path }) => this.#disk.remove(path, { missing: 'fine' }),
      sent: () => undefined,
      aborted: (call) => void this.#calls.delete(call),
      progress: () => undefined,
      statistics: () => undefined,
      unread: () => undefined,
    };
  }

  /** A promise of its own was broken: it acknowledges that, sends something else, or nothing. */
  #broken(call: CallId): void {
    const how = this.#random.pick(['yes', 'yes', 'no', 'never', 'away', 'nonsense']);
    const reply = (header: Uint8Array): void => this.#link.reply(call, { header, content: null });
    if (how === 'yes') reply(encodeReply('BreakCallback', {}));
    if (how === 'no') reply(encodeFailure('internal', 'no'));
    if (how === 'nonsense') reply(this.#random.bytes(20));
    if (how === 'away') this.#link.abort(call, 0);
  }

  /** The server answers. */
  hear(call: CallId, header: Uint8Array): void {
    const rpc = this.#calls.get(call) ?? null;
    this.#calls.delete(call);
    const { host, invitation } = this.#options;
    try {
      const reply = decodeReply(rpc ?? 'Hello', header);
      if (!reply.ok) return;
      if (invitation === null) throw new Error(`a stranger is told of ${rpc ?? 'nonsense'}`);
      if (rpc === 'Hello') this.device = (reply.body as ReplyOf<'Hello'>).device;
      if (rpc !== null) this.#known.learn(rpc, reply.body);
    } catch (error) {
      // The damage may have turned the request into another valid one, which is answered.
      if (rpc === null && invitation !== null) return;
      this.#cluster.world.fault(new Error(`${host} hears: ${String(error)}`));
    }
  }
}
