/**
 * The programs of the people of a run: each laptop has one that changes things, which does one operation after the other, and
 * others that read beside it. (What two programs of one laptop do to one file at the same moment is lost on any file system.)
 *
 * The world does not wait for them. An operation that finds its laptop down or too busy is left out.
 */
import { present } from '../../../../shared/util/assert.ts';
import type { ErrorCode } from '../../../../shared/wire/error-codes.ts';
import type { Observe } from '../check/observation.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import type { World } from '../world.ts';
import { describe, onlyLooks } from '../plan/operation.ts';
import type { FileOperation } from '../plan/operation.ts';
import { perform } from '../workload/perform-operation.ts';

/** Operations of one laptop that run or wait; more are left out, as a person would wait. */
const MOST_AT_ONCE = 400;

interface Job {
  readonly what: string;
  /** Says how it went. */
  readonly run: () => Promise<string>;
}

interface AtWork {
  /** Changes of the laptop, the running one first. */
  changes: Job[];
  reading: number;
}

/**
 * Runs the operations of a plan on its laptops, one change at a time on each, and reads beside it.
 */
export class Programs {
  readonly #world: World;
  readonly #hear: Observe;
  readonly #failed: (error: unknown) => void;
  readonly #mayMeet: ReadonlySet<ErrorCode>;
  readonly #atWork = new Map<ClientNode, AtWork>();
  #begun = 0;

  constructor(
    world: World,
    hear: Observe,
    failed: (error: unknown) => void,
    /** Codes that may be met because of the faults of this run. */
    mayMeet: ReadonlySet<ErrorCode>,
  ) {
    this.#world = world;
    this.#hear = hear;
    this.#failed = failed;
    this.#mayMeet = mayMeet;
  }

  /** Steps of the plan that were begun so far. */
  get begun(): number {
    return this.#begun;
  }

  get idle(): boolean {
    return [...this.#atWork.values()].every(
      ({ changes, reading }) => reading + changes.length === 0,
    );
  }

  begin(
    client: ClientNode,
    { number, operation }: { readonly number: number; readonly operation: FileOperation },
  ): void {
    const at = this.#free(client);
    if (at === null) return;
    this.#begun += 1;
    const job = {
      what: describe(operation),
      run: () => perform({ number, client, operation }, client.files, this.#hear, this.#mayMeet),
    };
    if (onlyLooks(operation)) {
      at.reading += 1;
      this.#perform(client, job, () => (at.reading -= 1));
      return;
    }
    this.#queue(client, at, job);
  }

  /** A change that no operation is, in its turn among those of the laptop. */
  beginOther(client: ClientNode, job: Job): void {
    const at = this.#free(client);
    if (at !== null) this.#queue(client, at, job);
  }

  /** The programs of a laptop died with its daemon. */
  killed(client: ClientNode): void {
    this.#atWork.delete(client);
  }

  /** Null: the laptop is down, or has too much to do. */
  #free(client: ClientNode): AtWork | null {
    if (!client.running || client.machine.asleep) return null;
    const at = this.#at(client);
    return at.changes.length + at.reading >= MOST_AT_ONCE ? null : at;
  }

  #queue(client: ClientNode, at: AtWork, job: Job): void {
    at.changes.push(job);
    if (at.changes.length === 1) this.#next(client, at);
  }

  #next(client: ClientNode, at: AtWork): void {
    const [job] = at.changes;
    if (job === undefined) return;
    this.#perform(client, job, () => {
      at.changes.shift();
      if (this.#atWork.get(client) === at) this.#next(client, at);
    });
  }

  #perform(client: ClientNode, { what, run }: Job, ended: () => void): void {
    // Where the daemon is killed meanwhile, none of what follows happens.
    void run()
      .then((how) => this.#world.note(`${client.name} ${what}: ${how}`))
      .catch((error: unknown) => this.#failed(error))
      .then(ended);
  }

  #at(client: ClientNode): AtWork {
    const known = this.#atWork.get(client);
    if (known !== undefined) return known;
    this.#atWork.set(client, { changes: [], reading: 0 });
    return present(this.#atWork.get(client), 'just set');
  }
}
