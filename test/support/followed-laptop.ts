/**
 * A laptop in a simulated cluster whose front end is the test: the production daemon with a folder's settings, and nobody who
 * follows its feed. What is on its disk and in its database outlives the daemon.
 */
import type { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import { HOME } from '../../app/lab/simulator/cluster/cluster.ts';
import { inOrder, Pace, type Latency } from '../../app/lab/simulator/cluster/latency.ts';
import { LaptopProcess } from '../../app/lab/simulator/cluster/laptop-process.ts';
import { SERVER_HOST, type Invitation } from '../../app/lab/simulator/cluster/server-node.ts';
import { Machine } from '../../app/lab/simulator/clock/machine.ts';
import { VirtualClock } from '../../app/lab/simulator/clock/virtual-clock.ts';
import { MemoryDisk } from '../../app/lab/simulator/disk/memory-disk.ts';
import { simulatedIdentity } from '../../app/lab/simulator/net/identity.ts';
import { CrashPoints } from '../../app/lab/simulator/process/crash-points.ts';
import { ProcessLife } from '../../app/lab/simulator/process/life.ts';
import { MemoryLog } from '../../app/lab/simulator/process/memory-log.ts';
import { MemoryChunkLists } from '../../app/lab/simulator/store/memory-chunk-lists.ts';
import { MemoryClientStore } from '../../app/lab/simulator/store/memory-client-store.ts';
import type { DaemonRuntime } from '../../daemon/runtime/daemon-runtime.ts';
import { present } from '../../shared/util/assert.ts';

const NAME = 'followed';
const DISK_MS = 2;

/** A laptop whose feed the test follows. */
export class FollowedLaptop {
  readonly disk = new MemoryDisk();
  readonly #cluster: Cluster;
  readonly #machine: Machine;
  readonly #clientStore: MemoryClientStore;
  readonly #chunkLists = new MemoryChunkLists({ mostBytes: 1e6 });
  #invitation: Invitation | null;
  #life = new ProcessLife();
  #daemon: DaemonRuntime | null = null;
  #isCut = false;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    this.#machine = new Machine(cluster.world.time);
    this.#clientStore = new MemoryClientStore({ delay: inOrder(this.#latency('database')) });
    this.#invitation = cluster.server.invite('owner', HOME, 'write');
  }

  get daemon(): DaemonRuntime {
    return present(this.#daemon, 'the daemon runs');
  }

  /** Starts the daemon. Resolves when it has connected or failed to. */
  async start(): Promise<void> {
    const cluster = this.#cluster;
    this.#life = new ProcessLife();
    this.#daemon = await cluster.run(this.#process().start(), `${NAME} to start`);
    const isThere = (): boolean => this.#isCut || this.daemon.snapshot().connected;
    await cluster.until(isThere, `${NAME} to connect`);
  }

  /** Kills the daemon and starts it again. */
  async restart(): Promise<void> {
    this.#life.end();
    await this.start();
  }

  cut(): void {
    this.#isCut = true;
    this.#cluster.network.cut(NAME, SERVER_HOST);
  }

  heal(): void {
    this.#isCut = false;
    this.#cluster.network.heal(NAME, SERVER_HOST);
    this.daemon.networkChanged();
  }

  #process(): LaptopProcess {
    const { world, network, server } = this.#cluster;
    const settings = {
      name: NAME,
      serverFingerprint: server.identity.fingerprint,
      frontEnd: 'folder',
      partial: null,
    } as const;
    const lent = {
      ...{ settings, network, machine: this.#machine, clock: new VirtualClock(this.#machine) },
      ...{ random: world.random.fork(NAME), log: new MemoryLog(world, NAME) },
      ...{ disk: this.disk, clientStore: this.#clientStore, chunkLists: this.#chunkLists },
      crashPoints: new CrashPoints(() => undefined),
      latency: this.#latency('files'),
      sending: () => undefined,
      diskBytes: () => undefined,
    };
    return new LaptopProcess(lent, {
      life: this.#life,
      identity: simulatedIdentity(NAME),
      starts: 1,
      invitation: this.#invitation,
      deviceName: NAME,
      renamed: () => undefined,
      paired: () => (this.#invitation = null),
      setAside: () => undefined,
      fatal: (error) => world.fault(error),
    });
  }

  #latency(what: string): Latency {
    const { world } = this.#cluster;
    const random = world.random.fork(`${NAME} ${what}`);
    return {
      ...{ time: this.#machine, random, label: `${NAME} ${what} answers` },
      pace: new Pace(DISK_MS),
    };
  }
}
