/** The transfers of a daemon on a disk in memory, and a server whose answers a test decides. */
import type { SentContent } from '../../daemon/core/effects.ts';
import { digestOf } from '../../app/lab/simulator/disk/content-digest.ts';
import { MemoryDisk } from '../../app/lab/simulator/disk/memory-disk.ts';
import { MemoryChunkLists } from '../../app/lab/simulator/store/memory-chunk-lists.ts';
import { MemoryDelta } from '../../app/lab/simulator/store/memory-delta.ts';
import { MemoryFileStore } from '../../app/lab/simulator/store/memory-file-store.ts';
import { MemoryTransferFiles } from '../../app/lab/simulator/store/memory-transfer-files.ts';
import type { Answer, Conversation, Ending } from '../../daemon/runtime/transfers/conversation.ts';
import { Transfers } from '../../daemon/runtime/transfers/transfers.ts';
import type { AnyRpc, HeldContent } from '../../daemon/core/effects.ts';
import { makeFid } from '../../shared/model/fid.ts';
import { instant, wallTime } from '../../shared/model/time.ts';
import { updateSeq } from '../../shared/model/update.ts';
import {
  commitNumber,
  dataVersion,
  type Digest,
  type VnodeStatus,
} from '../../shared/model/vnode.ts';
import type { ContentSource } from '../../shared/ports/transport.ts';
import type { Log } from '../../shared/ports/log.ts';
import type { ErrorCode } from '../../shared/wire/error-codes.ts';
import type { ReplyOf, RequestOf } from '../../shared/wire/rpcs.ts';

/** The file of the transfers. */
export const FID = makeFid(1, 5, 1);
const VOLUME = 1 as RequestOf<'Store'>['volume'];
const DAY = 24 * 3600 * 1000;

export interface ReceivedRequest {
  readonly message: AnyRpc;
  /** The contents of the request. */
  readonly bytes: Uint8Array | null;
}

type Server = (asked: ReceivedRequest) => Answer | Promise<Answer>;

/** Bytes in which the division into chunks finds boundaries. */
export function contentsOf(length: number, seed = 1): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let at = 0, x = seed; at < length; at++) {
    x = (Math.imul(x, 1_103_515_245) + 12_345) >>> 0;
    bytes[at] = x >>> 24;
  }
  return bytes;
}

/** The same with some bytes in the middle changed. */
export function edited(bytes: Uint8Array): Uint8Array {
  const copy = bytes.slice();
  copy.fill(7, bytes.length / 2, bytes.length / 2 + 20);
  return copy;
}

/** The transfers of a daemon with a scripted server. */
export class TransferBench {
  readonly disk = new MemoryDisk();
  readonly asked: ReceivedRequest[] = [];
  readonly logged: string[] = [];
  readonly chunkLists = new MemoryChunkLists({ mostBytes: 1_000_000 });
  delta = new MemoryDelta({ disk: this.disk });
  days = 100;
  files = new MemoryTransferFiles({ disk: this.disk, folder: '/transfers' });
  transfers = this.#start();
  #received = 0;

  /** Restarts the daemon. */
  restart(): void {
    this.transfers = this.#start();
  }

  /** Puts a file into the file store. */
  put(name: string, bytes: Uint8Array): void {
    this.disk.write(`/store/contents/${name}`, bytes);
  }

  store(
    bytes: Uint8Array,
    server: Server,
    {
      base = null,
      from = null,
      again = false,
    }: { base?: Uint8Array | null; from?: SentContent['from']; again?: boolean } = {},
  ): Promise<Ending> {
    this.put('c9', bytes);
    const digest = digestOf(bytes);
    const mtime = {
      seconds: 0,
      nanoseconds: 0,
    } as unknown as RequestOf<'Store'>['update']['mtime'];
    const update = {
      op: 'store',
      fid: FID,
      base: dataVersion(1),
      size: bytes.length,
      digest,
      mtime,
    } as const;
    const seq = updateSeq(1);
    const body = { volume: VOLUME, lowWater: seq, seq, after: [], update };
    const content = {
      name: 'c9',
      length: bytes.length,
      base: base && digestOf(base),
      from,
      again,
    };
    return this.#carryOut({ rpc: 'Store', body }, { content }, server);
  }

  fetch(size: number | null, held: HeldContent | null, server: Server): Promise<Ending> {
    const body = { fid: FID, version: dataVersion(2) };
    return this.#carryOut({ rpc: 'Fetch', body }, { wanted: { fid: FID, size, held } }, server);
  }

  /** Puts contents into the store as the base of a fetch. */
  held(name: string, bytes: Uint8Array): HeldContent {
    this.put(name, bytes);
    return { name, version: dataVersion(1), digest: digestOf(bytes), size: bytes.length };
  }

  /** Makes a file in the spool. */
  spool(bytes: Uint8Array): string {
    this.#received += 1;
    const path = `/spool/incoming-${this.#received}`;
    this.disk.write(path, bytes);
    return path;
  }

  /** An answer to a Fetch: of these contents come these bytes, as `stream` says. */
  fetched(
    contents: Uint8Array,
    bytes: Uint8Array,
    stream?: ReplyOf<'Fetch'>['stream'],
  ): Extract<Answer, { kind: 'reply' }> {
    const content =
      bytes.length === 0
        ? null
        : { path: this.spool(bytes), length: bytes.length, digest: digestOf(bytes) };
    return { kind: 'reply', reply: fetchReply(contents, stream), content };
  }

  /** The ending of a call that was cut off after these bytes. */
  broken(
    contents: Uint8Array,
    came: Uint8Array,
    contentLength: number,
    stream?: ReplyOf<'Fetch'>['stream'],
  ): Answer {
    const begun = { reply: fetchReply(contents, stream), contentLength };
    const partial = came.length === 0 ? null : { path: this.spool(came), length: came.length };
    return { kind: 'aborted', reason: 'closed', begun, partial };
  }

  /** The delta of some contents, and its digest. */
  async deltaOf(
    base: Uint8Array,
    contents: Uint8Array,
  ): Promise<{ bytes: Uint8Array; digest: Digest }> {
    this.disk.write('/x/base', base);
    this.disk.write('/x/contents', contents);
    const piece = (path: string, { length }: Uint8Array) => ({ path, offset: 0, length });
    const list = await this.delta.list(piece('/x/base', base), null);
    await this.delta.make(list, piece('/x/contents', contents), '/x/delta');
    const bytes = this.disk.read('/x/delta');
    for (const path of this.disk.list('/x')) this.disk.remove(path);
    return { bytes, digest: digestOf(bytes) };
  }

  /** The files of transfers without parts. */
  get left(): string[] {
    return [...this.disk.list('/transfers/made'), ...this.disk.list('/spool')];
  }

  get parts(): string[] {
    return this.disk.list('/transfers/parts');
  }

  #carryOut(
    message: AnyRpc,
    about: Pick<Parameters<Transfers['begin']>[0], 'wanted'> & {
      content?: Parameters<Transfers['begin']>[0]['content'];
    },
    server: Server,
  ): Promise<Ending> {
    const { content = null, wanted } = about;
    const effect = {
      kind: 'request',
      request: 1,
      message,
      priorityClass: 'FETCH',
      content,
    } as const;
    const carryOut = this.transfers.begin(wanted === undefined ? effect : { ...effect, wanted });
    const conversation: Conversation = {
      isOver: false,
      ask: async (asked, source) => {
        const told = { message: asked, bytes: this.#bytesOf(source) };
        this.asked.push(told);
        return server(told);
      },
    };
    if (carryOut === null) throw new Error('it is sent as it is');
    return carryOut(conversation);
  }

  #bytesOf(source: ContentSource | null): Uint8Array | null {
    if (source === null) return null;
    return this.disk.read(source.path).slice(source.offset, source.offset + source.length);
  }

  #start(): Transfers {
    const { disk } = this;
    this.files = new MemoryTransferFiles({ disk, folder: '/transfers' });
    return new Transfers({
      delta: this.delta,
      chunkLists: this.chunkLists,
      files: this.files,
      limits: { minDelta: 200, minResume: 400 },
      fileStore: new MemoryFileStore({ disk, folder: '/store' }),
      localCopies: () => null,
      clock: { now: () => instant(0), wall: () => wallTime(this.days * DAY) },
      log: this.#log(),
    });
  }

  #log(): Log {
    const line = (message: string): void => void this.logged.push(message);
    const log: Log = { error: line, warn: line, info: line, debug: line, with: () => log };
    return log;
  }
}

/** The answer to a store that was committed. */
export const stored: Answer = {
  kind: 'reply',
  reply: { ok: true, body: { result: {} } },
  content: null,
};

/** The answer of a refused call. */
export function refused(code: ErrorCode): Answer {
  return { kind: 'reply', reply: { ok: false, code, detail: '' }, content: null };
}

/** The answer with the received lengths of streams. */
export function begunSoFar(...lengths: number[]): Answer {
  return { kind: 'reply', reply: { ok: true, body: { lengths } }, content: null };
}

function fetchReply(contents: Uint8Array, stream?: ReplyOf<'Fetch'>['stream']) {
  const status: VnodeStatus = {
    fid: FID,
    kind: 'file',
    mode: 0o644,
    mtime: { seconds: 0, nanoseconds: 0 } as unknown as VnodeStatus['mtime'],
    size: contents.length,
    version: dataVersion(2),
    commit: commitNumber(2),
    digest: digestOf(contents),
    target: null,
    links: 1,
    xattrs: [],
  };
  const body = { status, behind: false, grant: null, ...(stream === undefined ? {} : { stream }) };
  return { ok: true, body } as const;
}
