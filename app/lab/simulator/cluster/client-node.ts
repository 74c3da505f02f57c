/**
 * A laptop: the production daemon on ports in memory, with a front end that follows the feed or with none. Its disk, its
 * database and what its front end has in place outlive the process.
 */
import type { StatusSnapshot } from '../../../../shared/control/snapshot.ts';
import type { ChangeSet, DeviceId } from '../../../../shared/model/change.ts';
import type { PriorityClass } from '../../../../shared/model/priority-class.ts';
import { seconds } from '../../../../shared/model/time.ts';
import type { UpdateSeq } from '../../../../shared/model/update.ts';
import type { Rights } from '../../../../shared/model/change.ts';
import type { VolumeId } from '../../../../shared/model/fid.ts';
import type { Identity } from '../../../../shared/ports/transport.ts';
import { AssertionFailure, present } from '../../../../shared/util/assert.ts';
import { commitNumber } from '../../../../shared/model/vnode.ts';
import type { RowChange } from '../../../../shared/ports/client-store.ts';
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { DaemonRuntime } from '../../../../daemon/runtime/daemon-runtime.ts';
import type { Observe } from '../check/observation.ts';
import { watchedFileSystem } from '../check/watched-file-system.ts';
import { Machine } from '../clock/machine.ts';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { MemoryDisk } from '../disk/memory-disk.ts';
import { simulatedIdentity } from '../net/identity.ts';
import type { MemoryNetwork } from '../net/memory-network.ts';
import { CrashPoints } from '../process/crash-points.ts';
import { isOfDisk } from '../process/disk-end.ts';
import { ProcessLife, portOf } from '../process/life.ts';
import { MemoryLog } from '../process/memory-log.ts';
import { MemoryReplica, ReplicaState } from '../replica/memory-replica.ts';
import { ReplicaCopies } from '../replica/replica-copies.ts';
import { MemoryChunkLists } from '../store/memory-chunk-lists.ts';
import { MemoryClientStore } from '../store/memory-client-store.ts';
import type { World } from '../world.ts';
import type { LaptopFolder } from './laptop-folder.ts';
import { inOrder, Pace, type Latency } from './latency.ts';
import { LaptopProcess, STORE, type ProcessSettings } from './laptop-process.ts';
import type { Invitation } from './server-node.ts';
import { UserFiles } from './user-files.ts';

/** Lists of small contents are small, too: some must go. */
const CHUNK_LIST_BYTES = 32 * 1024;

/** The front end tries again then. */
const AGAIN_AFTER = seconds(5);

export interface ClientSettings extends ProcessSettings {
  readonly invitation: Invitation;
  readonly user: string;
  readonly rights: Rights;
  readonly volume: VolumeId;
  readonly diskMs: number;
  /** Within which something is recorded; left out: the same. */
  readonly recordMs?: number;
  /** Who watches. */
  readonly hear: Observe;
  /** Keeps its folder; left out: a replica in memory stands in for one. */
  readonly folder?: (client: ClientNode) => LaptopFolder;
}

/** Runs the production daemon of one laptop on simulated ports, through its crashes and starts. */
export class ClientNode {
  readonly name: string;
  readonly disk = new MemoryDisk();
  readonly clientStore: MemoryClientStore;
  readonly chunkLists: MemoryChunkLists;
  readonly replica: ReplicaState;
  readonly log: MemoryLog;
  readonly clock: VirtualClock;
  readonly machine: Machine;
  readonly crashPoints: CrashPoints;
  readonly paces: { readonly disk: Pace; readonly database: Pace; readonly records: Pace };
  readonly #world: World;
  readonly #network: MemoryNetwork;
  readonly #settings: ClientSettings;
  readonly #random: SeededRandom;
  /** What a power failure leaves of what was not synced. */
  readonly #torn: SeededRandom;
  /** As its settings keep it; null: as it was begun. */
  #hasLargerDisk = false;
  #deviceName: string | null = null;
  #invitation: Invitation | null;
  /** Whose key it has: a copy of a laptop's disk has that laptop's. */
  #keyOf: string;
  #keys = 1;
  /** Of the machine. */
  #starts = 1;
  #life: ProcessLife | null = null;
  #runtime: DaemonRuntime | null = null;
  #files: UserFiles | null = null;
  /** The last one, also when it has ended. */
  #process: LaptopProcess | null = null;
  #flushes = 0;
  readonly #folder: LaptopFolder | null;

  constructor(world: World, network: MemoryNetwork, settings: ClientSettings) {
    this.#world = world;
    this.#network = network;
    this.#settings = settings;
    this.name = settings.name;
    this.#keyOf = settings.name;
    this.#invitation = settings.invitation;
    this.#random = world.random.fork(settings.name);
    this.#torn = this.#random.fork('torn');
    this.machine = new Machine(world.time);
    this.clock = new VirtualClock(this.machine);
    this.log = new MemoryLog(world, settings.name);
    this.replica = new ReplicaState(settings.volume);
    const { diskMs, recordMs = diskMs } = settings;
    const pace = (usualMs: number): Pace => new Pace(usualMs);
    this.paces = { disk: pace(diskMs), database: pace(diskMs), records: pace(recordMs) };
    const delay = inOrder(this.#latency('database', this.paces.database));
    const saved = (changes: readonly RowChange[]): void =>
      settings.hear({ kind: 'saved', client: this, changes });
    const recordDelay = inOrder(this.#latency('records', this.paces.records));
    const recorded = (changes: readonly RowChange[]): void =>
      settings.hear({ kind: 'recorded', client: this, changes });
    this.clientStore = new MemoryClientStore({ delay, recordDelay, saved, recorded });
    this.chunkLists = new MemoryChunkLists({ mostBytes: CHUNK_LIST_BYTES });
    this.crashPoints = new CrashPoints((how) =>
      how === 'power' ? this.losePower() : this.crash(),
    );
    this.#folder = settings.folder?.(this) ?? null;
  }

  get running(): boolean {
    return this.#runtime !== null;
  }

  /** It runs, or is on its way up. */
  get begun(): boolean {
    return this.#life !== null;
  }

  /** What programs on this laptop do. */
  get files(): UserFiles {
    return present(this.#files, 'the daemon runs', { client: this.name });
  }

  get daemon(): DaemonRuntime {
    // Checkers look often: words for a failure are made where there is one.
    if (this.#runtime === null) throw new AssertionFailure(`the daemon of ${this.name} runs`);
    return this.#runtime;
  }

  get status(): StatusSnapshot {
    return this.daemon.snapshot();
  }

  get volume(): VolumeId {
    return this.#settings.volume;
  }

  get frontEnd(): 'folder' | 'none' {
    return this.#settings.frontEnd;
  }

  get device(): DeviceId | null {
    return this.status.device.id;
  }

  get identity(): Identity {
    return simulatedIdentity(this.#keyOf);
  }

  /** Whether a loss of power would take back no answer that a program has. */
  get isDurable(): boolean {
    return this.clientStore.recordsLeft === 0;
  }

  get looksAtDisk(): boolean {
    return this.#settings.diskBytes !== undefined;
  }

  /** How large its disk looks to it; undefined: nobody looks. */
  get diskBytes(): number | undefined {
    return this.#hasLargerDisk ? Number.MAX_SAFE_INTEGER : this.#settings.diskBytes;
  }

  /** A folder whose volume does not fit waits until somebody makes room. */
  makeRoom(): void {
    this.#hasLargerDisk = this.looksAtDisk && this.frontEnd === 'folder';
  }

  get user(): string {
    return this.#settings.user;
  }

  get rights(): Rights {
    return this.#settings.rights;
  }

  /** At its next start it has this invitation, to use it if it must. */
  invited(invitation: Invitation): void {
    this.#invitation = invitation;
  }

  /** At its next start it is another device, which this invitation lets in. */
  pairAgain(invitation: Invitation): void {
    this.#keys += 1;
    this.#keyOf = `${this.name}, key ${this.#keys}`;
    this.#invitation = invitation;
  }

  /** The disk and the database become what that laptop has on its own now, the key among it. */
  copyOf(other: ClientNode): void {
    this.#keyOf = other.#keyOf;
    this.#invitation = other.#invitation;
    for (const path of other.disk.list('/')) {
      const bytes = other.disk.byHand(() => other.disk.read(path));
      this.disk.write(path, bytes);
      this.disk.sync(path);
    }
    this.clientStore.copyFrom(other.clientStore);
    const { vnodes, entries, applied } = other.replica;
    const names = new Map([...entries].map(([dir, all]) => [dir, new Map(all)] as const));
    this.replica.replace(new Map(vnodes), names, applied);
    this.replica.heard = other.replica.heard;
    for (const [commit, change] of other.replica.waiting) this.replica.waiting.set(commit, change);
    this.replica.walk = other.replica.walk;
    this.#settings.hear({ kind: 'copied', from: other, to: this });
  }

  get openCalls(): number {
    return this.#process?.openCalls ?? 0;
  }

  /** Timers of the running daemon. */
  get timersWaiting(): number {
    return this.#process?.timersWaiting ?? 0;
  }

  /** What the daemon says, and those who watch hear that it was asked and has done it. */
  async flush(timeoutMs: number | null): Promise<void> {
    this.#flushes += 1;
    const about = { client: this, number: this.#flushes };
    const { hear } = this.#settings;
    hear({ kind: 'flushing', ...about });
    await this.daemon.flush(timeoutMs);
    hear({ kind: 'flushed', ...about });
  }

  /** A person takes a refused update out of the queue, with what waits for it. */
  async giveUp(number: UpdateSeq): Promise<void> {
    const { log } = this.daemon.inside;
    const entry = present(log.get(number), 'it is in the queue');
    const updates = [entry, ...log.dependents(entry)].map(({ seq }) => seq);
    this.#settings.hear({ kind: 'gives-up', client: this, updates });
    await this.daemon.orderQueue({ act: 'cancel', target: { number }, withDependents: true });
  }

  /** Paths of what could not be kept under any name (rule C1). */
  lost(): string[] {
    return this.disk.list(`${STORE}/lost+found`);
  }

  /** Resolves too where it dies on its way up; rejects where it can't start, as the daemon does, and is down then. */
  async start(): Promise<void> {
    this.wake();
    const life = new ProcessLife();
    this.#life = life;
    const runtime = await this.#cameUp(life);
    // Its first commit may have been its last call.
    if (runtime === null || life.over) return;
    this.#runtime = runtime;
    const { volume, frontEnd, hear } = this.#settings;
    hear({ kind: 'started', who: this.name });
    const fileSystem = portOf(watchedFileSystem(runtime.programs, this, hear), 'calls', life);
    this.#files = new UserFiles(fileSystem, this.disk, volume);
    if (frontEnd === 'none') return;
    if (this.#folder !== null) return this.#openFolder(this.#folder, runtime, life);
    const applied = (change: ChangeSet): void => hear({ kind: 'applied', client: this, change });
    const pause = (): Promise<void> =>
      new Promise((resolve) => void runtime.timers.start(AGAIN_AFTER, resolve));
    const replica = new MemoryReplica(runtime.feed, this.disk, this.replica, applied, pause);
    runtime.attach(replica, new ReplicaCopies(this.replica, this.disk, `${STORE}/copies`));
    replica.start((error) => {
      if (!life.over) this.#world.fault(error);
    });
  }

  #openFolder(folder: LaptopFolder, runtime: DaemonRuntime, life: ProcessLife): void {
    const { clock, log, disk: stores } = this;
    folder.open({ runtime, life, clock, log, stores });
  }

  /** `kill -9`. What is on its disk stays. */
  crash(): void {
    this.#end('killed');
  }

  /** The machine loses power: what was not synced is gone too. */
  losePower(): void {
    this.#end('power');
    this.#starts += 1;
    this.disk.crash(this.#torn);
    this.clientStore.losePower(this.#torn);
    this.#folder?.losePower();
  }

  /** The machine is suspended: nothing of it runs, nothing reaches it, its clock goes on. */
  sleep(): void {
    this.#world.note(`${this.name} sleeps`);
    this.machine.sleep();
    this.#network.suspend(this.name);
  }

  /** It goes on where it was. `answer`: what it hears of connections that were given up meanwhile. */
  wake(answer: 'reset' | 'none' = 'none'): void {
    if (!this.machine.asleep) return;
    this.#world.note(`${this.name} wakes`);
    this.#network.resume(this.name, answer);
    this.machine.wake();
  }

  /** False: it died while it closed. What has died answers nobody, so its own close is not waited for then. */
  async close(): Promise<boolean> {
    const life = this.#life;
    try {
      await Promise.race([this.#runtime?.close(), life?.ended]);
    } catch (error) {
      if (life?.over !== true) throw error;
    }
    if (life?.over === true) return false;
    this.#end('closed');
    return true;
  }

  #end(how: 'killed' | 'power' | 'closed'): void {
    this.#world.note(`${this.name} ends: ${how}`);
    this.#settings.hear({ kind: 'ended', who: this.name, how });
    this.#life?.end();
    this.#life = null;
    this.#runtime = null;
    this.#files = null;
  }

  async #cameUp(life: ProcessLife): Promise<DaemonRuntime | null> {
    try {
      return (await Promise.race([this.#startProcess(life), life.ended])) ?? null;
    } catch (error) {
      if (life.over) return null;
      this.crash();
      throw error;
    }
  }

  #startProcess(life: ProcessLife): Promise<DaemonRuntime> {
    const { disk, clientStore, chunkLists, crashPoints, machine, clock, log } = this;
    const [settings, network, random] = [this.#settings, this.#network, this.#random];
    const latency = this.#latency('files', this.paces.disk);
    const sending = (priorityClass: PriorityClass): void => {
      // While it is on its way up nobody can look into it.
      if (this.running) settings.hear({ kind: 'sending', client: this, priorityClass });
    };
    const diskBytes = (): number | undefined => this.diskBytes;
    const lent = { settings, network, random, latency, sending, diskBytes };
    this.#process = new LaptopProcess(
      { ...lent, disk, clientStore, chunkLists, crashPoints, machine, clock, log },
      {
        life,
        identity: this.identity,
        starts: this.#starts,
        invitation: this.#invitation,
        deviceName: this.#deviceName ?? this.name,
        renamed: (name) => (this.#deviceName = name),
        paired: () => {
          this.#invitation = null;
        },
        // As the folder does without its records.
        setAside: () => {
          this.replica.replace(new Map(), new Map(), commitNumber(0));
          this.#folder?.setAside();
        },
        fatal: (error) => this.#diedOf(error),
      },
    );
    return this.#process.start();
  }

  /** What its disk did is the world's fault, and the next start may do; any other end is a bug. */
  #diedOf(error: unknown): void {
    if (isOfDisk(error)) this.crash();
    else this.#world.fault(error);
  }

  #latency(what: string, pace: Pace): Latency {
    const label = `${this.name} ${what} answers`;
    return { time: this.machine, random: this.#random.fork(what), label, pace };
  }
}
