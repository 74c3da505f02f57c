/** The network of a world: hosts by name, who listens where, and the path between each two of them. */
import type { VirtualTime } from '../clock/virtual-time.ts';
import type { Listener, MemoryConnection, Wires } from './memory-connection.ts';
import { LOCAL_NETWORK, Pipe } from './pipe.ts';
import type { PathConditions } from './pipe.ts';

/** Where the system gives out ports from. */
const FIRST_FREE_PORT = 49_152;

export class MemoryNetwork implements Wires {
  readonly time: VirtualTime;
  readonly #conditions: PathConditions;
  readonly #pipes = new Map<string, Pipe>();
  readonly #listeners = new Map<string, Listener>();
  readonly #connections = new Set<MemoryConnection>();
  #nextPort = FIRST_FREE_PORT;

  constructor(time: VirtualTime, conditions: Partial<PathConditions> = {}) {
    this.time = time;
    this.#conditions = { ...LOCAL_NETWORK, ...conditions };
  }

  get connections(): number {
    return this.#connections.size;
  }

  pipe(from: string, to: string): Pipe {
    const key = `${from}>${to}`;
    let pipe = this.#pipes.get(key);
    if (pipe === undefined) {
      pipe = new Pipe(this.time, key, this.#conditions);
      this.#pipes.set(key, pipe);
    }
    return pipe;
  }

  /** Changes one direction of a path. */
  shape(from: string, to: string, conditions: Partial<PathConditions>): void {
    this.pipe(from, to).set(conditions);
  }

  /** Nothing gets from one host to the other; the way back stays. */
  cutOneWay(from: string, to: string): void {
    this.pipe(from, to).setUp(false);
    for (const connection of this.#between(from, to)) connection.refresh();
  }

  cut(a: string, b: string): void {
    this.cutOneWay(a, b);
    this.cutOneWay(b, a);
  }

  heal(a: string, b: string): void {
    this.pipe(a, b).setUp(true);
    this.pipe(b, a).setUp(true);
    for (const connection of this.#between(a, b)) connection.recover();
  }

  /** A host gets another address: its connections hear nothing until they are rebound. */
  changeAddress(host: string): void {
    for (const connection of this.#connections) {
      if (connection.hosts.includes(host)) connection.strand(true);
    }
  }

  /** False: somebody listens there already. */
  listen(host: string, port: number, listener: Listener): boolean {
    const key = `${host}:${port}`;
    if (this.#listeners.has(key)) return false;
    this.#listeners.set(key, listener);
    return true;
  }

  freePort(): number {
    return this.#nextPort++;
  }

  unlisten(listener: Listener): void {
    for (const [key, one] of this.#listeners) {
      if (one === listener) this.#listeners.delete(key);
    }
  }

  listener(host: string, port: number): Listener | null {
    return this.#listeners.get(`${host}:${port}`) ?? null;
  }

  opened(connection: MemoryConnection): void {
    this.#connections.add(connection);
  }

  closed(connection: MemoryConnection): void {
    this.#connections.delete(connection);
  }

  #between(a: string, b: string): MemoryConnection[] {
    return [...this.#connections].filter(
      ({ hosts: [x, y] }) => (x === a && y === b) || (x === b && y === a),
    );
  }
}
