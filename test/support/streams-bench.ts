/** A server with streams in a small world, and one device that sends and fetches in part: for tests of the runtime. */
import { expect } from '@jest/globals';
import { digestOf } from '../../app/lab/simulator/disk/content-digest.ts';
import { simulatedIdentity } from '../../app/lab/simulator/net/identity.ts';
import { MemoryDelta } from '../../app/lab/simulator/store/memory-delta.ts';
import { MemoryMetaStore } from '../../app/lab/simulator/store/memory-meta-store.ts';
import type { Fid, VolumeId } from '../../shared/model/fid.ts';
import { seconds, type WallTime } from '../../shared/model/time.ts';
import { partName } from '../../shared/model/upload-part.ts';
import { SeededRandom } from '../../shared/util/seeded-random.ts';
import type { RequestOf } from '../../shared/wire/rpcs.ts';
import type { StoreStream } from '../../server/core/update/jobs.ts';
import { RuntimeServer, WireClient, type Answer } from './runtime-server.ts';

const random = new SeededRandom(7);
/** Random bytes of a length. */
export const bytesOf = (length: number): Uint8Array =>
  Uint8Array.from({ length }, () => random.below(256));

/** The old contents. */
export const OLD = bytesOf(20_000);
/** The old contents with other bytes in the middle. */
export const NEW = Uint8Array.from([
  ...OLD.subarray(0, 9_000),
  ...bytesOf(500),
  ...OLD.subarray(9_000),
]);
/** Contents below this length in bytes come whole. */
export const TOLD = 1_000;
export const STORED = { reply: { body: { result: { ok: true } } } };

const HOME = 1 as VolumeId;
const BOUNDS = { count: 9, bytes: 1e9, deviceCount: 2, deviceBytes: 1e9 };
/** A rate at which the contents above take about 0.4 s. */
const NETWORK = { bytesPerSecond: 50_000 };

interface How {
  readonly told?: Uint8Array;
  readonly offset?: number;
  readonly rest?: Uint8Array;
  readonly base?: number;
  readonly delta?: boolean;
}

/** A server with partial transfers and one device. */
export class StreamsBench {
  readonly meta = new MemoryMetaStore();
  readonly server: RuntimeServer;
  client: WireClient;
  file: Fid = '1.1.1' as Fid;

  private constructor(hasStreams: boolean) {
    const streams = hasStreams ? { streams: { toldFrom: TOLD, bounds: BOUNDS } } : {};
    this.server = new RuntimeServer({ network: NETWORK, ...streams });
    this.client = new WireClient(this.server, 'laptop');
  }

  static async start(hasStreams = true): Promise<StreamsBench> {
    const bench = new StreamsBench(hasStreams);
    await bench.server.start(bench.meta);
    await bench.#pair(bench.client, 1);
    bench.file = await bench.client.makeFile(1);
    return bench;
  }

  async joined(name: string, number: number): Promise<WireClient> {
    const made = new WireClient(this.server, name);
    await this.#pair(made, number);
    return made;
  }

  /** Reconnects the device. */
  async back(): Promise<void> {
    await this.client.connect();
    await this.client.hello(1, 2);
  }

  /** The process is killed, and another one starts. `meanwhile`: what happens to its disk. */
  async restart(meanwhile: () => void = () => {}): Promise<void> {
    this.server.kill();
    meanwhile();
    await this.server.start(this.meta);
    await this.back();
  }

  /** Begins a store of `contents` by the stream `told`, from `offset` on. */
  begin(seq: number, contents: Uint8Array, how: How = {}): number {
    const { told = contents, offset = 0, base = 0, delta = false } = how;
    const { rest = told.subarray(offset) } = how;
    const stream = streamOf(told, offset, delta);
    return this.client.sendStore(this.file, seq, base, contents, { stream, rest });
  }

  store(seq: number, contents: Uint8Array, how: How = {}): Promise<Answer<'Store'>> {
    return this.client.wait('Store', this.begin(seq, contents, how));
  }

  /** Begins a store and cuts it off after a part. */
  async cut(seq: number, contents: Uint8Array, how: How = {}, after = 0.2): Promise<void> {
    const call = this.begin(seq, contents, how);
    await this.server.world.pass(seconds(after));
    this.client.abort(call);
    await this.server.world.pass(seconds(0.1));
  }

  async begun(...streams: Uint8Array[]): Promise<number[]> {
    const { reply } = await this.client.ask('Begun', { streams: streams.map(digestOf) });
    if (reply === 'aborted' || !reply.ok) throw new Error('no answer');
    return reply.body.lengths;
  }

  /** Bytes of received parts and of reservations, as the core counts them. */
  get counted(): { readonly begun: number; readonly kept: number } {
    const quota = this.server.runtime?.inside?.volumes.find(HOME)?.quota;
    return { begun: quota?.begun ?? NaN, kept: quota?.uploads.total ?? NaN };
  }

  /** The received length of a stream that is incomplete. */
  async lengthBegun(stream: Uint8Array): Promise<number> {
    const [length = 0] = await this.begun(stream);
    expect(length).toBeGreaterThan(0);
    expect(length).toBeLessThan(stream.length);
    return length;
  }

  fetch(change: Partial<RequestOf<'Fetch'>> = {}): Promise<Answer<'Fetch'>> {
    return this.client.ask('Fetch', { fid: this.file, version: null, ...change });
  }

  /** Makes a delta from `from` to `to`. */
  async deltaOf(from: Uint8Array, to: Uint8Array): Promise<Uint8Array> {
    const { disk } = this.client;
    const delta = new MemoryDelta({ disk });
    disk.write('/from', from);
    disk.write('/to', to);
    const piece = (path: string, { length }: Uint8Array) => ({ path, offset: 0, length });
    const list = await delta.list(piece('/from', from), null);
    await delta.make(list, piece('/to', to), '/delta');
    const bytes = disk.read('/delta');
    disk.remove('/delta');
    return bytes;
  }

  /** Applies a delta to the old contents. */
  async applied(delta: Uint8Array | null): Promise<Uint8Array> {
    const { disk } = this.client;
    disk.write('/base', OLD);
    disk.write('/delta', delta ?? new Uint8Array());
    const base = { path: '/base', offset: 0, length: OLD.length };
    const out = '/out-of-delta';
    await new MemoryDelta({ disk }).apply(base, '/delta', out, NEW.length);
    const made = disk.read(out);
    disk.remove(out);
    return made;
  }

  /** Puts a part of an upload where an earlier process would have left it. */
  putPart(device: string, whole: Uint8Array, part: Uint8Array, change = {}): void {
    const { fingerprint } = simulatedIdentity(device);
    const [digest, length, kept] = [digestOf(whole), whole.length, part.length];
    const what = { fingerprint, volume: HOME, digest, length, kept };
    const note = { ...what, when: this.server.wall(), ...change };
    this.server.disk.putByHand(`/data/streams/${partName(note, 1)}`, part);
  }

  /** Makes writes in the stream folder fail. Returns a function that ends it. */
  spoil(code: 'ENOSPC' | 'EIO', kind: 'write' | 'rename' | 'remove' = 'write'): () => void {
    return this.server.disk.troubles.add((call, path) =>
      call === kind && path.startsWith('/data/streams') ? code : null,
    );
  }

  async #pair(client: WireClient, number: number): Promise<void> {
    const id = String(number).padStart(32, '0');
    const invitation = { id, secret: '2'.repeat(32) };
    const expires = 9e15 as WallTime;
    this.meta.invite({ ...invitation, user: 'owner', rights: 'write', expires });
    await client.connect();
    await client.hello(null, number, invitation);
  }
}

/** The stream in a reply. */
export function streamOf(bytes: Uint8Array, offset = 0, delta = false): StoreStream {
  return { digest: digestOf(bytes), length: bytes.length, offset, delta };
}
