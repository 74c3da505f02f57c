/**
 * One server and n laptops in one world: the production core and runtime of both programs, on a simulated network, disks
 * and clocks. A scenario is a few calls of it.
 *
 * What takes a promise runs the world until it is settled, so a scenario reads from top to bottom.
 */
import type { DeviceId, Rights } from '../../../../shared/model/change.ts';
import type { VolumeId } from '../../../../shared/model/fid.ts';
import { milliseconds, minutes } from '../../../../shared/model/time.ts';
import type { Duration } from '../../../../shared/model/time.ts';
import type { UpdateSeq } from '../../../../shared/model/update.ts';
import { present } from '../../../../shared/util/assert.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import type { SharingSettings } from '../../../../server/core/events.ts';
import type { TransferLimits } from '../../../../daemon/runtime/transfers/transfer-limits.ts';
import type { Observe, Observation } from '../check/observation.ts';
import { MemoryNetwork } from '../net/memory-network.ts';
import type { PathConditions } from '../net/pipe.ts';
import { World } from '../world.ts';
import { ClientNode, type ClientSettings } from './client-node.ts';
import { SERVER_HOST, ServerNode } from './server-node.ts';
import type { UserFiles } from './user-files.ts';

export const HOME = 1 as VolumeId;

/** Contents of runs are a few dozen bytes: most of them go all the ways there are. */
const PARTIAL: TransferLimits = { minDelta: 24, minResume: 24 };

export interface ClusterOptions {
  readonly seed?: number;
  readonly clients?: number;
  /** `folder`: each laptop has a replica that follows the feed. `none`: nothing is fetched before it is asked for. */
  readonly frontEnd?: 'folder' | 'none';
  readonly network?: Partial<PathConditions>;
  /** Answers of disks and databases come within this time. */
  readonly diskMs?: number;
  readonly volumes?: number;
  /** What each laptop may keep of fetched contents. */
  readonly cacheBytes?: number;
  /** How large each laptop's disk looks; left out: nobody looks. */
  readonly diskBytes?: number;
  /** From what length on laptops move contents in part; null: they move them whole. */
  readonly partial?: TransferLimits | null;
  /** Left out: as it is for everybody. */
  readonly sharing?: SharingSettings;
  /** The server works in turns, and a device that adds so many rows rests beside others. Left out: all is done at one go. */
  readonly heavyRows?: number;
  /** Keeps the folder of each laptop; left out: a replica in memory stands in for it. */
  readonly folder?: ClientSettings['folder'];
}

export interface LaptopOptions {
  readonly volume?: VolumeId;
  readonly frontEnd?: 'folder' | 'none';
  readonly wallSkewMs?: number;
}

export const LAPTOP_NAMES = ['ada', 'bob', 'cleo', 'dan', 'eve', 'finn'];

/** Runs a server and laptops in one simulated world. */
export class Cluster {
  readonly world: World;
  readonly network: MemoryNetwork;
  readonly server: ServerNode;
  readonly clients: ClientNode[] = [];
  /** Laptops that were taken out for good: what is on their disks is still there. */
  readonly gone: ClientNode[] = [];
  readonly #options: ClusterOptions;
  /** Another list with each change: who is heard while it changes is the one before. */
  #watchers: readonly Observe[] = [];

  private constructor(options: ClusterOptions) {
    const { seed = 1, network = {}, diskMs = 2, volumes = 1 } = options;
    this.#options = options;
    this.world = new World(seed);
    this.network = new MemoryNetwork(this.world.time, network, this.world.random.fork('network'));
    this.network.onContents = (contents) =>
      this.hear({ kind: 'left', ...contents, at: this.world.time.now() });
    this.server = new ServerNode(this.world, this.network, diskMs, this.hear);
    this.server.sharing = options.sharing ?? null;
    this.server.heavyRows = options.heavyRows ?? null;
    this.server.metaStore.beginWith(volumes);
  }

  /** A server and its laptops, paired and connected. */
  static async start(options: ClusterOptions = {}): Promise<Cluster> {
    const cluster = new Cluster(options);
    await cluster.run(cluster.server.start(), 'the server to start');
    for (let i = 0; i < (options.clients ?? 2); i++) await cluster.join();
    return cluster;
  }

  /** Everybody who watches hears it. */
  readonly hear: Observe = (observation: Observation): void => {
    for (const watcher of this.#watchers) watcher(observation);
  };

  /** Gives how to stop it. */
  watch(hear: Observe): () => void {
    this.#watchers = [...this.#watchers, hear];
    return () => {
      const at = this.#watchers.indexOf(hear);
      if (at >= 0) this.#watchers = this.#watchers.toSpliced(at, 1);
    };
  }

  /** One more laptop, of the same user where no other is named. */
  async join(
    rights: Rights = 'write',
    user = 'owner',
    options: LaptopOptions = {},
  ): Promise<ClientNode> {
    const client = this.add(rights, user, options);
    await this.run(client.start(), `${client.name} to start`);
    await this.until(() => client.status.connected, `${client.name} to connect`);
    return client;
  }

  /** One more laptop, not switched on yet, with everything that this one has on its disk; null: there are enough of them. */
  copy(client: ClientNode): ClientNode | null {
    if (this.clients.length + this.gone.length >= LAPTOP_NAMES.length) return null;
    const { rights, user, volume, frontEnd } = client;
    const copied = this.add(rights, user, { volume, frontEnd });
    copied.copyOf(client);
    return copied;
  }

  /** Invites a laptop again, for its own user: as the device that it is, or as another one. */
  inviteAgain(client: ClientNode, as: 'itself' | 'another'): void {
    const invitation = this.server.invite(client.user, client.volume, client.rights);
    if (as === 'itself') client.invited(invitation);
    else client.pairAgain(invitation);
  }

  /** As each laptop's disk looks to it; undefined: nobody looks. */
  get diskBytes(): number | undefined {
    return this.#options.diskBytes;
  }

  /** One more laptop that is not switched on yet; its invitation is written. */
  add(rights: Rights = 'write', user = 'owner', options: LaptopOptions = {}): ClientNode {
    const { diskMs = 2, cacheBytes, diskBytes, partial = PARTIAL, folder } = this.#options;
    const { volume = HOME, frontEnd = this.#options.frontEnd ?? 'folder' } = options;
    const client = new ClientNode(this.world, this.network, {
      name: present(
        LAPTOP_NAMES[this.clients.length + this.gone.length],
        'there is a name for each laptop',
      ),
      invitation: this.server.invite(user, volume, rights),
      user,
      rights,
      serverFingerprint: this.server.identity.fingerprint,
      frontEnd,
      volume,
      diskMs,
      partial,
      ...(cacheBytes === undefined ? {} : { cacheBytes }),
      ...(diskBytes === undefined ? {} : { diskBytes }),
      hear: this.hear,
      ...(folder === undefined ? {} : { folder }),
    });
    client.clock.jumpWall(options.wallSkewMs ?? 0);
    this.clients.push(client);
    return client;
  }

  /** Takes a laptop out that is lost for good: it takes no part in checks of all laptops. */
  takeOut(client: ClientNode): void {
    if (client.running) client.crash();
    this.clients.splice(this.clients.indexOf(client), 1);
    this.gone.push(client);
  }

  /** Lets the world go on until the promise is settled. */
  run<T>(promise: Promise<T>, what = 'the promise', within: Duration = minutes(10)): Promise<T> {
    return this.world.runFor(promise, what, { within });
  }

  until(holds: () => boolean, what: string, within: Duration = minutes(10)): Promise<void> {
    return this.world.runUntil(holds, what, { within });
  }

  pass(duration: Duration): Promise<void> {
    return this.world.pass(duration);
  }

  /** A program on a laptop does something; the world goes on until it is done. */
  at<T>(client: ClientNode, work: (files: UserFiles) => Promise<T>): Promise<T> {
    return this.run(work(client.files), `a program at ${client.name}`);
  }

  cut(client: ClientNode): void {
    this.world.note(`${client.name} is cut off`);
    this.network.cut(client.name, SERVER_HOST);
  }

  /** Reconnects the network of a laptop, and its operating system reports that. */
  heal(client: ClientNode): void {
    this.world.note(`${client.name} is back`);
    this.network.heal(client.name, SERVER_HOST);
    this.networkChanged(client);
  }

  /** What the operating system tells; a machine that sleeps hears nothing. */
  networkChanged(client: ClientNode): void {
    if (client.running && !client.machine.asleep) client.daemon.networkChanged();
  }

  async restart(node: ClientNode | ServerNode): Promise<void> {
    if (node.running) node.crash();
    await this.run(node.start(), 'the process to start again');
  }

  /**
   * Until every change made so far is committed and shown by every laptop that runs: they flush, until a whole
   * round has brought nothing new.
   */
  async settled(clients: readonly ClientNode[] = this.clients): Promise<void> {
    const running = clients.filter((client) => client.running);
    for (let before = ''; ;) {
      for (const client of running) await this.#flush(client);
      await this.pass(milliseconds(100));
      const shown = JSON.stringify(running.map(settledAt));
      if (shown === before) return;
      before = shown;
    }
  }

  /**
   * Waits until a laptop has synced. A laptop that may only read keeps what was changed there all the same, and reports that (W7); the rest must be
   * synced. One that does not know yet that a quota has room again, or that it may write again, reports that too, and goes on when it does. What is to
   * show a volume that was withdrawn since is refused, and a person takes it out of the queue, as the status says.
   */
  async #flush(client: ClientNode): Promise<void> {
    try {
      await this.run(client.daemon.flush(null), `${client.name}'s flush`);
    } catch (error) {
      if (!isBlocked(error)) throw error;
      if (client.rights !== 'read') {
        const isOver = (): boolean => !isHeldBack(client) || this.#unseenOf(client).length > 0;
        await this.until(isOver, `${client.name} to hear that it may go on`);
        const [unseen] = this.#unseenOf(client);
        if (unseen !== undefined) await this.run(client.giveUp(unseen), 'something to be given up');
        return this.#flush(client);
      }
      const history = await this.run(this.server.history(client.volume));
      const head = history.at(-1)?.commit ?? 0;
      const isThere = (): boolean => client.frontEnd === 'none' || client.replica.applied >= head;
      await this.until(isThere, `${client.name} to follow`);
    }
  }

  /** What was refused since it shows a volume that its device may not see, as the server knows it. */
  #unseenOf({ daemon: { inside } }: ClientNode): UpdateSeq[] {
    const seen = this.server.inside.devices.get(inside.meta.get('device') as DeviceId)?.rights;
    return [...inside.log.all()].flatMap(({ seq, state, update }) => {
      const shows = update.op === 'mkdir' ? update.mounts : undefined;
      return state === 'blocked' && shows !== undefined && seen?.has(shows) === false ? [seq] : [];
    });
  }

  /** The names a laptop shows, with the text of each file; null: no file. */
  shown(client: ClientNode): Record<string, string | null> {
    const decoder = new TextDecoder();
    return Object.fromEntries(
      [...client.replica.tree()].map(([path, { bytes }]) => [
        path,
        bytes === null ? null : decoder.decode(bytes),
      ]),
    );
  }
}

function isBlocked(error: unknown): boolean {
  return error instanceof GodwitError && error.code === 'sync-blocked';
}

function isHeldBack({ daemon }: ClientNode): boolean {
  return [...daemon.inside.log.all()].some(({ state }) => state === 'blocked');
}

function settledAt(client: ClientNode): unknown {
  const { queues, volumes } = client.status;
  return [queues, volumes, client.replica.applied];
}
