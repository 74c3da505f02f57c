/**
 * Paired devices that mean harm, against the core of a server and its database: whatever they send, in whatever order, while commits are under
 * way, fail or are lost with the process, the server goes on, and everybody gets an answer. No assertion of a core is a peer's to reach.
 *
 * FUZZ_RUNS=2000 is so many more histories, from FUZZ_SEED on.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { MemoryMetaStore } from '../../app/lab/simulator/store/memory-meta-store.ts';
import { MAX_DEPTH } from '../../server/limits.ts';
import type { ServerEvent } from '../../server/core/events.ts';
import { makeFid, rootOf, volumeOf, type Fid, type VolumeId } from '../../shared/model/fid.ts';
import type { WallTime } from '../../shared/model/time.ts';
import type { MetadataUpdate } from '../../shared/model/update.ts';
import type { VnodeBlock } from '../../shared/model/stored.ts';
import { present } from '../../shared/util/assert.ts';
import { SeededRandom } from '../../shared/util/seeded-random.ts';
import { RPCS, type AnyRequest, type ReplyOf, type RequestOf } from '../../shared/wire/rpcs.ts';
import { CoreServer, digestOf } from '../support/core-server.ts';
import { chmod, create, link, mkdir, remove, rename, rmdir } from '../support/core-updates.ts';
import { HostileDraws } from '../support/hostile-device.ts';
import { DEVICES, invitationOf, numberOf, ShadowDatabase } from '../support/shadow-database.ts';

const EVENTS = 1200;
/** The number of directories that are sent beyond the limit. */
const BEYOND = 20;
const asked = Number(process.env['FUZZ_RUNS'] ?? 0);
const first = Number(process.env['FUZZ_SEED'] ?? 1);
const SEEDS = Array.from({ length: asked > 0 ? asked : 10 }, (_, n) => first + n);
const HELD = ['loads', 'commits', 'breaks'] as const;
const folder = mkdtempSync(join(tmpdir(), 'godwit-hostile-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The number of devices that may write. */
const WRITERS = 3;
class Peer {
  readonly fingerprint: string;
  readonly invitation: { readonly id: string; readonly secret: string };
  readonly volume: VolumeId;
  connection: number | null = null;
  incarnation = 0;
  seq = 0;
  made = 0;
  block: Pick<VnodeBlock, 'first' | 'uniquifier'> | null = null;
  isAsking = false;

  constructor(index: number, volume: number) {
    const number = numberOf(index);
    this.fingerprint = number.padStart(64, 'f');
    this.invitation = invitationOf(index);
    this.volume = volume as VolumeId;
  }
}

interface Named {
  readonly fid: Fid;
  readonly dir: Fid;
  readonly name: string;
}

class History {
  readonly random: SeededRandom;
  readonly draws: HostileDraws;
  readonly peers = DEVICES.map(({ volume }, index) => new Peer(index, volume));
  readonly shadow: ShadowDatabase;
  readonly meta: MemoryMetaStore;
  readonly calls: Array<{
    readonly server: CoreServer;
    readonly peer: Peer;
    readonly call: number;
  }> = [];
  readonly kinds = new Map<string, number>();
  readonly #breaks: number[] = [];
  /** The names that vnodes may have. */
  readonly #places: Named[] = [];
  readonly #directories: Fid[] = [];
  readonly #stores: Array<{ call: number; length: number; digest: string }> = [];
  server!: CoreServer;

  constructor(seed: number) {
    this.random = new SeededRandom(seed);
    this.draws = new HostileDraws(this.random);
    this.shadow = new ShadowDatabase(join(folder, `${seed}.db`));
    this.meta = new MemoryMetaStore({ committed: this.shadow.committed });
    this.meta.beginWith(2);
  }

  async start(): Promise<void> {
    this.server = await CoreServer.start(this.meta);
    this.#breaks.length = 0;
    this.#stores.length = 0;
    this.server.watch = (what) => {
      this.shadow.heard(what);
      if (what.kind === 'break') this.#breaks.push(what.message);
    };
    Object.assign(this.server.hold, { loads: true, commits: true, breaks: true });
    for (const peer of this.peers) peer.connection = null;
  }

  async begin(): Promise<void> {
    await this.shadow.open();
    await this.start();
    for (const [index, { user, volume, rights }] of DEVICES.entries()) {
      const { id, secret } = (this.peers[index] as Peer).invitation;
      const of = { user, volume: volume as VolumeId, rights, expires: 1e15 as WallTime };
      this.meta.invite({ id, secret, ...of });
    }
  }

  /** Makes nested directories up to the limit; those beyond it are refused. */
  async makeDeep(): Promise<void> {
    const [peer] = this.peers as [Peer];
    this.#hello(peer, true);
    await this.#all();
    this.#send(peer, { rpc: 'AllocateVnodes', body: { volume: peer.volume, blocks: 1 } });
    await this.#all();
    peer.block = this.#blockOf(peer);
    const { first: from, uniquifier } = present(peer.block, 'a block');
    let dir = rootOf(peer.volume);
    for (let made = 0; made < MAX_DEPTH + BEYOND;) {
      const updates = Array.from({ length: Math.min(256, MAX_DEPTH + BEYOND - made) }, () => {
        const update = mkdir(makeFid(peer.volume, from + made++, uniquifier), 'a', dir);
        dir = update.fid;
        return { seq: ++peer.seq, after: [], update };
      });
      peer.made = made;
      const body = { volume: peer.volume, lowWater: 0, updates } as unknown as RequestOf<'Apply'>;
      this.#send(peer, { rpc: 'Apply', body });
      await this.#all();
    }
    // The deepest are what the rest of the history is about.
    for (let n = 0; n < 30; n++) {
      this.#places.push(mkdir(this.#fresh(peer), `mover ${n}`));
    }
    const updates = this.#places.map((update) => ({ seq: ++peer.seq, after: [], update }));
    const body = { volume: peer.volume, lowWater: 0, updates } as unknown as RequestOf<'Apply'>;
    this.#send(peer, { rpc: 'Apply', body });
    await this.#all();
    const { kept } = this.draws;
    for (const n of [1, BEYOND, BEYOND + 1, BEYOND + 2]) {
      kept.push(makeFid(1, from + MAX_DEPTH + BEYOND - n, uniquifier));
    }
    kept.push(makeFid(1, from, uniquifier), makeFid(1, from + 1, uniquifier));
  }

  async #all(): Promise<void> {
    const { hold } = this.server;
    for (const what of [...HELD, ...HELD]) await this.server.release(what);
    Object.assign(hold, { loads: true, commits: true, breaks: true });
  }

  /** Draws one event of the server, mostly a message. */
  async event(): Promise<void> {
    const { draws, server } = this;
    const held = HELD.filter((kind) => server.heldCount(kind) > 0);
    const choice = this.random.fraction();
    if (choice < 0.5 && held.length > 0) {
      const what = draws.pick(held);
      await server.releaseAt(what, this.random.below(server.heldCount(what)));
    } else if (choice < 0.55) this.#arrive();
    else if (choice < 0.57) this.#acknowledge();
    else if (choice < 0.58) await server.pass(draws.pick([1, 600, 5000, 40_000]));
    else if (choice < 0.585) this.meta.failNextCommit('server-full');
    else if (choice < 0.588) await this.start();
    else if (choice < 0.59) await server.limit(draws.pick([null, 0, 10, 2 ** 40]));
    else if (choice < 0.62) await this.#behave(draws.pick(this.peers.slice(0, WRITERS)));
    else await this.#act(draws.pick(this.peers));
    await this.server.settle();
  }

  /**
   * What a daemon does: it greets where it must, has numbers of its own, makes something with them and changes that. So there is something
   * to do harm to, and what is hostile meets what is accepted.
   */
  async #behave(peer: Peer): Promise<void> {
    if (this.#isShutOut(peer)) this.#hello(peer, true);
    await this.#all();
    if (peer.block === null) {
      this.#send(peer, { rpc: 'AllocateVnodes', body: { volume: peer.volume, blocks: 1 } });
      await this.#all();
      peer.block = this.#blockOf(peer);
    }
    if (peer.block === null) return;
    const { first: from, uniquifier } = peer.block;
    const fid = makeFid(peer.volume, from + peer.made++, uniquifier);
    const root = rootOf(peer.volume);
    const names = [`${peer.fingerprint.slice(-3)} ${peer.made}`, `moved ${peer.made}`] as const;
    const made = this.draws.chance(0.5) ? create(fid, names[0], root) : mkdir(fid, names[0], root);
    const moved = rename(fid, ...names, { fromDir: root, toDir: root });
    this.draws.fids.push(fid);
    this.#places.push({ fid, dir: root, name: names[1] });
    if (made.op === 'mkdir') this.#directories.push(fid);
    const updates = [made, moved].map((update) => ({ seq: ++peer.seq, after: [], update }));
    const body = { volume: peer.volume, lowWater: 0, updates } as unknown as RequestOf<'Apply'>;
    this.#send(peer, { rpc: 'Apply', body });
    if (this.draws.chance(0.5)) await this.#all();
  }

  async #act(peer: Peer): Promise<void> {
    const { draws } = this;
    const what = this.random.fraction();
    if (this.#isShutOut(peer) || what < 0.01) {
      this.#hello(peer);
      // A device that sends before its Hello is answered is ignored.
      if (draws.chance(0.9)) await this.#all();
    } else if (what < 0.02) this.#disconnect(peer);
    else if (peer.block === null && !peer.isAsking) {
      peer.isAsking = true;
      this.#send(peer, { rpc: 'AllocateVnodes', body: { volume: peer.volume, blocks: 1 } });
    } else if (what < 0.32) this.#send(peer, draws.request());
    else if (what < 0.45) this.#store(peer);
    else this.#apply(peer);
  }

  /** Whether it has no session, or none in which it can do harm. */
  #isShutOut(peer: Peer): boolean {
    if (peer.connection === null) return true;
    const last = this.calls.findLast((each) => each.peer === peer);
    const outcome = last === undefined ? undefined : last.server.outcome(last.call);
    if (outcome === undefined || !('code' in outcome)) return false;
    return (
      !['try-again', 'no-right', 'bad-message', 'server-full'].includes(outcome.code) &&
      this.draws.chance(0.7)
    );
  }

  #hello(peer: Peer, isProper = this.draws.chance(0.95)): void {
    const { draws, server } = this;
    if (peer.connection !== null && draws.chance(0.7)) this.#disconnect(peer);
    peer.connection = server.id();
    const { connection, fingerprint, invitation } = peer;
    server.feed({ kind: 'connected', connection, fingerprint });
    const token = (n: number): string => n.toString(16).padStart(32, '0');
    // What the server knows: who is taken for a copy gets no further.
    const previous = this.meta.incarnationOf(fingerprint) ?? null;
    const { lastSeq, ...drawn } = draws.draw(RPCS.Hello.request) as RequestOf<'Hello'>;
    const proper = {
      protocol: { min: 1, max: 1 },
      incarnation: { previous, next: token(++peer.incarnation) },
      ...{
        epoch: null,
        heads: [],
        epochsBefore: [],
        invitation,
      },
      lowWater: 0 as RequestOf<'Hello'>['lowWater'],
    };
    const body = isProper ? { ...drawn, ...proper } : { ...drawn, lastSeq };
    this.#send(peer, { rpc: 'Hello', body });
  }

  #disconnect(peer: Peer): void {
    if (peer.connection === null) return;
    const { connection } = peer;
    this.server.feed({ kind: 'disconnected', connection, byPeer: this.draws.chance(0.5) });
    peer.connection = null;
  }

  #send(peer: Peer, request: AnyRequest, contentLength = 0): number {
    const { server } = this;
    const call = server.id();
    const connection = peer.connection ?? 0;
    this.kinds.set(request.rpc, (this.kinds.get(request.rpc) ?? 0) + 1);
    server.feed({ kind: 'request', connection, call, request, contentLength });
    this.calls.push({ server, peer, call });
    if (request.rpc === 'Store') this.#announced(call, request.body);
    return call;
  }

  #announced(call: number, { update, stream }: RequestOf<'Store'>): void {
    const { size: length, digest } =
      stream === undefined ? update : { ...stream, size: stream.length };
    this.#stores.push({ call, length, digest });
  }

  #apply(peer: Peer): void {
    const { draws } = this;
    const count = 1 + this.random.below(4);
    const updates = Array.from({ length: count }, () => {
      const seq = draws.chance(0.98) ? ++peer.seq : draws.pick([1, 2, peer.seq + 3]);
      const after = draws.chance(0.2) ? [draws.pick([1, seq - 1, seq, seq + 1])] : [];
      return { seq, after: after.filter((each) => each > 0), update: this.#update(peer) };
    });
    draws.numbers.push(peer.seq);
    const lowWater = draws.chance(0.97) ? 0 : draws.pick([1, peer.seq]);
    const body = { volume: peer.volume, lowWater, updates } as RequestOf<'Apply'>;
    this.#send(peer, { rpc: 'Apply', body });
  }

  #store(peer: Peer): void {
    const { draws } = this;
    const [digest, size] = [digestOf(draws.pick(['1', '2'])), draws.pick([0, 3, 3, 300_000])];
    const base = draws.pick([0, 0, 0, 1, 2]);
    const files = this.#places.filter(({ fid: each }) => !draws.kept.includes(each));
    const fid = draws.chance(0.7) && files.length > 0 ? draws.pick(files).fid : draws.fid();
    const update = { op: 'store', fid, base, size, digest, mtime: '7' };
    const stream = { digest: digestOf('3'), length: 2, offset: 0, delta: true };
    const told = draws.chance(0.2) ? { stream } : {};
    const seq = draws.chance(0.98) ? ++peer.seq : draws.pick([1, Math.max(1, peer.seq)]);
    const body = { volume: peer.volume, lowWater: 0, seq, after: [], update, ...told };
    const length = 'stream' in told ? 2 : draws.chance(0.95) ? size : 7;
    this.#send(peer, { rpc: 'Store', body: body as unknown as RequestOf<'Store'> }, length);
  }

  /** Delivers contents, as announced or not, or ends their call. */
  #arrive(): void {
    const store = this.#stores.splice(this.random.below(Math.max(1, this.#stores.length)), 1)[0];
    if (store === undefined) return;
    const { draws } = this;
    const { call } = store;
    const digest = draws.chance(0.8) ? store.digest : digestOf('9');
    const length = draws.chance(0.9) ? store.length : store.length + 1;
    const content = { call, path: '/spool/1', length, digest };
    const event: ServerEvent = draws.chance(0.7)
      ? { kind: 'content', ...content }
      : { kind: 'aborted', call, withdrawn: draws.chance(0.5) };
    this.server.feed(event);
  }

  #acknowledge(): void {
    if (this.#breaks.length === 0) return;
    const { draws } = this;
    const message = draws.pick(this.#breaks);
    const told = draws.draw(RPCS.BreakCallback.reply) as ReplyOf<'BreakCallback'>;
    if (draws.chance(0.1)) this.server.feed({ kind: 'unacknowledged', message });
    else {
      const marks = told.told === undefined ? {} : { told: told.told };
      this.server.feed({ kind: 'acknowledged', message, ...marks });
    }
  }

  #update(peer: Peer): MetadataUpdate {
    const { draws } = this;
    const name = (): string => draws.pick(['a', 'b', 'c']);
    const dir = (): Fid => this.#directory(peer);
    const makes = (make: typeof create | typeof mkdir): MetadataUpdate => {
      const update = make(this.#fresh(peer), name(), dir());
      this.#places.push(update);
      if (update.op === 'mkdir') this.#directories.push(update.fid);
      return update;
    };
    // Most of them name something that may exist.
    const place = { fid: draws.fid(), name: name(), dir: dir() };
    const here = this.#places.filter(({ fid }) => volumeOf(fid) === peer.volume);
    const of = draws.chance(0.8) && here.length > 0 ? draws.pick(here) : place;
    switch (this.random.below(12)) {
      case 0:
      case 1:
        return makes(create);
      case 2:
      case 3:
      case 4:
        return makes(mkdir);
      case 5:
        return link(of.fid, name(), dir());
      case 6:
        return remove(of.fid, of.name, draws.pick([0, 1]), of.dir);
      case 7:
        return rmdir(of.fid, of.name, of.dir);
      case 8:
        return chmod(of.fid, this.random.below(512));
      default:
        return this.#rename(of, { name: name(), dir: dir() });
    }
  }

  #directory(peer: Peer): Fid {
    const { draws } = this;
    const { kept } = draws;
    if (kept.length > 0 && draws.chance(0.3)) return draws.pick(kept);
    if (draws.chance(0.4)) return rootOf(peer.volume);
    const here = this.#directories.filter((fid) => volumeOf(fid) === peer.volume);
    return here.length > 0 && draws.chance(0.8) ? draws.pick(here) : draws.fid();
  }

  #rename(of: Named, to: Omit<Named, 'fid'>): MetadataUpdate {
    const over = this.draws.chance(0.3) ? { over: this.draws.fid() } : {};
    this.#places.push({ fid: of.fid, ...to });
    return rename(of.fid, of.name, to.name, { fromDir: of.dir, toDir: to.dir, ...over });
  }

  #fresh(peer: Peer): Fid {
    const { draws } = this;
    peer.block ??= this.#blockOf(peer);
    if (peer.block === null || draws.chance(0.05)) return draws.fid();
    const { first: from, uniquifier } = peer.block;
    const fid = makeFid(peer.volume, from + peer.made++, uniquifier);
    draws.fids.push(fid);
    return fid;
  }

  #blockOf(peer: Peer): Peer['block'] {
    for (const { call, server, peer: whose } of this.calls) {
      const outcome = whose === peer ? server.outcome(call) : undefined;
      if (outcome === undefined || !('body' in outcome)) continue;
      const { blocks } = outcome.body as Partial<ReplyOf<'AllocateVnodes'>>;
      if (blocks?.[0] !== undefined) return blocks[0];
    }
    return null;
  }

  /** The number of committed updates of hostile devices. */
  accepted(): number {
    const results = this.calls.flatMap(({ call, server }) => {
      const outcome = server.outcome(call);
      if (outcome === undefined || !('body' in outcome)) return [];
      const { results: many = [], result } = outcome.body as Partial<
        ReplyOf<'Apply'> & ReplyOf<'Store'>
      >;
      return result === undefined ? many : [result];
    });
    return results.filter(({ ok }) => ok).length;
  }

  /** Lets pending work end and checks that an honest device is served. */
  async end(): Promise<void> {
    // The last requested failure may still be pending.
    await this.meta.commit([]).catch(() => undefined);
    for (const what of HELD) await this.server.release(what);
    await this.server.settle();
    await this.server.pass(120_000);
    for (const what of HELD) await this.server.release(what);
    const honest = await this.server.join('write', 'owner');
    const made = honest.fid(0);
    expect(await honest.applyOne(create(made, 'still there'))).toMatchObject({ ok: true });
    await this.server.settle();
  }
}

describe('hostile devices', () => {
  it.each(SEEDS)(
    'never bring the server down (seed %i)',
    async (seed) => {
      const history = new History(seed);
      await history.begin();
      if (seed % 4 === 0) await history.makeDeep();
      for (let n = 0; n < EVENTS; n++) await history.event();
      // An honest device is one of the memory's alone: its invitation is in no database.
      const faults = [...history.shadow.faults];
      await history.end();
      await history.shadow.close();
      expect(faults).toEqual([]);
      // Their messages were not all refused at the start.
      expect(history.kinds.size).toBeGreaterThan(12);
      expect(history.accepted()).toBeGreaterThan(10);
    },
    60_000 * (asked > 0 ? 10 : 1),
  );
});
