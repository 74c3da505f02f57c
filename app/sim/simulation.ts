/**
 * One random history: laptops at work on few names, with cuts and sudden deaths on the way; then the faults stop, everything
 * settles, and the checkers look.
 */
import type { ChangeSet } from '../../shared/model/change.ts';
import type { Fid } from '../../shared/model/fid.ts';
import { lacksContents } from '../../shared/model/vnode.ts';
import type { Digest } from '../../shared/model/vnode.ts';
import { milliseconds, minutes } from '../../shared/model/time.ts';
import { present } from '../../shared/util/assert.ts';
import { SeededRandom } from '../../shared/util/seeded-random.ts';
import { checkConvergence } from './check/convergence.ts';
import type { Shown } from './check/convergence.ts';
import type { Finding } from './check/finding.ts';
import { WriteLedger } from './check/write-ledger.ts';
import type { ClientNode } from './cluster/client-node.ts';
import { Cluster } from './cluster/cluster.ts';
import type { ClusterOptions } from './cluster/cluster.ts';
import { RandomFiles } from './workload/random-files.ts';

export interface SimulationOptions {
  readonly seed: number;
  readonly operations?: number;
  readonly clients?: number;
  readonly faults?: boolean;
}

export interface SimulationReport {
  readonly seed: number;
  /** Of the whole trace: one seed has one. */
  readonly digest: string;
  readonly findings: readonly Finding[];
  readonly operations: number;
  readonly events: number;
  readonly virtualMs: number;
}

/** Programs of one laptop that run at once. */
const MOST_AT_ONCE = 3;
const LONGEST_PAUSE_MS = 400;
const FAULT_CHANCE = 0.02;
const RECOVERY_CHANCE = 0.06;
const SETTLE_WITHIN = minutes(30);

export async function simulate(options: SimulationOptions): Promise<SimulationReport> {
  return new Simulation(options).run();
}

class Simulation {
  readonly #options: SimulationOptions;
  readonly #ledger = new WriteLedger();
  readonly #findings: Finding[] = [];
  /** Who works at each laptop, and how many of their programs run. */
  readonly #users = new Map<ClientNode, { readonly user: RandomFiles; busy: number }>();
  readonly #cut = new Set<ClientNode>();

  constructor(options: SimulationOptions) {
    this.#options = options;
  }

  async run(): Promise<SimulationReport> {
    const { seed, clients = 3, operations = 300 } = this.#options;
    const cluster = await Cluster.start({ seed, clients, ...conditions(seed) });
    try {
      await this.#work(cluster, operations);
      await this.#rest(cluster);
      await this.#check(cluster);
    } catch (error) {
      this.#find('the run itself', stackOf(error));
    }
    return {
      seed,
      digest: cluster.world.trace.digest(),
      findings: this.#findings,
      operations,
      events: cluster.world.trace.count,
      virtualMs: cluster.world.time.now(),
    };
  }

  async #work(cluster: Cluster, operations: number): Promise<void> {
    const random = cluster.world.random.fork('workload');
    for (const client of cluster.clients) {
      const user = new RandomFiles(client.name, random.fork(client.name), this.#ledger);
      this.#users.set(client, { user, busy: 0 });
    }
    for (let done = 0; done < operations; done++) {
      if (this.#options.faults !== false) await this.#fault(cluster, random);
      const client = random.pick(cluster.clients);
      if (client.running) this.#begin(cluster, client);
      await cluster.pass(milliseconds(random.below(LONGEST_PAUSE_MS)));
    }
  }

  /** A program begins; the world does not wait for it. */
  #begin(cluster: Cluster, client: ClientNode): void {
    const at = present(this.#users.get(client), 'every laptop has a user');
    if (at.busy >= MOST_AT_ONCE) return;
    at.busy += 1;
    const { files } = client;
    // Where the daemon is killed meanwhile, none of this happens.
    void at.user
      .step(files)
      .then((what) => cluster.world.note(`${client.name} did ${what}`))
      .catch((error: unknown) => this.#find('operations', stackOf(error)))
      .then(() => {
        at.busy -= 1;
      });
  }

  async #fault(cluster: Cluster, random: SeededRandom): Promise<void> {
    const back = (): boolean => random.chance(RECOVERY_CHANCE);
    for (const client of cluster.clients) {
      if (this.#cut.has(client) && back()) {
        this.#cut.delete(client);
        cluster.heal(client);
      }
      if (!client.running && back()) await cluster.run(client.start(), 'a daemon to start');
    }
    if (!cluster.server.running && back()) await cluster.run(cluster.server.start(), 'the server');
    if (!random.chance(FAULT_CHANCE)) return;
    const client = random.pick(cluster.clients);
    switch (random.pick(['network', 'network', 'client', 'server'] as const)) {
      case 'network':
        this.#cut.add(client);
        return cluster.cut(client);
      case 'client':
        return this.#kill(client, random.chance(0.5));
      case 'server':
        if (!cluster.server.running) return;
        if (random.chance(0.5)) cluster.server.losePower();
        else cluster.server.crash();
    }
  }

  #kill(client: ClientNode, withPower: boolean): void {
    if (!client.running) return;
    if (withPower) client.losePower();
    else client.crash();
    const at = present(this.#users.get(client), 'every laptop has a user');
    at.busy = 0;
    at.user.killed();
  }

  /** Faults stop; everything is brought back and settles. */
  async #rest(cluster: Cluster): Promise<void> {
    for (const client of this.#cut) cluster.heal(client);
    if (!cluster.server.running) await cluster.restart(cluster.server);
    for (const client of cluster.clients) {
      if (!client.running) await cluster.run(client.start(), 'a daemon to start');
    }
    const connected = (): boolean => cluster.clients.every((client) => client.status.connected);
    await cluster.until(connected, 'everybody to be connected', SETTLE_WITHIN);
    const idle = (): boolean => [...this.#users.values()].every(({ busy }) => busy === 0);
    await cluster.until(idle, 'every program to end', SETTLE_WITHIN);
    await cluster.settled();
  }

  async #check(cluster: Cluster): Promise<void> {
    const shown: Shown[] = [];
    const kept = new Set<Digest>();
    for (const client of cluster.clients) {
      const all = await cluster.at(client, (files) => files.walk());
      // Where a daemon died between its create and its store there is a name that a folder does not show (rule W2).
      const tree = new Map([...all].filter(([, status]) => !lacksContents(status)));
      shown.push({ by: `${client.name}'s file system`, tree });
      const replica = [...client.replica.tree()].map(
        ([path, vnode]) => [path, vnode.status] as const,
      );
      if (client.status.frontEnd === 'folder') {
        shown.push({ by: `${client.name}'s replica`, tree: new Map(replica) });
      }
      for (const { digest } of tree.values()) if (digest !== null) kept.add(digest);
      for (const path of client.lost()) kept.add(client.disk.digest(path));
    }
    for (const digest of endedContents(await cluster.run(cluster.server.history()))) {
      this.#ledger.consumed(digest);
    }
    this.#findings.push(...checkConvergence(shown), ...this.#ledger.check(kept));
  }

  #find(checker: string, text: string): void {
    this.#findings.push({ checker, text });
  }
}

/** The world of a seed: near or far, fast or slow. */
function conditions(seed: number): Partial<ClusterOptions> {
  const random = new SeededRandom(seed).fork('conditions');
  return {
    frontEnd: random.pick(['folder', 'folder', 'none']),
    diskMs: random.pick([0, 2, 20]),
    network: {
      delayMs: random.pick([1, 10, 80]),
      bytesPerSecond: random.pick([Number.POSITIVE_INFINITY, 500_000, 50_000]),
    },
  };
}

/**
 * What the vnodes held that ended: the server removes a file, or renames another over it, only where the update names the
 * version that is there (rule C3). So somebody's laptop had it in view.
 */
function endedContents(history: readonly ChangeSet[]): Digest[] {
  const held = new Map<Fid, Digest | null>();
  const ended: Digest[] = [];
  for (const { fid, links, digest } of history.flatMap(({ vnodes }) => vnodes)) {
    const last = digest ?? held.get(fid) ?? null;
    if (links === 0 && last !== null) ended.push(last);
    held.set(fid, digest);
  }
  return ended;
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
