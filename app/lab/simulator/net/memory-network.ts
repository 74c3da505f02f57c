/** The network of a world: hosts by name, who listens where, and the path between each two of them. */
import { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { Schedule } from '../clock/virtual-time.ts';
import type {
  ArrivingFrame,
  LeavingContents,
  Listener,
  MemoryConnection,
  Side,
  Wires,
} from './memory-connection.ts';
import { LOCAL_NETWORK, Pipe } from './pipe.ts';
import type { PathConditions } from './pipe.ts';

/** Where the system gives out ports from. */
const FIRST_FREE_PORT = 49_152;

/** Connects the hosts of a world, and shapes, cuts and heals the paths between them. */
export class MemoryNetwork implements Wires {
  readonly time: Schedule;
  /** The conditions of a path that were not changed. */
  readonly usual: PathConditions;
  readonly #random: SeededRandom;
  readonly #pipes = new Map<string, Pipe>();
  readonly #listeners = new Map<string, Listener>();
  readonly #connections = new Set<MemoryConnection>();
  readonly #asleep = new Set<string>();
  readonly #taps = new Set<(frame: ArrivingFrame) => void>();
  /** Hears of all contents that leave. */
  onContents: (contents: LeavingContents) => void = () => undefined;
  #nextPort = FIRST_FREE_PORT;

  constructor(
    time: Schedule,
    conditions: Partial<PathConditions> = {},
    random: SeededRandom = new SeededRandom(1),
  ) {
    this.time = time;
    this.usual = { ...LOCAL_NETWORK, ...conditions };
    this.#random = random;
  }

  get connections(): number {
    return this.#connections.size;
  }

  pipe(from: string, to: string): Pipe {
    const key = `${from}>${to}`;
    let pipe = this.#pipes.get(key);
    if (pipe === undefined) {
      pipe = new Pipe(this.time, key, this.usual, this.#random.fork(key));
      pipe.setAsleep('sender', this.#asleep.has(from));
      pipe.setAsleep('receiver', this.#asleep.has(to));
      this.#pipes.set(key, pipe);
    }
    return pipe;
  }

  /** Changes one direction of a path. */
  shape(from: string, to: string, conditions: Partial<PathConditions>): void {
    this.pipe(from, to).set(conditions);
    for (const connection of this.#between(from, to)) connection.recover();
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
    for (const connection of this.#of(host)) connection.strand(true);
  }

  /** A machine is suspended: nothing arrives there, nothing leaves. */
  suspend(host: string): void {
    this.#setAsleep(host, true);
    for (const connection of this.#of(host)) connection.refresh();
  }

  /** `answer`: what it hears of connections that the others have given up meanwhile. */
  resume(host: string, answer: 'reset' | 'none'): void {
    this.#setAsleep(host, false);
    for (const connection of this.#of(host)) connection.woken(host, answer);
  }

  /** The connections between two hosts are lost for good. */
  lose(client: string, server: string, noticed: readonly Side[]): void {
    for (const connection of this.#between(client, server)) connection.lose(noticed);
  }

  /** Hears of each frame just before it arrives whole, and of each part of a content before. Gives how to stop that. */
  tap(hear: (frame: ArrivingFrame) => void): () => void {
    this.#taps.add(hear);
    return () => void this.#taps.delete(hear);
  }

  get tapped(): boolean {
    return this.#taps.size > 0;
  }

  arriving(frame: ArrivingFrame): void {
    for (const hear of [...this.#taps]) hear(frame);
  }

  contentsLeft(contents: LeavingContents): void {
    this.onContents(contents);
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

  #setAsleep(host: string, asleep: boolean): void {
    if (asleep) this.#asleep.add(host);
    else this.#asleep.delete(host);
    for (const [key, pipe] of this.#pipes) {
      const [from, to] = key.split('>');
      if (from === host) pipe.setAsleep('sender', asleep);
      if (to === host) pipe.setAsleep('receiver', asleep);
    }
  }

  #of(host: string): MemoryConnection[] {
    return [...this.#connections].filter(({ hosts }) => hosts.includes(host));
  }

  #between(a: string, b: string): MemoryConnection[] {
    return [...this.#connections].filter(
      ({ hosts: [x, y] }) => (x === a && y === b) || (x === b && y === a),
    );
  }
}
