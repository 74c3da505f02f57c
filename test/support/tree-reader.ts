/** A program beside the test that reads a tree without end, and records what each file showed, in order. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const READER = `
  const { readdirSync, readFileSync } = require('node:fs');
  const { parentPort, workerData } = require('node:worker_threads');
  const stop = new Int32Array(workerData.stop);
  const seen = new Map();
  const note = (path, text) => {
    const texts = seen.get(path) ?? [];
    if (texts.at(-1) !== text) seen.set(path, [...texts, text]);
  };
  const look = (dir, path) => {
    let entries = [];
    try {
      entries = readdirSync(dir, { withFileTypes: true });
    } catch {
      return;
    }
    for (const entry of entries) {
      const at = dir + '/' + entry.name;
      if (entry.name === '.godwit') continue;
      if (entry.isDirectory()) look(at, path + entry.name + '/');
      else if (entry.isFile()) {
        let text = null;
        try {
          text = readFileSync(at, 'utf8');
        } catch (error) {
          if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
        }
        note(path + entry.name, text);
      }
    }
  };
  for (let round = 0; ; round++) {
    const isLast = Atomics.load(stop, 0) !== 0;
    look(workerData.root, '');
    if (round === 0) parentPort.postMessage(null);
    if (isLast) break;
  }
  parentPort.postMessage(seen);
`;

export interface TreeReader {
  /** Ends the program. Returns the texts of each path in order without repetitions; null when it vanished before it was read. */
  stop(): Promise<Map<string, Array<string | null>>>;
}

/** Starts the program on a folder. */
export async function readTree(root: string): Promise<TreeReader> {
  const stop = new SharedArrayBuffer(4);
  const worker = new Worker(READER, { eval: true, workerData: { root, stop } });
  await once(worker, 'message');
  return {
    stop: async () => {
      const ended = once(worker, 'message') as Promise<[Map<string, Array<string | null>>]>;
      // It may end as soon as it has answered.
      const exited = once(worker, 'exit');
      Atomics.store(new Int32Array(stop), 0, 1);
      const [seen] = await ended;
      await exited;
      return seen;
    },
  };
}
