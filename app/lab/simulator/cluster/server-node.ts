/**
 * The server's machine: the production runtime on ports in memory. Its disk, its database and its key outlive the process.
 */
import type { ChangeSet, DeviceId, Rights } from '../../../../shared/model/change.ts';
import type { VolumeId } from '../../../../shared/model/fid.ts';
import type { FeedPage, RowWrite } from '../../../../shared/model/stored.ts';
import { milliseconds, wallTime } from '../../../../shared/model/time.ts';
import type { RetentionPolicy } from '../../../../shared/model/retention.ts';
import { commitNumber, EMPTY_DIGEST, type Digest } from '../../../../shared/model/vnode.ts';
import { present } from '../../../../shared/util/assert.ts';
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import { MAX_HEADER_BYTES } from '../../../../shared/wire/limits.ts';
import { collectContents } from '../../../../server/maintenance/collect/collect-contents.ts';
import { contentsInUse } from '../../../../server/runtime/contents-in-use.ts';
import { STRANGER_LIMITS } from '../../../../server/runtime/peers.ts';
import type { SharingSettings } from '../../../../server/core/events.ts';
import { ServerRuntime, type ServerPorts } from '../../../../server/runtime/server-runtime.ts';
import type { StreamPorts } from '../../../../server/runtime/streams.ts';
import type { ServerState } from '../../../../server/core/state.ts';
import type { MetaStore } from '../../../../shared/ports/meta-store.ts';
import type { Later } from '../clock/later.ts';
import type { Observe } from '../check/observation.ts';
import { watchedAccess } from '../check/watched-access.ts';
import { WatchedTransport } from '../check/watched-transport.ts';
import { Machine } from '../clock/machine.ts';
import { VirtualClock, VirtualTimers } from '../clock/virtual-clock.ts';
import { digestOf } from '../disk/content-digest.ts';
import { LabelledDisk } from '../disk/labelled-disk.ts';
import { MemoryDisk, type StoreDisk } from '../disk/memory-disk.ts';
import { simulatedIdentity } from '../net/identity.ts';
import { MemoryTransport } from '../net/memory-transport.ts';
import { USUAL_SENDING } from '../net/send-queue.ts';
import type { MemoryNetwork } from '../net/memory-network.ts';
import { CrashPoints } from '../process/crash-points.ts';
import { isOfDisk } from '../process/disk-end.ts';
import { ProcessLife, portOf } from '../process/life.ts';
import type { PortObserver } from '../process/life.ts';
import { MemoryLog } from '../process/memory-log.ts';
import { MemoryContentStore } from '../store/memory-content-store.ts';
import { MemoryDelta } from '../store/memory-delta.ts';
import { MemoryMetaStore } from '../store/memory-meta-store.ts';
import type { MadeVolume } from '../store/orders.ts';
import { MemoryStreamFiles } from '../store/memory-stream-files.ts';
import type { World } from '../world.ts';
import { anyOrder, Pace } from './latency.ts';

export const SERVER_HOST = 'server';
export const SERVER_PORT = 4433;
const DATA = '/data';
const SPOOL = `${DATA}/spool`;
const STREAMS = `${DATA}/streams`;
/** A thousand years: wall clocks jump by decades, and a laptop that joins late must be able to. */
const INVITATION_HOURS = 24 * 365 * 1_000;

/** What the server asks of its ports and may die at. */
const DATABASE_STEPS = new Set(['open', 'load', 'commit', 'changedOutside', 'accessOf', 'volumes']);
const CONTENTS_STEPS = new Set(['put', 'locate', 'quarantine', 'remove', 'discard']);
const STREAM_STEPS = new Set([
  ...['list', 'make', 'apply', 'join'],
  ...['open', 'keep', 'makeEmpty', 'discard'],
]);
/** Between the parts of a collection, in which others have their turn. */
const COLLECTION_TURN = milliseconds(40);
/** Contents of runs are a few dozen bytes: so all of them can be sent as deltas, by laptops that send some. */
const TOLD_FROM_ONE = { toldFrom: 1 };

export interface Invitation {
  readonly id: string;
  readonly secret: string;
}

/** What a backup holds: the database, and the contents that it names. */
export interface Backup {
  readonly database: MemoryMetaStore;
  readonly contents: ReadonlyMap<string, Uint8Array>;
}

export interface CommitCrash {
  readonly when: 'before' | 'after';
  readonly fits: (writes: readonly RowWrite[]) => boolean;
}

/** Runs the production server on simulated ports, through its crashes and starts. */
export class ServerNode {
  readonly identity = simulatedIdentity(SERVER_HOST);
  readonly disk = new MemoryDisk();
  readonly metaStore: MemoryMetaStore;
  readonly log: MemoryLog;
  readonly clock: VirtualClock;
  readonly machine: Machine;
  readonly crashPoints: CrashPoints;
  readonly paces: { readonly disk: Pace; readonly database: Pace };
  readonly #world: World;
  readonly #network: MemoryNetwork;
  readonly #random: SeededRandom;
  /** What a power failure leaves of what was not synced. */
  readonly #torn: SeededRandom;
  readonly #hear: Observe;
  /** What of contents is let in: its reserve is gone. Not counted. */
  mostBytes = Number.POSITIVE_INFINITY;
  /** Of its next start; null: as it is for everybody. */
  sharing: SharingSettings | null = null;
  /** Of its next start: it works in turns, and a device that adds so many rows leaves time to others. null: all is done at one go. */
  heavyRows: number | null = null;
  /** How what it sends is ordered, from its next start on. */
  sending = USUAL_SENDING;
  #crashAt: CommitCrash | null = null;
  #life: ProcessLife | null = null;
  #runtime: ServerRuntime | null = null;
  #link: MemoryTransport | null = null;
  #timers: VirtualTimers | null = null;
  #contents: MemoryContentStore | null = null;

  constructor(world: World, network: MemoryNetwork, diskMs: number, hear: Observe) {
    this.#world = world;
    this.#network = network;
    this.#hear = hear;
    this.#random = world.random.fork('server');
    this.machine = new Machine(world.time);
    this.clock = new VirtualClock(this.machine);
    this.log = new MemoryLog(world, SERVER_HOST);
    this.#torn = this.#random.fork('torn');
    this.paces = { disk: new Pace(diskMs), database: new Pace(diskMs) };
    const late = this.#random.fork('late');
    this.metaStore = new MemoryMetaStore({
      defer: this.#latency('database', this.paces.database),
      late: () => late.chance(0.5),
      committed: (writes) => hear({ kind: 'committed', writes }),
      decided: (about) => hear({ kind: 'decided', ...about }),
    });
    this.crashPoints = new CrashPoints((how) =>
      how === 'power' ? this.losePower() : this.crash(),
    );
  }

  get running(): boolean {
    return this.#life !== null;
  }

  /** It runs, or is on its way up. */
  get begun(): boolean {
    return this.#life !== null;
  }

  /** Open calls of the running process: for those who look for leaks. */
  get openCalls(): number {
    return this.#link?.openCalls ?? 0;
  }

  /** Timers of the running process. */
  get timersWaiting(): number {
    return this.#timers?.waiting ?? 0;
  }

  /** What the running process keeps in memory: for those who look for leaks. Only to be read. */
  get inside(): ServerState {
    return present(this.#runtime?.inside, 'the server runs');
  }

  /** Files that tell contents in part, and what is under way with them. */
  get streamsLeft(): { readonly strange: readonly string[]; readonly busy: number } {
    const { paths, busy } = present(this.#runtime?.streamsLeft, 'the server runs');
    const known = new Set(paths);
    return { strange: this.disk.list(STREAMS).filter((path) => !known.has(path)), busy };
  }

  /** Resolves too where it dies on its way up; rejects where it can't start, as the server does, and is down then. */
  async start(): Promise<void> {
    this.wake();
    const life = new ProcessLife();
    for (const path of this.disk.list(SPOOL)) this.disk.remove(path);
    const timers = new VirtualTimers(this.machine, SERVER_HOST);
    life.atEnd(() => timers.stop());
    const disk = new LabelledDisk(this.disk, this.crashPoints, life);
    const defer = this.#latency('contents', this.paces.disk);
    const contents = new MemoryContentStore(disk, DATA, { defer });
    const points = this.crashPoints;
    this.#timers = timers;
    this.#contents = contents;
    const watched = new WatchedTransport(this.#hear);
    const runtime = new ServerRuntime({
      createLink: (handler) => {
        const link = new MemoryTransport(this.#network, {
          host: SERVER_HOST,
          disk: this.disk,
          identity: this.identity,
          spool: SPOOL,
          maxHeaderBytes: MAX_HEADER_BYTES,
          strangers: STRANGER_LIMITS,
          partialFrom: 1,
          sending: this.sending,
          machine: this.machine,
          handler: watched.handler(handler),
        });
        life.atEnd(() => link.kill());
        this.#link = link;
        return watched.link(link);
      },
      clock: this.clock,
      timers,
      random: this.#random,
      metaStore: watchedAccess(
        portOf<MetaStore>(this.metaStore, 'database', life, {
          witness: points.witness('database', DATABASE_STEPS, this.#witness()),
        }),
        this.#hear,
      ),
      contentStore: portOf(contents, 'contents', life, {
        witness: points.witness('contents', CONTENTS_STEPS),
      }),
      streams: this.#streams(disk, life),
      hasRoomFor: (bytes) => bytes <= this.mostBytes,
      log: this.log,
      software: 'godwit-server in a simulation',
      ...this.#turns(timers),
      ...(this.sharing === null ? {} : { sharing: this.sharing }),
      onFault: (error) => this.#diedOf(error),
    });
    this.#life = life;
    this.#runtime = runtime;
    this.#hear({ kind: 'started', who: SERVER_HOST });
    await this.#cameUp(runtime, life);
  }

  /** `kill -9`. What is on its disk stays. */
  crash(): void {
    this.#end('killed');
  }

  /** The machine loses power: what was not synced is gone too. */
  losePower(): void {
    this.#end('power');
    this.disk.crash(this.#torn);
  }

  /** A content as it is to be read, or as it was put aside: what rots is no fault of collection. */
  hasContent(digest: Digest): boolean {
    const places = ['contents', 'quarantine'].map((folder) => `${DATA}/${folder}/${digest}`);
    return places.some((path) => this.disk.has(path));
  }

  /** Contents as they are on its disk; null: they are not there. */
  contentBytes(digest: Digest): Uint8Array | null {
    const path = `${DATA}/contents/${digest}`;
    return this.disk.has(path) ? this.disk.byHand(() => this.disk.read(path)) : null;
  }

  /** All contents that the database names are there, and what they were: the real backup reads them, and says what is not. */
  get isWhole(): boolean {
    const folder = `${DATA}/contents`;
    const named = this.metaStore.contents().filter((digest) => digest !== EMPTY_DIGEST);
    return this.disk.byHand(() =>
      named.every((digest) => {
        const path = `${folder}/${digest}`;
        return this.disk.has(path) && digestOf(this.disk.read(path)) === digest;
      }),
    );
  }

  /**
   * Contents that no version needs go, by the server's own collection and beside what it does; null: it is down or died meanwhile, or
   * another collection goes on.
   * Resolves with the digests that went.
   */
  async collect(policy: RetentionPolicy): Promise<readonly Digest[] | null> {
    const [life, runtime, contents, timers] = [
      this.#life,
      this.#runtime,
      this.#contents,
      this.#timers,
    ];
    if (life === null || runtime === null || contents === null || timers === null) return null;
    if (contents.isCollected) return null;
    const gone: Digest[] = [];
    const turn = (): Promise<void> =>
      new Promise((resolve) => void timers.start(COLLECTION_TURN, resolve));
    const collection = collectContents(contents, {
      named: () => this.metaStore.pagesOfNamed(this.clock.wall(), policy),
      forget: (digests) => {
        if (life.over) throw new Error('the server is dead');
        this.#hear({ kind: 'forgotten', digests });
        gone.push(...digests);
        this.metaStore.forgetContents(digests);
      },
      inUse: () => contentsInUse(runtime.inside),
      before: Number.POSITIVE_INFINITY,
      breathe: turn,
      readersAreIn: turn,
    });
    const done = await Promise.race([collection, life.ended]);
    return done === undefined ? null : gone;
  }

  backUp(): Backup {
    const paths = this.disk.list(`${DATA}/contents`);
    const read = (path: string) => [path, this.disk.read(path)] as const;
    const contents = new Map(this.disk.byHand(() => paths.map(read)));
    return { database: this.metaStore.clone(), contents };
  }

  /**
   * Everything on the machine, which must be down, becomes what the backup has, and its history a new epoch. `byHand`: the files are copied back
   * without the command that announces it. `made`: volumes that people had made, and that an administrator makes again where the backup has none.
   */
  restore(backup: Backup, how: 'told' | 'byHand' = 'told', made: readonly MadeVolume[] = []): void {
    this.#world.note(`${SERVER_HOST} is put back from a backup`);
    this.disk.byHand(() => {
      for (const path of this.disk.list(DATA)) this.disk.remove(path);
      for (const [path, bytes] of backup.contents) {
        this.disk.write(path, bytes);
        this.disk.sync(path);
      }
    });
    this.metaStore.putBack(backup.database);
    if (how === 'byHand') return;
    const epoch = this.#random.hex(16);
    // An administrator who restores a backup checks the clock first.
    const now = new VirtualClock(this.#world.time).wall();
    const cuts = this.metaStore.beginEpoch(epoch, now);
    const [ended] = cuts;
    const lost = this.metaStore.makeLost(made, now);
    const all = [...cuts, ...lost.map((cut) => ({ epoch: ended?.epoch ?? epoch, ...cut }))];
    const volumes = all.map((cut) => {
      return { ...cut, snapshots: this.metaStore.snapshotsOf(cut.volume) };
    });
    this.#hear({ kind: 'restored', epoch, volumes });
  }

  /** `kill -9` at the next commit that fits: before anything of it is durable, or after all of it, nobody told. Null: no more. */
  crashAtCommit(crash: CommitCrash | null): void {
    this.#crashAt = crash;
  }

  /** The machine is suspended: nothing of it runs, nothing reaches it, its clock goes on. */
  sleep(): void {
    this.#world.note(`${SERVER_HOST} sleeps`);
    this.machine.sleep();
    this.#network.suspend(SERVER_HOST);
  }

  /** It goes on where it was. `answer`: what it hears of connections that were given up meanwhile. */
  wake(answer: 'reset' | 'none' = 'none'): void {
    if (!this.machine.asleep) return;
    this.#world.note(`${SERVER_HOST} wakes`);
    this.#network.resume(SERVER_HOST, answer);
    this.machine.wake();
  }

  async close(): Promise<void> {
    await this.#runtime?.close();
    this.#end('closed');
  }

  #end(how: 'killed' | 'power' | 'closed'): void {
    this.#world.note(`${SERVER_HOST} ends: ${how}`);
    this.#hear({ kind: 'ended', who: SERVER_HOST, how });
    this.#life?.end();
    this.#life = null;
    this.#runtime = null;
  }

  invite(user: string, volume: VolumeId, rights: Rights, hours = INVITATION_HOURS): Invitation {
    const invitation = { id: this.#random.hex(16), secret: this.#random.hex(16) };
    const expires = wallTime(this.clock.wall() + hours * 3_600_000);
    this.metaStore.invite({ ...invitation, user, volume, rights, expires });
    return invitation;
  }

  revoke(device: DeviceId | null): void {
    this.metaStore.revoke(present(device, 'the device is paired'));
  }

  /** Every commit of a volume. */
  async history(volume = 1 as VolumeId): Promise<readonly ChangeSet[]> {
    const since = commitNumber(0);
    const limit = Number.MAX_SAFE_INTEGER;
    const [page] = await this.metaStore.load([{ kind: 'changes', volume, since, limit }]);
    return (page as FeedPage).commits;
  }

  #witness(): PortObserver {
    const crash = (when: CommitCrash['when'], method: string, given: readonly unknown[]): void => {
      const wanted = this.#crashAt;
      if (wanted?.when !== when || method !== 'commit') return;
      if (!wanted.fits(given[0] as readonly RowWrite[])) return;
      this.#crashAt = null;
      this.crash();
    };
    return {
      asked: (method, given) => crash('before', method, given),
      done: (method, given) => crash('after', method, given),
    };
  }

  async #cameUp(runtime: ServerRuntime, life: ProcessLife): Promise<void> {
    const up = async (): Promise<void> => {
      await runtime.start();
      await runtime.listen({ host: '0.0.0.0', port: SERVER_PORT });
    };
    try {
      await Promise.race([up(), life.ended]);
    } catch (error) {
      if (life.over) return;
      this.crash();
      throw error;
    }
  }

  #turns(timers: VirtualTimers): Pick<ServerPorts, 'goOn' | 'heavyRows'> {
    if (this.heavyRows === null) return {};
    const goOn = (then: () => void): void => void timers.start(milliseconds(0), then);
    return { goOn, heavyRows: this.heavyRows };
  }

  #streams(disk: StoreDisk, life: ProcessLife): StreamPorts {
    const defer = this.#latency('streams', this.paces.disk);
    const witness = this.crashPoints.witness('streams', STREAM_STEPS);
    const delta = new MemoryDelta({ disk, delay: defer });
    const files = new MemoryStreamFiles(disk, STREAMS, { defer });
    return {
      delta: portOf(delta, 'streams', life, { witness }),
      files: portOf(files, 'streams', life, { witness }),
      ...TOLD_FROM_ONE,
    };
  }

  /** What its disk did is the world's fault, and the next start may do; any other end is a bug. */
  #diedOf(error: unknown): void {
    if (isOfDisk(error)) this.crash();
    else this.#world.fault(error);
  }

  #latency(what: string, pace: Pace): Later {
    const label = `${SERVER_HOST} ${what} answers`;
    return anyOrder({ time: this.machine, random: this.#random.fork(what), label, pace });
  }
}
