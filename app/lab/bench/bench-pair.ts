/**
 * A server and one laptop in a temporary folder of their own, each a process of its own, over MsQuic on loopback. Whatever
 * happens, none of it is left.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import { GodwitError, isErrorCode } from '../../../shared/wire/error-codes.ts';
import { DemoServer } from '../demo/demo-server.ts';
import { Laptop, type HowLaptop } from '../demo/laptop.ts';

export interface Pair {
  readonly laptop: Laptop;
  /** Aborted where there is nothing left to measure: interrupted, or the server has ended. */
  readonly signal: AbortSignal;
  /** Everything in the folder is committed. */
  readonly flush: () => Promise<void>;
  /** The daemon says that it is in sync; not asked to look at anything. */
  readonly inSync: () => Promise<void>;
}

/**
 * Runs work with a server and one laptop in sync, and ends both and removes their folder
 * afterwards. Throws GodwitError `server-unreachable` if the server ends meanwhile.
 */
export async function withPair<T>(
  signal: AbortSignal,
  work: (pair: Pair) => Promise<T>,
  how: HowLaptop = {},
): Promise<T> {
  const root = mkdtempSync(join(tmpdir(), 'godwit-ingest-'));
  const server = new DemoServer(root);
  const lost = new AbortController();
  const laptop = new Laptop(root, 'A', signal, how);
  try {
    await server.up();
    // Without a server the laptop would wait, in good order, for ever.
    void server.ended?.then(() => lost.abort());
    await laptop.up(await server.invite());
    const either = AbortSignal.any([signal, lost.signal]);
    const inSync = (): Promise<void> => watch(laptop, either, isInSync);
    await inSync();
    return await work({ laptop, signal: either, inSync, flush: () => flush(laptop, either) });
  } catch (error) {
    if (signal.aborted || !lost.signal.aborted) throw error;
    throw new GodwitError('server-unreachable', 'the server ended in the middle of it');
  } finally {
    await laptop.end();
    await server.end();
    rmSync(root, { recursive: true, force: true });
  }
}

async function flush(laptop: Laptop, signal: AbortSignal): Promise<void> {
  const done = new AbortController();
  const either = AbortSignal.any([signal, done.signal]);
  const client = laptop.control();
  // A flush waits for what is wrong to be mended; nobody is here to mend it.
  const trouble = watch(laptop, either, () => false);
  try {
    await Promise.race([client.command('flush', { timeoutMs: null }, either), trouble]);
  } finally {
    done.abort();
    client.close();
    await trouble.catch(() => undefined);
  }
}

const isInSync = ({ state, connected }: StatusSnapshot): boolean => connected && state === 'idle';

/** Rejects as soon as the daemon says that something is wrong. */
async function watch(
  laptop: Laptop,
  signal: AbortSignal,
  holds: (status: StatusSnapshot) => boolean,
): Promise<void> {
  const client = laptop.control();
  try {
    for await (const status of client.snapshots(signal)) {
      if (holds(status)) return;
      const [error] = status.state === 'error' ? status.errors : [];
      if (error !== undefined) throw errorOf(error);
    }
  } finally {
    client.close();
  }
  signal.throwIfAborted();
}

function errorOf({ code, message, path }: StatusSnapshot['errors'][number]): GodwitError {
  const text = path === null ? message : `${path}: ${message}`;
  return new GodwitError(isErrorCode(code) ? code : 'internal', text);
}
