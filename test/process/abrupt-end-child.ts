/**
 * A process that ends while the addon's threads are at work, for abrupt-end.test.ts. Arguments: what is open (with commas between), how it
 * ends, after how many milliseconds, and a folder for its files.
 *
 * Many clients, because each makes its keys and begins its handshake on threads of its own: the shorter the time, the more of them are in
 * the middle of it when the process goes.
 */
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { UdpRelay } from '../../app/lab/shaper/udp-relay.ts';
import type { Identity, TransportHandler } from '../../shared/ports/transport.ts';
import { generateIdentity } from '../../shared/transport/identity.ts';
import { MsquicTransport } from '../../shared/transport/msquic-transport.ts';

export type Open = 'link' | 'listener' | 'relay' | 'connections' | 'streams';
export type End =
  'never settles' | 'drains' | 'exits' | 'throws' | 'terminates' | 'leaves a worker';

const HOST = '127.0.0.1';
const CLIENTS = 16;
const CONTENT_BYTES = 4 * 1024 * 1024;
/** A promise that never settles and keeps no process alive. */
const NEVER = new Promise<never>(() => undefined);

const args = (isMainThread ? process.argv.slice(2) : workerData) as [string, End, string, string];
const [opened, end, after, folder] = args;
const opens = new Set(opened.split(',') as Open[]);

const nothing = new Proxy({}, { get: () => () => undefined }) as TransportHandler;

function linkOf(identity: Identity): MsquicTransport {
  return new MsquicTransport({ identity, spool: folder, maxHeaderBytes: 4096, handler: nothing });
}

/** Opens everything and returns it, since only the caller keeps it alive. */
async function open(): Promise<unknown[]> {
  const identity = generateIdentity('server');
  const server = linkOf(identity);
  let port = 9;
  if (opens.has('listener')) port = (await server.listen({ host: HOST, port: 0 })).port;
  const kept: unknown[] = [server];
  if (opens.has('relay')) {
    const relay = await UdpRelay.open({ to: { host: HOST, port } });
    port = relay.port;
    kept.push(relay);
  }
  if (!opens.has('connections') && !opens.has('streams')) return kept;
  const path = join(folder, 'content');
  writeFileSync(path, '');
  truncateSync(path, CONTENT_BYTES);
  for (let count = 0; count < CLIENTS; count++) {
    const client = linkOf(identity);
    kept.push(client);
    const to = { host: HOST, port, pin: identity.fingerprint };
    const connection = client.connect(to);
    if (!opens.has('streams')) continue;
    const content = { path, offset: 0, length: CONTENT_BYTES };
    client.request(connection, { priorityClass: 'FETCH', header: new Uint8Array(8), content });
  }
  return kept;
}

async function endAs(kept: unknown[]): Promise<void> {
  process.once('exit', () => kept.length);
  if (Number(after) > 0) await wait(Number(after));
  if (end === 'never settles') await NEVER;
  if (end === 'exits') process.exit(0);
  if (end === 'throws') throw new Error('on purpose');
}

async function withWorker(): Promise<void> {
  const worker = new Worker(new URL(import.meta.url), { workerData: args });
  await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  if (Number(after) > 0) await wait(Number(after));
  if (end === 'terminates') await worker.terminate();
  process.exit(0);
}

const isWithWorker = end === 'terminates' || end === 'leaves a worker';
if (isMainThread && isWithWorker) {
  await withWorker();
} else if (isMainThread) {
  await endAs(await open());
} else {
  const kept = await open();
  parentPort?.on('message', () => kept.length);
  parentPort?.postMessage('open');
}
