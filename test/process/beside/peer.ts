/** A device on the Link that pairs and sends any requests, and obeys no rule of a daemon. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { makeFid, type Fid, type VolumeId } from '../../../shared/model/fid.ts';
import type { Invitation } from '../../../shared/model/invitation.ts';
import type { PriorityClass } from '../../../shared/model/priority-class.ts';
import type { CallId, ConnectionId, TransportHandler } from '../../../shared/ports/transport.ts';
import { generateIdentity } from '../../../shared/transport/identity.ts';
import { MsquicTransport } from '../../../shared/transport/msquic-transport.ts';
import { present } from '../../../shared/util/assert.ts';
import {
  decodeReply,
  decodeRequest,
  encodeReply,
  encodeRequest,
} from '../../../shared/wire/codec.ts';
import { MAX_HEADER_BYTES } from '../../../shared/wire/limits.ts';
import { RPCS, type ReplyOf, type RequestOf, type RpcName } from '../../../shared/wire/rpcs.ts';

type Answer = Uint8Array | null;

const LONG_MS = 1_000_000;
const INCARNATION = 'a'.repeat(32);

export class Peer {
  readonly #link: MsquicTransport;
  readonly #calls = new Map<CallId, (answer: Answer) => void>();
  #connection: ConnectionId = 0;
  #connected: () => void = () => undefined;
  #next = { number: 0, uniquifier: 0 };
  #seq = 0;
  /** An idle link keeps no process alive. */
  readonly #alive = setInterval(() => undefined, LONG_MS);
  volume = 1 as VolumeId;
  root = makeFid(1, 1, 1);

  private constructor(folder: string) {
    mkdirSync(join(folder, 'spool'), { recursive: true });
    this.#link = new MsquicTransport({
      identity: generateIdentity('peer'),
      spool: join(folder, 'spool'),
      maxHeaderBytes: MAX_HEADER_BYTES,
      handler: this.#handler(),
    });
  }

  /** Pairs a device and gets a block of vnode numbers for it. */
  static async pair(folder: string, invitation: Invitation): Promise<Peer> {
    const peer = new Peer(folder);
    await peer.#hello(invitation);
    return peer;
  }

  async ask<N extends RpcName>(rpc: N, body: RequestOf<N>): Promise<ReplyOf<N>> {
    const header = await this.send(encodeRequest(rpc, body), RPCS[rpc].priorityClass);
    const reply = decodeReply(rpc, present(header, `${rpc} has an answer`));
    if (!reply.ok) throw new Error(`${rpc}: ${reply.code} ${reply.detail}`);
    return reply.body;
  }

  /** Sends bytes unchanged. Resolves with the answer, or null without one. */
  send(header: Uint8Array, priorityClass: PriorityClass = 'VALIDATE'): Promise<Answer> {
    return new Promise((resolve) => {
      const call = this.#link.request(this.#connection, { priorityClass, header, content: null });
      this.#calls.set(call, resolve);
    });
  }

  /** A fid that nobody has used yet. */
  fid(): Fid {
    return makeFid(this.volume, this.#next.number++, this.#next.uniquifier);
  }

  /** Creates a file in a directory for each name. */
  async create(dir: Fid, names: readonly string[]): Promise<Fid[]> {
    const fids = names.map(() => this.fid());
    const updates = names.map((name, index) => ({
      seq: ++this.#seq,
      after: [],
      update: {
        ...{ op: 'create', fid: fids[index], dir, name },
        ...{ mode: 0o644, mtime: '1', xattrs: [], at: '1' },
      },
    }));
    const body = { volume: this.volume, lowWater: 0, updates };
    await this.ask('Apply', body as unknown as RequestOf<'Apply'>);
    return fids;
  }

  /** Makes a directory for this device. */
  async directory(name: string): Promise<Fid> {
    const fid = this.fid();
    const update = { op: 'mkdir', fid, dir: this.root, name, mode: 0o755, mtime: '1', xattrs: [] };
    const updates = [{ seq: ++this.#seq, after: [], update: { ...update, at: '1' } }];
    const body = { volume: this.volume, lowWater: 0, updates };
    await this.ask('Apply', body as unknown as RequestOf<'Apply'>);
    return fid;
  }

  async end(): Promise<void> {
    await this.#link.shutdown();
    clearInterval(this.#alive);
  }

  async #hello({ host, port, fingerprint, id, secret }: Invitation): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#connected = resolve;
      this.#connection = this.#link.connect({ host, port, pin: fingerprint });
    });
    const body = {
      protocol: { min: 1, max: 2 },
      ...{ software: 'beside', deviceName: 'beside' },
      incarnation: { previous: null, next: INCARNATION },
      ...{ epoch: null, lowWater: 0, invitation: { id, secret } },
    };
    const { volumes } = await this.ask('Hello', body as unknown as RequestOf<'Hello'>);
    const volume = present(volumes[0], 'a device sees a volume');
    this.volume = volume.id;
    this.root = volume.root;
    const { blocks } = await this.ask('AllocateVnodes', { volume: volume.id, blocks: 1 });
    const block = present(blocks[0], 'a block');
    this.#next = { number: block.first, uniquifier: block.uniquifier };
  }

  #handler(): TransportHandler {
    const answered = (call: CallId, answer: Answer): void => {
      this.#calls.get(call)?.(answer);
      this.#calls.delete(call);
    };
    return {
      connected: () => this.#connected(),
      closed: () => undefined,
      incoming: (_connection, call, { header }) => {
        const { rpc } = decodeRequest(header, 'server');
        const answer =
          rpc === 'ServerPull'
            ? encodeReply('ServerPull', { held: [] })
            : encodeReply('BreakCallback', {});
        this.#link.reply(call, { header: answer, content: null });
      },
      reply: (call, { header }) => answered(call, header),
      aborted: (call) => answered(call, null),
      content: () => undefined,
      partial: () => undefined,
      sent: () => undefined,
      progress: () => undefined,
      statistics: () => undefined,
      unread: () => undefined,
    };
  }
}
