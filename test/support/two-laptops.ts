/** A server and two laptops of one user, paired and running: what most tests with real processes begin with. */
import { afterAll, beforeAll } from '@jest/globals';
import { compareTrees, type Difference } from '../../app/lab/demo/compare-trees.ts';
import { readTree, type Tree } from '../../app/lab/demo/read-tree.ts';
import { Bench, endProcess, type RunningServer } from './bench.ts';

export interface Laptop {
  readonly data: string;
  readonly folder: string;
}

/** A server with two running laptops. */
export class TwoLaptops extends Bench {
  readonly a = this.#named('ann');
  readonly b = this.#named('bob');
  #server: RunningServer | null = null;

  /** The server as it runs now. */
  get home(): RunningServer {
    if (this.#server === null) throw new Error('the server has not been started');
    return this.#server;
  }

  /** Starts everything. `via` maps the server's address to the one that laptops use. */
  async begin(via: (address: string) => Promise<string> = itself): Promise<void> {
    this.#server = await this.server();
    for (const name of ['ann', 'bob']) {
      const address = await via(this.home.address);
      await this.laptop(name, await this.invite({ ...this.home, address }));
    }
  }

  async endServer(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await endProcess(this.home.child.pid as number, signal);
  }

  /** Starts the server again where it was; resolves when both laptops have found it. */
  async serveAgain(): Promise<void> {
    this.#server = await this.server('server', this.home.address);
    for (const { data } of [this.a, this.b]) await this.until(data, ({ connected }) => connected);
  }

  /** The differences of the two folders. */
  differences(): Difference[] {
    return compareTrees(treeOf(this.a), treeOf(this.b));
  }

  /** The folders of a laptop by its name. */
  #named(name: string): Laptop {
    return { data: this.path(name, 'data'), folder: this.path(name, 'Godwit') };
  }
}

/** The tree of a folder, without our own files. */
export function treeOf({ folder }: Laptop): Tree {
  return readTree(folder, (path) => path === '.godwit');
}

/** Two laptops for the tests of a file, which end after them. `before` runs before they start, `prepare` when they run. */
export function twoLaptops(
  prepare: (bench: TwoLaptops) => Promise<void> = done,
  before: (bench: TwoLaptops) => Promise<void> = done,
): TwoLaptops {
  const bench = new TwoLaptops();
  beforeAll(async () => {
    await before(bench);
    await bench.begin();
    await prepare(bench);
  });
  afterAll(() => bench.close());
  return bench;
}

const done = (): Promise<void> => Promise.resolve();
const itself = (address: string): Promise<string> => Promise.resolve(address);
