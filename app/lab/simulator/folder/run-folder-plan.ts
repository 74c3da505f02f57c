/**
 * Carries out a plan of this world: programs begin and machines die at their times; then faults stop, everything settles, and the checkers look.
 */
import { milliseconds, minutes } from '../../../../shared/model/time.ts';
import { present } from '../../../../shared/util/assert.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import type { Finding } from '../check/finding.ts';
import { Cluster, HOME } from '../cluster/cluster.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import { isOfDisk } from '../process/disk-end.ts';
import type { World } from '../world.ts';
import type { CheckedRun } from './check/checked-run.ts';
import { leftBy, lookAsLeft } from './check/as-it-was-left.ts';
import { checkAtRest } from './check/at-rest.ts';
import { includeAll } from './check/excluded-gone.ts';
import { FlushCheck } from './check/flush-check.ts';
import { lookWhenQuiet } from './check/quiet-check.ts';
import { FolderMachine } from './folder-machine.ts';
import type {
  FolderEntry,
  FolderFault,
  FolderPlan,
  FolderSettings,
  MachineFault,
  MountedFault,
} from './folder-plan.ts';
import { MountedFaults, mountedIn } from './mounted-faults.ts';
import { Ledger } from './ledger.ts';
import { boundedBy, giveCommand } from './person-commands.ts';
import { programCalled } from './programs/programs.ts';
import { givesRights } from './programs/people.ts';
import { SimulatedUserDisk } from './simulated-user-disk.ts';
import { VolumeState, type Tree } from './trees.ts';
import type { UserDisk } from './user-disk.ts';

export interface FolderReport {
  readonly seed: number;
  readonly digest: string;
  readonly findings: readonly Finding[];
  /** Programs that were begun. */
  readonly steps: number;
  /** Calls of simulated disks. */
  readonly operations: number;
  readonly events: number;
  readonly virtualMs: number;
}

export interface FolderRunOptions {
  /** Makes the disk of a laptop; left out: a simulated one. */
  readonly makeDisk?: (client: ClientNode, world: World, settings: FolderSettings) => UserDisk;
}

const SETTLE_WITHIN = minutes(30);
const ROUNDS = 40;
/** What a disk refused again and again is tried again so much later at most, and a little more. */
const TRIED_AGAIN = minutes(11);
/** Replaced files are kept so long, and a little more passes until somebody looks. */
const LATE = minutes(21);

/** Runs a plan in a world of its own, and reports what was found. */
export async function runFolderPlan(
  plan: FolderPlan,
  options: FolderRunOptions = {},
): Promise<FolderReport> {
  return new FolderRun(plan, options).run();
}

class FolderRun implements CheckedRun {
  readonly ledger = new Ledger();
  readonly machines: FolderMachine[] = [];
  readonly findings: Finding[] = [];
  readonly #plan: FolderPlan;
  readonly #options: FolderRunOptions;
  #cluster: Cluster | null = null;
  /** Faults that are on: what ends them, at their times. */
  readonly #lasting: Array<{ readonly at: number; readonly end: () => Promise<void> | void }> = [];
  readonly #flushes: FlushCheck;
  #begun = 0;

  constructor(plan: FolderPlan, options: FolderRunOptions) {
    this.#plan = plan;
    this.#options = options;
    this.#flushes = new FlushCheck(this);
  }

  get cluster(): Cluster {
    return present(this.#cluster, 'the world has begun');
  }

  get #mounts(): MountedFaults {
    return new MountedFaults(this.cluster, this.ledger);
  }

  get plan(): FolderPlan {
    return this.#plan;
  }

  readonly find = (checker: string, text: string): void => {
    if (this.findings.some((known) => known.checker === checker && known.text === text)) return;
    this.findings.push({ checker, text });
  };

  /** Everything that was committed. */
  async volume(): Promise<VolumeState> {
    return new VolumeState(HOME, await this.cluster.run(this.cluster.server.history(HOME)));
  }

  async run(): Promise<FolderReport> {
    const { seed } = this.#plan;
    try {
      await this.#begin();
      await this.#work();
      const left = await this.#rest();
      await checkAtRest(this);
      const [machine] = this.machines;
      if (machine !== undefined && left !== null) lookAsLeft(this, machine, left);
    } catch (error) {
      this.find('the run comes to its end', stackOf(error));
    }
    const world = this.#cluster?.world;
    return {
      ...{ seed, digest: world?.trace.digest() ?? '', findings: this.findings, steps: this.#begun },
      operations: this.machines.reduce((sum, { calls }) => sum + calls, 0),
      events: world?.trace.count ?? 0,
      virtualMs: world?.time.now() ?? 0,
    };
  }

  async #begin(): Promise<void> {
    const { seed, settings } = this.#plan;
    const { diskMs, networkMs, cacheBytes, laptops } = settings;
    const mounted = mountedIn(settings);
    const cluster = await Cluster.start({
      ...{ seed, clients: 0, diskMs, network: { delayMs: networkMs } },
      ...(cacheBytes === null ? {} : { cacheBytes }),
      ...(mounted.length === 0 ? {} : { volumes: mounted.length + 1 }),
      folder: (client) => this.#machineOf(client),
    });
    this.#cluster = cluster;
    for (let at = 0; at < laptops; at++) {
      const { daemon, user } = await (mounted.length === 0
        ? cluster.join()
        : cluster.join('write', `user ${at}`));
      for (const volume of mounted) cluster.server.metaStore.allow(user, volume, 'write');
      // What a folder keeps is bounded where a person has said so, not by what the daemon was configured with.
      if (cacheBytes !== null) await cluster.run(daemon.cacheSettings(boundedBy(cacheBytes)));
    }
    await this.#until(() => this.machines.every(({ folder }) => folder !== null), 'open folders');
  }

  #machineOf(client: ClientNode): FolderMachine {
    const { diskMs, paceMs, betweenChance, limits, longChance } = this.#plan.settings;
    const { world } = this.cluster;
    const { makeDisk = simulatedDisk } = this.#options;
    const machine = new FolderMachine({
      ...{ world, client, ledger: this.ledger, diskMs, paceMs, betweenChance, limits, longChance },
      hasMounts: mountedIn(this.#plan.settings).length > 0,
      disk: makeDisk(client, world, ofLaptop(this.#plan.settings, this.machines.length)),
      random: world.random.fork(`folder of ${client.name}`),
      find: this.find,
    });
    this.machines.push(machine);
    return machine;
  }

  async #work(): Promise<void> {
    const begin = this.cluster.world.time.now();
    for (const entry of this.#plan.entries) {
      await this.#passUntil(begin + entry.at);
      await this.#do(entry);
    }
  }

  async #do(entry: FolderEntry): Promise<void> {
    const machine = present(this.machines[entry.laptop], 'the plan knows its laptops');
    const { client } = machine;
    const { world } = this.cluster;
    if (entry.kind === 'program') {
      const kind = programCalled(entry.program);
      if (kind === null) return;
      this.#begun += 1;
      machine.begin(kind, entry.seed);
      return;
    }
    if (entry.kind === 'flush') return this.#flushes.begin(machine);
    if (entry.kind === 'command') return giveCommand(entry, machine, world);
    world.note(`fault ${JSON.stringify(entry)}`);
    const back = (downMs: number): void => this.#later(downMs, () => this.#start(client));
    if (isOfMachine(entry)) return this.#doToMachine(entry, machine);
    if (isOfMounts(entry)) {
      return this.#mounts.begin(entry, machine, (lastsMs, end) => this.#later(lastsMs, end));
    }
    switch (entry.do) {
      case 'crash-at-call':
        machine.crashAtCall(entry.calls, () => back(entry.downMs));
        return;
      case 'kill':
        if (!client.begun) return;
        client.crash();
        return back(entry.downMs);
      case 'power': {
        if (!client.begun) return;
        machine.troubles.mountAll();
        const before = machine.files();
        client.losePower();
        machine.lostPower(before);
        return back(entry.downMs);
      }
      case 'cut':
        this.cluster.cut(client);
        return this.#later(entry.lastsMs, () => this.cluster.heal(client));
      case 'restart':
        if (!client.running || client.machine.asleep) return;
        // False: another fault ended it while it closed, and starts it again.
        if (await this.#close(client)) back(entry.downMs);
        return;
      case 'records-lost':
        if (!client.begun) return;
        client.crash();
        machine.loseRecords();
        return back(entry.downMs);
      case 'rights': {
        const { metaStore } = this.cluster.server;
        metaStore.allow(client.user, HOME, entry.rights);
        return this.#later(entry.lastsMs, () => metaStore.allow(client.user, HOME, 'write'));
      }
      case 'restored':
        return this.#putBack(entry.lastsMs);
      case 'server-crash': {
        const { server } = this.cluster;
        if (!server.running) return;
        server.crash();
        return this.#later(entry.downMs, () => this.#start(server));
      }
    }
  }

  #doToMachine(fault: MachineFault, { client, troubles }: FolderMachine): void {
    switch (fault.do) {
      case 'disk':
        return this.#later(fault.lastsMs, troubles.begin(fault.what));
      case 'mount':
        return this.#later(fault.lastsMs, troubles.beginMount(fault));
      case 'error-at-call':
        return troubles.errorAtCall(fault);
      case 'wall':
        return client.clock.jumpWall(fault.byMs);
      case 'sleep':
        if (client.machine.asleep) return;
        client.sleep();
        return this.#later(fault.lastsMs, () => client.wake(fault.answer));
    }
  }

  /** The server gets at the end what it has now. */
  #putBack(lastsMs: number): void {
    const { server } = this.cluster;
    if (!server.isWhole) return;
    const backup = server.backUp();
    this.#later(lastsMs, async () => {
      if (server.begun) server.crash();
      const orders = server.metaStore.orders();
      server.restore(backup);
      server.metaStore.orderAgain(orders);
      await this.#start(server);
    });
  }

  #close(client: ClientNode): Promise<boolean> {
    return this.cluster.run(client.close(), `${client.name} to close`);
  }

  #later(delayMs: number, end: () => Promise<void> | void): void {
    this.#lasting.push({ at: this.cluster.world.time.now() + delayMs, end });
    this.#lasting.sort((a, b) => a.at - b.at);
  }

  async #start(node: ClientNode | Cluster['server']): Promise<void> {
    if (node.running || node.begun) return;
    try {
      await this.cluster.run(node.start(), 'a process to start');
    } catch (error) {
      if (!isOfDisk(error)) throw error;
      this.cluster.world.note(`a start failed: ${String(error)}`);
      this.#later(1000, () => this.#start(node));
    }
  }

  /** Lets time pass, ending faults on the way. */
  async #passUntil(time: number): Promise<void> {
    const { world } = this.cluster;
    for (;;) {
      const [first] = this.#lasting;
      if (first === undefined || first.at > time) break;
      if (first.at > world.time.now()) await world.pass(milliseconds(first.at - world.time.now()));
      this.#lasting.shift();
      await first.end();
    }
    if (time > world.time.now()) await world.pass(milliseconds(time - world.time.now()));
  }

  /** Faults stop, programs end, everybody is let into everything, and all of it settles. Gives what was in the folder when the programs had ended. */
  async #rest(): Promise<Tree | null> {
    const { world } = this.cluster;
    for (const machine of this.machines) machine.crashAtNoCall();
    for (let last = this.#lasting.at(-1); last !== undefined; last = this.#lasting.at(-1)) {
      await this.#passUntil(Math.max(last.at, world.time.now()));
    }
    for (const { troubles } of this.machines) troubles.end();
    await this.#startAll();
    await this.#until(
      () => this.machines.every(({ programs }) => programs.count === 0),
      'the programs to end',
    );
    for (const machine of this.machines) {
      machine.begin({ name: 'gives-rights', weight: 0, run: givesRights }, 0);
    }
    await this.#until(
      () => this.machines.every(({ programs }) => programs.count === 0),
      'rights to be given',
    );
    const left = leftBy(this);
    await this.#until(
      () => this.machines.every(({ client }) => client.status.connected),
      'everybody to be connected',
    );
    await this.#until(() => this.machines.every(({ folder }) => folder !== null), 'open folders');
    await this.#recover();
    if (mountedIn(this.#plan.settings).length > 0) await this.#giveUpRefused();
    await lookWhenQuiet(this);
    await this.#settle();
    for (let round = 0; round < ROUNDS && (await includeAll(this)); round++) await this.#settle();
    if (!this.#plan.settings.isLong) return left;
    await world.pass(LATE);
    await this.#settle();
    return left;
  }

  /** Where a disk refused something: that is tried again within a time, and what it did not let go of goes at the next start. */
  async #recover(): Promise<void> {
    const refused = this.machines.filter(({ troubles }) => troubles.wereAny);
    if (refused.length === 0) return;
    await this.cluster.world.pass(TRIED_AGAIN);
    await this.#settle();
    for (const { client } of refused) if (client.running) await this.#close(client);
    await this.#startAll();
    await this.#until(() => this.machines.every(({ folder }) => folder !== null), 'open folders');
  }

  /** What was refused in a mount point is found refused by a flush, and given up by its person. */
  async #giveUpRefused(): Promise<void> {
    for (let round = 0; round < ROUNDS; round++) {
      await this.#settle();
      if (!(await this.#mounts.giveUp(this.machines))) return;
    }
  }

  async #startAll(): Promise<void> {
    await this.#start(this.cluster.server);
    for (const { client } of this.machines) await this.#start(client);
  }

  /** Everybody flushes until a whole round has brought nothing new. Held removals are meant. */
  async #settle(): Promise<void> {
    for (let round = 0, before = ''; round < ROUNDS; round++) {
      for (const machine of this.machines) await this.#flush(machine);
      await this.cluster.pass(milliseconds(500));
      const now = JSON.stringify(this.machines.map((machine) => this.#stateOf(machine)));
      if (now === before) return;
      before = now;
    }
    this.find('everything settles', `not in ${ROUNDS} rounds`);
  }

  #stateOf({ client, folder }: FolderMachine): unknown {
    const { queues, volumes } = client.status;
    return [queues, volumes, folder?.unsettled(), folder?.heldRemovals()];
  }

  async #flush(machine: FolderMachine): Promise<void> {
    const { client } = machine;
    try {
      const confirmed = client.daemon.confirmRemovals();
      await this.cluster.run(confirmed, `${client.name}'s confirming`, SETTLE_WITHIN);
      await this.cluster.run(client.flush(null), `${client.name}'s flush`, SETTLE_WITHIN);
    } catch (error) {
      // It says what is not synced: the checkers look whether it says so rightly.
      if (!(error instanceof GodwitError)) throw error;
      this.cluster.world.note(`${client.name}'s flush says ${error.message}`);
    }
  }

  async #until(holds: () => boolean, what: string): Promise<void> {
    await this.cluster.until(holds, what, SETTLE_WITHIN);
  }
}

const OF_MOUNTS: ReadonlySet<FolderFault['do']> = new Set<MountedFault['do']>([
  ...(['volume-mounted', 'volume-unmounted', 'withdrawn'] as const),
  ...(['mount-vanishes', 'give-up'] as const),
]);

function isOfMounts<Fault extends FolderFault>(
  fault: Fault,
): fault is Extract<Fault, { readonly do: MountedFault['do'] }> {
  return OF_MOUNTS.has(fault.do);
}

const OF_MACHINE: ReadonlySet<FolderFault['do']> = new Set<MachineFault['do']>([
  ...(['disk', 'error-at-call', 'mount', 'sleep', 'wall'] as const),
]);

function isOfMachine<Fault extends FolderFault>(
  fault: Fault,
): fault is Extract<Fault, { readonly do: MachineFault['do'] }> {
  return OF_MACHINE.has(fault.do);
}

/** The settings as the laptop of that number has them. */
function ofLaptop(settings: FolderSettings, laptop: number): FolderSettings {
  const { fileSystem, ownFileSystems = [], innerDisks = [], lacks = [] } = settings;
  return {
    ...settings,
    fileSystem: ownFileSystems[laptop] ?? fileSystem,
    innerDisks: [innerDisks[laptop] ?? null],
    lacks: [lacks[laptop] ?? null],
  };
}

function simulatedDisk(client: ClientNode, world: World, settings: FolderSettings): UserDisk {
  const { fileSystem, diskMs, watches, innerDisks = [], lacks = [] } = settings;
  return new SimulatedUserDisk({
    ...{ clock: client.clock, time: client.machine, fileSystem, diskMs, watches },
    innerDisk: innerDisks[0] ?? null,
    lacks: lacks[0] ?? null,
    random: world.random.fork(`disk of ${client.name}`),
  });
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
