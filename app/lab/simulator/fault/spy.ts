/**
 * Somebody with a volume of their own and no right to a shared one, who was told all about it: its number, and fid, version, digest and size of a file.
 * They ask for all of it, and name the contents by that as what a file of their own is made of (rules A5, M3). Whatever tells them something is heard.
 */
import { makeFid, rootOf, type Fid, type VolumeId } from '../../../../shared/model/fid.ts';
import { mtimeFromMs, type Digest, type VnodeStatus } from '../../../../shared/model/vnode.ts';
import type { CallId, ConnectionId } from '../../../../shared/ports/transport.ts';
import { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import {
  decodeReply,
  encodeReply,
  encodeRequest,
  type Reply,
} from '../../../../shared/wire/codec.ts';
import { MAX_HEADER_BYTES } from '../../../../shared/wire/limits.ts';
import { PROTOCOL, RPCS, type RequestOf, type RpcName } from '../../../../shared/wire/rpcs.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { SERVER_HOST, SERVER_PORT } from '../cluster/server-node.ts';
import { digestOf } from '../disk/content-digest.ts';
import { MemoryDisk } from '../disk/memory-disk.ts';
import { simulatedIdentity } from '../net/identity.ts';
import { MemoryTransport } from '../net/memory-transport.ts';
import { chunkList, encodeDelta } from '../store/delta-format.ts';
import type { EndFault } from './fault.ts';

const SPOOL = '/spool';
const DELTA = '/delta';
const AT = mtimeFromMs(0);
const FIRST_SEQ = 1;
const TOKEN_DIGITS = 16;
const PAGE = 3;

/** All that is known of a file that is not theirs. */
interface Secret {
  readonly status: VnodeStatus & { readonly digest: Digest };
  readonly bytes: Uint8Array;
}

interface Aim {
  readonly own: VolumeId;
  readonly volume: VolumeId;
  readonly secret: Secret | null;
}

type Asked = <N extends RpcName>(
  rpc: N,
  body: RequestOf<N>,
  content?: Uint8Array,
) => Promise<Reply<N> | null>;

/** Begins it in a volume that somebody has made; null: there is none, or the server is down. */
export function spyOut(
  own: VolumeId,
  { which, seed }: { readonly which: number; readonly seed: number },
  cluster: Cluster,
): EndFault | null {
  const { server, world } = cluster;
  if (!server.running) return null;
  const made = server.metaStore.orders().made.map(({ volume }) => volume);
  const volume = made[which % Math.max(made.length, 1)];
  if (volume === undefined) return null;
  const spy = new Spy(cluster, `spy-${seed}`);
  // Not waited for: the database answers when time passes.
  spyOn(spy, cluster, { own, volume, seed }).then(
    (how) => world.note(`spy-${seed}: ${how}`),
    (error: unknown) => world.fault(error),
  );
  return () => spy.end();
}

async function spyOn(
  spy: Spy,
  cluster: Cluster,
  { own, volume, seed }: Omit<Aim, 'secret'> & { readonly seed: number },
): Promise<string> {
  const secret = await secretOf(cluster, volume);
  return spy.work({ own, volume, secret }, new SeededRandom(`spy ${seed}`));
}

/** The newest file of that volume whose contents are there. */
async function secretOf({ server }: Cluster, volume: VolumeId): Promise<Secret | null> {
  const vnodes = (await server.history(volume)).flatMap((change) => change.vnodes);
  for (const status of vnodes.toReversed()) {
    const { digest } = status;
    const bytes = digest === null ? null : server.contentBytes(digest);
    if (digest !== null && bytes !== null) return { status: { ...status, digest }, bytes };
  }
  return null;
}

class Spy {
  readonly #cluster: Cluster;
  readonly #name: string;
  readonly #disk = new MemoryDisk();
  readonly #link: MemoryTransport;
  readonly #calls = new Map<CallId, (header: Uint8Array | null) => void>();
  #connection: ConnectionId | null = null;

  constructor(cluster: Cluster, name: string) {
    this.#cluster = cluster;
    this.#name = name;
    const gone = (call: CallId): void => this.#answered(call, null);
    this.#link = new MemoryTransport(cluster.network, {
      host: name,
      disk: this.#disk,
      identity: simulatedIdentity(name),
      spool: SPOOL,
      maxHeaderBytes: MAX_HEADER_BYTES,
      handler: {
        connected: () => undefined,
        closed: () => {
          for (const call of [...this.#calls.keys()]) gone(call);
        },
        incoming: (_, call) =>
          this.#link.reply(call, { header: encodeReply('BreakCallback', {}), content: null }),
        reply: (call, { header }) => this.#answered(call, header),
        content: (_, { path }) => this.#disk.remove(path, { missing: 'fine' }),
        partial: (_, { path }) => this.#disk.remove(path, { missing: 'fine' }),
        sent: () => undefined,
        aborted: gone,
        progress: () => undefined,
        statistics: () => undefined,
        unread: () => undefined,
      },
    });
  }

  end(): void {
    if (this.#connection !== null) this.#link.close(this.#connection);
  }

  /** Resolves with how far it got. */
  async work(aim: Aim, random: SeededRandom): Promise<string> {
    const { server } = this.#cluster;
    const { fingerprint: pin } = server.identity;
    const invitation = server.invite(this.#name, aim.own, 'write');
    this.#connection = this.#link.connect({ host: SERVER_HOST, port: SERVER_PORT, pin });
    const ask: Asked = (rpc, body, content) => this.#ask(aim, rpc, body, content ?? null);
    const hello = await ask('Hello', {
      protocol: PROTOCOL,
      software: 'spy',
      deviceName: this.#name,
      incarnation: { previous: null, next: random.hex(TOKEN_DIGITS) },
      epoch: null,
      lowWater: 0 as never,
      invitation,
    });
    if (hello?.ok !== true) return 'not let in';
    await asksForAll(ask, aim, random);
    if (aim.secret === null) return 'there is no file';
    return takesContents(ask, aim, aim.secret);
  }

  async #ask<N extends RpcName>(
    aim: Aim,
    rpc: N,
    body: RequestOf<N>,
    content: Uint8Array | null,
  ): Promise<Reply<N> | null> {
    if (this.#connection === null) return null;
    if (content !== null) this.#disk.write(DELTA, content);
    const call = this.#link.request(this.#connection, {
      priorityClass: RPCS[rpc].priorityClass,
      header: encodeRequest(rpc, body),
      content: content === null ? null : { path: DELTA, offset: 0, length: content.length },
    });
    const header = await new Promise<Uint8Array | null>((resolve) =>
      this.#calls.set(call, resolve),
    );
    if (header === null) return null;
    const reply = decodeReply(rpc, header);
    if (reply.ok && tells(aim, { rpc, body }, reply.body)) {
      this.#cluster.hear({ kind: 'spied', who: this.#name, volume: aim.volume, by: rpc });
    }
    return reply;
  }

  #answered(call: CallId, header: Uint8Array | null): void {
    const answer = this.#calls.get(call);
    this.#calls.delete(call);
    answer?.(header);
  }
}

/** What is answered at all only to who may see the volume, or to who may do that there. */
const OF_MEMBERS: ReadonlySet<RpcName> = new Set<RpcName>([
  ...(['AccessList', 'SetAccess', 'LeaveVolume', 'MakeVolume'] as const),
  ...(['Fetch', 'FetchDir', 'Changes', 'Snapshot', 'NamedSnapshots'] as const),
]);

function tells(
  { volume, secret }: Aim,
  { rpc, body: request }: { readonly rpc: RpcName; readonly body: object },
  body: unknown,
): boolean {
  if (OF_MEMBERS.has(rpc)) return true;
  const text = JSON.stringify(body);
  const isTaken =
    rpc === 'Store' || (rpc === 'Apply' && JSON.stringify(request).includes('mounts'));
  if (isTaken) return text.includes('"ok":true');
  return text.includes(`:${volume},`) || (secret !== null && text.includes(secret.status.digest));
}

async function asksForAll(
  ask: Asked,
  { volume, secret }: Aim,
  random: SeededRandom,
): Promise<void> {
  const fid: Fid = secret?.status.fid ?? rootOf(volume);
  const row = { kind: 'person', name: 'owner', negative: false, rights: 0 } as const;
  const page = { at: null, after: null, limit: PAGE };
  await ask('Shares', {});
  await ask('AccessList', { volume });
  await ask('SetAccess', { volume, ...row });
  await ask('LeaveVolume', { volume });
  await ask('MakeVolume', { volume, label: 'x', nonce: random.hex(TOKEN_DIGITS) });
  await ask('FetchDir', { fid: rootOf(volume), ...page });
  await ask('Snapshot', { volume, ...page });
  await ask('Fetch', { fid, version: null });
  await ask('FetchStatus', { fids: [rootOf(volume), fid] });
  await ask('NamedSnapshots', { volume });
  const feed = { since: 0 as never, limit: PAGE, wait: false, promise: true };
  await ask('Changes', { volume, ...feed });
}

/** Makes a file of the own volume out of the contents that are only known by their digest, and a mount point that shows the volume. */
async function takesContents(
  ask: Asked,
  { own, volume }: Aim,
  { status, bytes }: Secret,
): Promise<string> {
  const given = await ask('AllocateVnodes', { volume: own, blocks: 1 });
  const [block] = given?.ok === true ? given.body.blocks : [];
  if (block === undefined) return 'no numbers';
  const { first, uniquifier } = block;
  const fid = makeFid(own, first, uniquifier);
  const about = { volume: own, lowWater: 0 as never };
  const place = { dir: rootOf(own), mtime: AT, at: AT, xattrs: [] };
  const made = { op: 'create', fid, name: `spy ${fid}`, mode: 0o644, ...place } as const;
  const shows = makeFid(own, first + 1, uniquifier);
  const mount = { op: 'mkdir', fid: shows, name: `spy ${shows}`, mode: 0o755, ...place } as const;
  const seq = (plus: number) => (FIRST_SEQ + plus) as never;
  await ask('Apply', { ...about, updates: [{ seq: seq(0), after: [], update: made }] });
  await ask('Apply', {
    ...about,
    updates: [{ seq: seq(1), after: [], update: { ...mount, mounts: volume } }],
  });
  const list = chunkList(bytes, null);
  const delta = encodeDelta(list, list, bytes);
  const { digest, size, version } = status;
  const length = delta.length;
  const stream = { digest: digestOf(delta), length, offset: 0, delta: true as const };
  const body = {
    ...about,
    seq: seq(2),
    after: [],
    update: { op: 'store', fid, base: 0, size, digest, mtime: AT },
    stream: { ...stream, from: { fid: status.fid, version } },
  };
  const stored = await ask('Store', body as never, delta);
  return stored?.ok === false ? stored.code : 'answered';
}
