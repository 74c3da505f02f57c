/**
 * Carries out a plan in a new world: its operations and faults, each at its time; then the faults stop, everything settles, and
 * the checkers look.
 */
import type { VolumeId } from '../../../../shared/model/fid.ts';
import { instant, milliseconds, minutes } from '../../../../shared/model/time.ts';
import { present } from '../../../../shared/util/assert.ts';
import type { ErrorCode } from '../../../../shared/wire/error-codes.ts';
import { Heap } from '../../../../shared/util/heap.ts';
import { CHECKERS } from '../check/checkers.ts';
import { RETRY_MOST } from '../../../../daemon/limits.ts';
import { FETCH_WAIT, SHARE_PERIOD } from '../../../../server/limits.ts';
import type { Checker, CheckerKind } from '../check/checker.ts';
import type { Finding } from '../check/finding.ts';
import type { Observe } from '../check/observation.ts';
import { Ledgers } from '../check/ledgers.ts';
import { isSettled, settleBound } from '../check/settle-bound.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import { Cluster } from '../cluster/cluster.ts';
import { setLimits } from '../cluster/set-limits.ts';
import type { EndFault, FaultFamily, FaultTarget } from '../fault/fault.ts';
import { ALL_FAULTS } from '../fault/faults.ts';
import type { FaultEvent, LaptopPlan, Plan, PlanEntry } from '../plan/plan.ts';
import { isOfDisk } from '../process/disk-end.ts';
import { Programs } from './programs.ts';

export interface Report {
  readonly seed: number;
  /** Of the whole trace: one plan has one. */
  readonly digest: string;
  readonly findings: readonly Finding[];
  /** Steps of the plan that were begun: what a program does at one go. */
  readonly steps: number;
  /** File-system operations that these and other programs came to: calls of the port, but for lookups. */
  readonly operations: number;
  readonly events: number;
  readonly virtualMs: number;
}

export interface RunOptions {
  readonly checkers?: readonly CheckerKind[];
  readonly faults?: readonly FaultFamily[];
}

/** More than the failures that may be on their way when the faults stop. */
const MOST_ATTEMPTS = 40;
const SETTLE_WITHIN = minutes(30);

/** Runs a plan in a world of its own, and reports what the checkers found. */
export async function runPlan(plan: Plan, options: RunOptions = {}): Promise<Report> {
  const { seed, settings } = plan;
  const bytesPerSecond = settings.network.bytesPerSecond ?? Number.POSITIVE_INFINITY;
  const network = { ...settings.network, bytesPerSecond };
  const { diskMs, laptops, cacheBytes, diskBytes, heavyRows, partialFrom } = settings;
  const { sharePeriodMs = SHARE_PERIOD, readerWaitMs = FETCH_WAIT } = settings;
  const sharing = { period: milliseconds(sharePeriodMs), readerWait: milliseconds(readerWaitMs) };
  const volumes = Math.max(...laptops.map(({ volume }) => volume));
  const cluster = await Cluster.start({
    seed,
    clients: 0,
    diskMs,
    network,
    volumes,
    sharing,
    ...(partialFrom === undefined
      ? {}
      : { partial: { minDelta: partialFrom, minResume: partialFrom } }),
    ...(cacheBytes === undefined ? {} : { cacheBytes }),
    ...(diskBytes === undefined ? {} : { diskBytes }),
    ...(heavyRows === undefined ? {} : { heavyRows }),
  });
  return new Run(plan, cluster, options).run();
}

class Run implements FaultTarget {
  readonly cluster: Cluster;
  readonly #plan: Plan;
  readonly #families: readonly FaultFamily[];
  readonly #findings: Finding[] = [];
  readonly #checkers: ReadonlyArray<{ readonly name: string; readonly checker: Checker }>;
  readonly #programs: Programs;
  #operations = 0;
  #faultsOver = false;
  /** As the plan counts them. */
  readonly #laptops: ClientNode[] = [];
  /** Laptops that have not come yet, or are gone for good: nothing starts them. */
  readonly #absent = new Set<ClientNode>();
  /** Faults that are on and laptops that come and go, the one that ends first first. */
  readonly #lasting = new Heap<{ readonly at: number; readonly end: EndFault }>(
    (a, b) => a.at - b.at,
  );

  constructor(
    plan: Plan,
    cluster: Cluster,
    { checkers = CHECKERS, faults = ALL_FAULTS }: RunOptions,
  ) {
    this.#plan = plan;
    this.cluster = cluster;
    this.#families = faults;
    const ledgers = new Ledgers();
    this.#checkers = checkers.map(({ name, make }) => ({
      name,
      checker: make((text) => this.#find(name, text), ledgers),
    }));
    const failed = (error: unknown): void =>
      this.#find('no program meets an unknown error', stackOf(error));
    this.#programs = new Programs(cluster.world, cluster.hear, failed, mayMeet(plan, faults));
    // It may die by itself, wherever it is.
    cluster.watch((observation) => {
      if (observation.kind !== 'ended') return;
      const died = cluster.clients.find(({ name }) => observation.who === name);
      if (died !== undefined) this.#programs.killed(died);
    });
  }

  async run(): Promise<Report> {
    const { world } = this.cluster;
    for (const { checker } of this.#checkers) {
      if (checker.hear !== undefined) this.cluster.watch(checker.hear.bind(checker));
    }
    let working = true;
    this.cluster.watch((observation) => {
      // A checker watches that.
      if (observation.kind === 'settled') working = false;
      if (!working || observation.kind !== 'asked') return;
      if (observation.call.method !== 'lookup') this.#operations += 1;
    });
    try {
      await this.#join();
      await this.#work();
      await this.#rest();
      for (const { checker } of this.#checkers) await checker.atRest?.(this.cluster);
    } catch (error) {
      this.#find('the run comes to its end', stackOf(error));
    }
    return {
      seed: this.#plan.seed,
      digest: world.trace.digest(),
      findings: this.#findings,
      steps: this.#programs.begun,
      operations: this.#operations,
      events: world.trace.count,
      virtualMs: world.time.now(),
    };
  }

  laptop(index: number): ClientNode {
    return present(this.#laptops[index], 'the plan knows its laptops', { index });
  }

  kill(client: ClientNode, how: 'killed' | 'power'): void {
    if (!client.running) return;
    if (how === 'power') client.losePower();
    else client.crash();
    this.#programs.killed(client);
  }

  async start(node: ClientNode | Cluster['server']): Promise<void> {
    if (node.running || this.#absent.has(node as ClientNode)) return;
    try {
      await this.cluster.run(node.start(), 'a process to start');
    } catch (error) {
      if (this.#faultsOver || !isOfDisk(error)) throw error;
      this.cluster.world.note(`a start failed: ${String(error)}`);
    }
  }

  works(client: ClientNode, what: string, run: () => Promise<string>): void {
    this.#programs.beginOther(client, { what, run });
  }

  /** Those that are there from the beginning, one after the other; the others only get their invitations. */
  async #join(): Promise<void> {
    const { cluster } = this;
    cluster.server.clock.jumpWall(this.#plan.settings.serverWallSkewMs ?? 0);
    for (const [i, laptop] of this.#plan.settings.laptops.entries()) {
      const { rights, frontEnd, user = i === 0 ? 'owner' : `user ${i}`, joinsAtMs } = laptop;
      const { wallSkewMs = 0 } = laptop;
      const options = { volume: laptop.volume as VolumeId, frontEnd, wallSkewMs };
      if (joinsAtMs === undefined) {
        const client = await cluster.join(rights, user, options);
        this.#laptops.push(client);
        await this.#set(client, laptop);
      } else {
        const client = cluster.add(rights, user, options);
        this.#laptops.push(client);
        this.#absent.add(client);
      }
    }
  }

  async #work(): Promise<void> {
    const begin = this.cluster.world.time.now();
    for (const [i, laptop] of this.#plan.settings.laptops.entries()) {
      const { joinsAtMs, leavesAtMs } = laptop;
      const client = this.laptop(i);
      if (joinsAtMs !== undefined) {
        const end = (): Promise<void> => this.#comes(client, laptop);
        this.#lasting.push({ at: begin + joinsAtMs, end });
      }
      if (leavesAtMs !== undefined) {
        this.#lasting.push({ at: begin + leavesAtMs, end: () => this.leaves(client) });
      }
    }
    for (const entry of this.#plan.entries) {
      await this.#until(begin + entry.at);
      await this.#do(entry);
    }
  }

  async #comes(client: ClientNode, laptop: LaptopPlan): Promise<void> {
    this.#absent.delete(client);
    await this.start(client);
    // Not waited for: while its disk is full it takes none, and what makes room comes later in the plan.
    if (client.running && isSet(laptop)) {
      this.works(client, 'sets how it writes', () => taken(client, laptop, this.cluster.hear));
    }
  }

  /** As its person has set it. */
  async #set(client: ClientNode, laptop: LaptopPlan): Promise<void> {
    if (!isSet(laptop)) return;
    const set = taken(client, laptop, this.cluster.hear);
    let said = false;
    void set.then(() => (said = true));
    await this.cluster.until(() => said, 'settings to be taken');
    this.cluster.world.note(`${client.name} is ${await set}`);
  }

  leaves(client: ClientNode): void {
    this.kill(client, 'killed');
    this.#absent.add(client);
  }

  async #do(entry: PlanEntry): Promise<void> {
    if (entry.kind === 'fault') return this.#fault(entry.fault);
    this.#programs.begin(this.laptop(entry.laptop), entry);
    await this.cluster.world.settle();
  }

  async #fault(fault: FaultEvent): Promise<void> {
    const { world } = this.cluster;
    world.note(`fault ${JSON.stringify(fault)}`);
    const family = this.#families.find(({ name }) => name === fault.family);
    const known = present(family, 'the plan knows its faults', { family: fault.family });
    const end = await known.begin(fault, this);
    if (end !== null) this.#lasting.push({ at: world.time.now() + fault.lastsMs, end });
  }

  /** Lets time pass, ending faults on the way. */
  async #until(time: number): Promise<void> {
    const { world } = this.cluster;
    for (;;) {
      const first = this.#lasting.peek();
      if (first === undefined || first.at > time) break;
      if (first.at > world.time.now()) await world.runUntilTime(instant(first.at));
      await this.#lasting.pop()?.end();
    }
    if (time > world.time.now()) await world.runUntilTime(instant(time));
  }

  /** Faults stop; everything is brought back and settles. */
  async #rest(): Promise<void> {
    const { cluster } = this;
    for (let one = this.#lasting.pop(); one !== undefined; one = this.#lasting.pop()) {
      await one.end();
    }
    for (const client of this.#absent) cluster.takeOut(client);
    this.#faultsOver = true;
    for (const client of cluster.clients) client.makeRoom();
    await this.#startAll();
    const connected = (): boolean => cluster.clients.every((client) => client.status.connected);
    await this.#reach(connected, 'everybody to be connected');
    await this.#reach(() => this.#programs.idle, 'every program to end');
    const [begin, boundMs] = [cluster.world.time.now(), settleBound(cluster, this.#plan.settings)];
    await this.#reach(() => isSettled(cluster), 'everything to settle');
    cluster.hear({ kind: 'settled', tookMs: cluster.world.time.now() - begin, boundMs });
    // What failed for now is tried again by then, and not blocked any more.
    await cluster.pass(RETRY_MOST);
    await cluster.settled();
    await cluster.pass(milliseconds(0));
  }

  async #startAll(): Promise<void> {
    const { server, clients } = this.cluster;
    await this.start(server);
    for (const client of clients) {
      await this.start(client);
      client.daemon.resume();
    }
  }

  /**
   * A failure from before the faults stopped may show only now, and end a process, which is started again. And a copied data folder that was to stay
   * may be the wrong one after all, for the server was put back meanwhile: its person pairs it again, as the error says.
   */
  async #reach(condition: () => boolean, what: string): Promise<void> {
    const { cluster } = this;
    const [nodes, hasCopies] = [[cluster.server, ...cluster.clients], this.#hasCopies];
    const isWell = (): boolean =>
      nodes.every(({ running }) => running) && !(hasCopies && this.#refused() !== undefined);
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      const refused = hasCopies ? this.#refused() : undefined;
      if (refused !== undefined) {
        this.kill(refused, 'killed');
        cluster.inviteAgain(refused, 'another');
      }
      if (!isWell()) await this.#startAll();
      await cluster.until(() => !isWell() || condition(), what, SETTLE_WITHIN);
      if (isWell()) return;
    }
    throw new Error(`${what}: somebody ends again and again`);
  }

  get #hasCopies(): boolean {
    return this.#plan.entries.some((entry) => {
      return entry.kind === 'fault' && entry.fault.family === 'copied';
    });
  }

  #refused(): ClientNode | undefined {
    // Asked after every event: a whole status would cost an eighth of the run.
    return this.cluster.clients.find((client) => {
      const failure = client.running ? client.daemon.inside.session.failure : null;
      return failure?.code === 'incarnation-reused';
    });
  }

  #find(checker: string, text: string): void {
    this.#findings.push({ checker, text });
  }
}

/** What a program meets where the disk looks small: contents that do not fit, and writes that wait for the queue in vain. */
const ON_SMALL_DISKS: readonly ErrorCode[] = ['disk-full', 'dirty-limit'];

/** What the faults of this plan, and its disks, let programs meet. */
function mayMeet({ entries, settings }: Plan, families: readonly FaultFamily[]): Set<ErrorCode> {
  const names = new Set(entries.map((entry) => (entry.kind === 'fault' ? entry.fault.family : '')));
  const chosen = families.filter(({ name }) => names.has(name));
  const codes = chosen.flatMap(({ programsMeet = [] }) => programsMeet);
  return new Set(settings.diskBytes === undefined ? codes : [...codes, ...ON_SMALL_DISKS]);
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function isSet(laptop: LaptopPlan): boolean {
  return isWriterSet(laptop) || isLimited(laptop);
}

function isWriterSet({ invalidations, storePriorities }: LaptopPlan): boolean {
  return invalidations !== undefined || storePriorities !== undefined;
}

function isLimited({ uploadLimit, downloadLimit }: LaptopPlan): boolean {
  return uploadLimit !== undefined || downloadLimit !== undefined;
}

/** If its disk fails just then, the default stays. */
async function taken(client: ClientNode, laptop: LaptopPlan, hear: Observe): Promise<string> {
  const { invalidations, storePriorities, uploadLimit: upload, downloadLimit: download } = laptop;
  try {
    if (isWriterSet(laptop)) await client.daemon.consistency({ invalidations, storePriorities });
    if (isLimited(laptop)) await setLimits(client, { upload, download }, hear);
    return 'set';
  } catch (error) {
    return `not set: ${String(error)}`;
  }
}
