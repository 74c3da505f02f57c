/** A replay's world in virtual time: the production core and runtime of server and laptops on simulated ports. One seed is one run. */
import { rootOf, type VolumeId } from '../../../../shared/model/fid.ts';
import { minutes } from '../../../../shared/model/time.ts';
import { CallMeter } from '../../../../shared/metrics/call-meter.ts';
import type { TransportHandler, Transport } from '../../../../shared/ports/transport.ts';
import { allOfQueue } from '../../../../shared/control/all-of-queue.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { ClientNode, type ClientSettings } from '../../simulator/cluster/client-node.ts';
import { SERVER_HOST, ServerNode } from '../../simulator/cluster/server-node.ts';
import { MemoryNetwork } from '../../simulator/net/memory-network.ts';
import type { Sending } from '../../simulator/net/send-queue.ts';
import type { ScheduledEvent } from '../../simulator/clock/virtual-time.ts';
import { World } from '../../simulator/world.ts';
import type { LocalTexts } from '../../../../shared/group/group-files.ts';
import type { Baseline } from '../engine/baseline.ts';
import { heldBytes } from '../engine/held-bytes.ts';
import { edited } from '../engine/filler.ts';
import { callMsAt } from '../engine/mean-costs.ts';
import type {
  ClassSums,
  Crossed,
  Edit,
  LaptopSettings,
  LinkProfile,
  MachineCosts,
  ReplayLaptop,
  ReplayWorld,
  WorldSettings,
} from '../engine/replay-world.ts';
import { pathOf } from './line-model.ts';
import { slowFileSystem } from './slow-file-system.ts';

export interface SimulatedSettings extends WorldSettings {
  readonly seed: number;
  readonly signal: AbortSignal;
  /** What a machine was measured to take; left out: one without other work. */
  readonly machine?: MachineCosts | null;
}

const VOLUME = 1 as VolumeId;
const MIB = 1024 * 1024;
/**
 * The machine on which the line model was measured: two cores with other work. A call of a program is what is left of an open, which is three of them
 * and took 1.27 to 1.45 ms on average where nothing was fetched (Grep beside Write, 768 opens each). What the disk takes for bytes is in
 * none of its figures.
 */
const USUAL_MACHINE: MachineCosts = {
  ...{ callMs: 0.4, calls: [], editMs: 0.05, syncMs: 0.8, writeMsPerMiB: 0 },
};
/** What a disk or a database takes for an answer at most where nothing is synced. */
const DISK_MS = 0.5;
/** A write to a file that is in memory. */
const RECORD_MS = 0.1;
/** The production values: from which length contents are transferred in part, and continue after a break. */
const PARTIAL = { minDelta: 32 * 1024, minResume: 256 * 1024 };
/** A run of hours at megabytes a second has hundreds of millions of events; one that is stuck has a time limit. */
const NO_STEP_LIMIT = { stepLimit: Number.POSITIVE_INFINITY };

const nobody = (): void => undefined;

/** Runs a replay in virtual time, with the production core on simulated ports. */
export class SimulatedWorld implements ReplayWorld {
  readonly #world: World;
  readonly #network: MemoryNetwork;
  readonly #server: ServerNode;
  readonly #settings: SimulatedSettings;
  readonly #machine: MachineCosts;
  #started = false;

  constructor(settings: SimulatedSettings) {
    this.#settings = settings;
    this.#world = new World(settings.seed);
    const { time, random } = this.#world;
    this.#network = new MemoryNetwork(time, {}, random.fork('network'));
    this.#machine = settings.machine ?? USUAL_MACHINE;
    this.#server = new ServerNode(this.#world, this.#network, DISK_MS, nobody);
    this.#setSyncs(this.#server);
    this.#server.sending = sendingOf(settings);
    this.#server.metaStore.beginWith(1);
  }

  now(): number {
    return this.#world.time.now();
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#world.time.in(ms, 'a program thinks', resolve));
  }

  async laptop(name: string, settings: LaptopSettings): Promise<ReplayLaptop> {
    if (!this.#started) {
      this.#started = true;
      await this.#server.start();
    }
    const { baseline = {} } = this.#settings;
    const without = withoutOf(baseline);
    const meter = new CallMeter(() => this.now());
    const node = new ClientNode(this.#world, this.#network, {
      name,
      invitation: this.#server.invite('owner', VOLUME, 'write'),
      user: 'owner',
      rights: 'write',
      serverFingerprint: this.#server.identity.fingerprint,
      frontEnd: 'none',
      volume: VOLUME,
      ...{ diskMs: DISK_MS, recordMs: RECORD_MS },
      partial: PARTIAL,
      hear: nobody,
      sending: sendingOf(this.#settings),
      ...(without === null ? {} : { without }),
      around: (makeLink: (handler: TransportHandler) => Transport) => meter.around(makeLink),
    });
    this.#setSyncs(node);
    const laptop = new SimulatedLaptop(this.#world, this.#network, node, {
      meter,
      machine: this.#machine,
      hasWindow: sendingOf(this.#settings).isFifo !== true,
    });
    if (settings.line !== null) laptop.begin(settings.line);
    await laptop.start();
    const { policy, delayMs, cacheBytes: maximum } = settings;
    await node.daemon.writeback({ policy, ...(delayMs === undefined ? {} : { delayMs }) });
    await node.daemon.consistency(settings.consistency ?? {});
    await node.daemon.cacheSettings({ prefetch: settings.prefetch, maximum });
    return laptop;
  }

  /** What a sync adds at most: answers take any time up to it, so half of it on average. */
  #setSyncs({ paces }: ServerNode | ClientNode): void {
    for (const pace of [paces.disk, paces.database]) pace.syncMs = 2 * this.#machine.syncMs;
  }

  async forget(): Promise<void> {
    await this.#server.close();
    await this.#server.start();
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    const { signal } = this.#settings;
    const interrupted = new Promise<never>((_, reject) => {
      const stop = (): void => reject(new GodwitError('timed-out', 'replay: interrupted'));
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
    });
    const either = Promise.race([work(), interrupted]);
    return this.#world.runFor(either, 'the replay', NO_STEP_LIMIT);
  }

  close(): Promise<void> {
    if (this.#server.running) this.#server.crash();
    return Promise.resolve();
  }
}

/** How both ends of a line order what they send. */
function sendingOf({ scheduling, baseline = {} }: WorldSettings): Sending {
  const isFifo = scheduling === 'uniform' && baseline.uniform === 'fifo';
  return { scheduling, headersFirst: !isFifo, isFifo };
}

function withoutOf({
  validations,
  readAhead,
}: Baseline): NonNullable<ClientSettings['without']> | null {
  if (validations === undefined && readAhead === undefined) return null;
  return { promises: validations === 'always', readAhead: readAhead === 'off' };
}

class SimulatedLaptop implements ReplayLaptop {
  readonly name: string;
  readonly root = rootOf(VOLUME);
  readonly #world: World;
  readonly #network: MemoryNetwork;
  readonly #node: ClientNode;
  readonly #meter: CallMeter;
  readonly #machine: MachineCosts;
  readonly #hasWindow: boolean;
  #line: LinkProfile | null = null;
  #steps: ScheduledEvent[] = [];
  #began = 0;

  constructor(
    world: World,
    network: MemoryNetwork,
    node: ClientNode,
    { meter, machine, hasWindow }: { meter: CallMeter; machine: MachineCosts; hasWindow: boolean },
  ) {
    this.name = node.name;
    this.#world = world;
    this.#network = network;
    this.#node = node;
    this.#meter = meter;
    this.#machine = machine;
    this.#hasWindow = hasWindow;
  }

  /** Of the daemon that runs now: a program finds it anew after a restart. */
  get fs(): ReplayLaptop['fs'] {
    const { programs } = this.#node.daemon;
    if (this.#line === null) return programs;
    return slowFileSystem(programs, (begin) => {
      const ms = callMsAt(this.#machine, (this.#world.time.now() - this.#began) / 1000);
      this.#world.time.in(ms, 'a program calls its daemon', begin);
    });
  }

  get texts(): LocalTexts {
    const { disk } = this.#node;
    return {
      read: (path) => Promise.resolve(new TextDecoder().decode(disk.read(path))),
      write: (path, text) => Promise.resolve(disk.write(path, new TextEncoder().encode(text))),
    };
  }

  async start(): Promise<void> {
    await this.#node.start();
    for (let last = -1; !this.#node.status.connected;) {
      await this.#node.daemon.changed(last, minutes(1));
      last = this.#node.status.revision;
    }
  }

  async change(path: string, edits: readonly Edit[], stamp: number): Promise<void> {
    const { disk } = this.#node;
    const bytes = edits.reduce((sum, edit) => sum + (edit.kind === 'write' ? edit.length : 0), 0);
    const { editMs, writeMsPerMiB } = this.#machine;
    const took = edits.length * editMs + (bytes / MIB) * writeMsPerMiB;
    const ms = this.#line === null ? 0 : took;
    if (ms > 0) {
      await new Promise<void>(
        (resolve) => void this.#world.time.in(ms, 'a disk is written', resolve),
      );
    }
    disk.write(path, edited(disk.has(path) ? disk.read(path) : new Uint8Array(0), edits, stamp));
  }

  measure(): null {
    return null;
  }

  async holds(path: string): Promise<number | null> {
    const { daemon } = this.#node;
    return heldBytes(await allOfQueue((asked) => daemon.queue(asked), { of: 'data' }), path);
  }

  async flush(): Promise<void> {
    await this.#node.daemon.flush(null);
  }

  calls(): Promise<ClassSums> {
    return Promise.resolve(this.#meter.sums());
  }

  crossed(): Crossed {
    const { name } = this;
    return {
      up: this.#network.pipe(name, SERVER_HOST).crossedBytes,
      down: this.#network.pipe(SERVER_HOST, name).crossedBytes,
      packets: null,
    };
  }

  begin(line: LinkProfile | null = this.#line): void {
    for (const step of this.#steps) step.cancel();
    this.#steps = [];
    this.#line = line;
    this.#began = this.#world.time.now();
    for (const { atMs, bytesPerSecond } of line?.rate ?? []) {
      if (atMs === 0) this.#shape(bytesPerSecond);
      else {
        const label = `the line of ${this.name} changes`;
        this.#steps.push(this.#world.time.in(atMs, label, () => this.#shape(bytesPerSecond)));
      }
    }
  }

  async restart(): Promise<void> {
    await this.#node.close();
    await this.start();
  }

  async close(): Promise<void> {
    for (const step of this.#steps) step.cancel();
    await this.#node.close();
  }

  #shape(bytesPerSecond: number): void {
    const { roundTripMs = 0, queueMs = 0 } = this.#line ?? {};
    const line = { bytesPerSecond, roundTripMs, queueMs, hasWindow: this.#hasWindow };
    this.#network.shape(this.name, SERVER_HOST, pathOf({ ...line, towards: 'server' }));
    this.#network.shape(SERVER_HOST, this.name, pathOf({ ...line, towards: 'laptop' }));
  }
}
