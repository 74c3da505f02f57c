/** A program beside the test that reads given paths of a copy without end, and records what each showed, in order. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Sighting } from './sightings.ts';

/** Contents are told as git names them. What is no file and no link is nothing. */
const READER = `
  const { lstatSync, readFileSync, readlinkSync } = require('node:fs');
  const { createHash } = require('node:crypto');
  const { parentPort, workerData } = require('node:worker_threads');
  const shared = new Int32Array(workerData.shared);
  const { root, paths } = workerData;
  const seen = new Map();
  const nameOf = (kind, bytes) => {
    const hash = createHash('sha1').update('blob ' + bytes.length + '\\0').update(bytes);
    return kind + ' ' + hash.digest('hex');
  };
  const absent = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'EINVAL', 'ELOOP']);
  const look = (path) => {
    try {
      const stat = lstatSync(path);
      if (stat.isSymbolicLink()) return nameOf('link', Buffer.from(readlinkSync(path)));
      return stat.isFile() ? nameOf('file', readFileSync(path)) : null;
    } catch (error) {
      if (!absent.has(error.code)) throw error;
      return null;
    }
  };
  let reads = 0;
  let tornIndexes = 0;
  // It ends with the hash of all before; nothing else in .git is ever written over.
  const lookAtIndex = () => {
    try {
      const bytes = readFileSync(root + '/.git/index');
      const hash = createHash('sha1').update(bytes.subarray(0, -20)).digest();
      if (!hash.equals(bytes.subarray(-20))) tornIndexes += 1;
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
    }
  };
  for (let round = 0; ; round++) {
    const isLast = Atomics.load(shared, 0) !== 0;
    for (const path of paths) {
      if (reads % 64 === 0) lookAtIndex();
      const shown = look(root + '/' + path);
      const sighting = { shown, begun: Atomics.load(shared, 1) };
      const before = seen.get(path);
      if (before === undefined) seen.set(path, [sighting]);
      else if (before.at(-1).shown !== shown) before.push(sighting);
      reads += 1;
    }
    if (round === 0) parentPort.postMessage(null);
    if (isLast) break;
  }
  parentPort.postMessage({ seen, reads, tornIndexes });
`;

export interface Readings {
  readonly seen: ReadonlyMap<string, readonly Sighting[]>;
  readonly reads: number;
  readonly tornIndexes: number;
}

export class CopyReader {
  readonly #worker: Worker;
  readonly #shared: Int32Array;

  private constructor(worker: Worker, shared: Int32Array) {
    this.#worker = worker;
    this.#shared = shared;
  }

  /** Starts the program. Resolves when every path has been read once. */
  static async start(root: string, paths: readonly string[]): Promise<CopyReader> {
    const shared = new SharedArrayBuffer(8);
    const worker = new Worker(READER, { eval: true, workerData: { root, paths, shared } });
    await once(worker, 'message');
    return new CopyReader(worker, new Int32Array(shared));
  }

  /** Tells the program that the original begins to change to its next state. */
  begin(): void {
    Atomics.add(this.#shared, 1, 1);
  }

  /** Reads everything once more, then ends. */
  async stop(): Promise<Readings> {
    const told = once(this.#worker, 'message') as Promise<[Readings]>;
    // Both events may come in one turn.
    const ended = once(this.#worker, 'exit');
    Atomics.store(this.#shared, 0, 1);
    const [readings] = await told;
    await ended;
    return readings;
  }
}
