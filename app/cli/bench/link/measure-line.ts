/** Sends through a line, from one process to another, and says what came. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import type { Received } from './received.ts';

const LINE_END = fileURLToPath(new URL('./line-end.ts', import.meta.url));
/** Beside what waits in the line: what is in sockets, and a process that is kept from running. */
const REST_MS = 300;

/** What comes before the program, such as `ip netns exec NAME`. */
export type Place = readonly string[];

export interface Load {
  /** Of each datagram, without headers. */
  readonly payloadBytes: number;
  /** Without headers. */
  readonly bytesPerSecond: number;
  readonly ms: number;
  /** How long what was sent last may take. */
  readonly lastMs: number;
}

export interface Line {
  readonly from: Place;
  readonly to: Place;
  /** Where the receiver listens. */
  readonly host: string;
  /** Where the sender sends, when the receiver listens on that port. */
  readonly enter: (port: number) => Promise<{ readonly host: string; readonly port: number }>;
}

export async function measureLine(line: Line, load: Load, signal: AbortSignal): Promise<Received> {
  const receiver = start(line.to, ['receive', line.host], signal);
  try {
    const lines = createInterface({
      input: receiver.stdout as NonNullable<typeof receiver.stdout>,
    });
    const said = lines[Symbol.asyncIterator]();
    const { port } = await nextObject<{ port: number }>(said);
    const entry = await line.enter(port);
    const { payloadBytes, bytesPerSecond, ms, lastMs } = load;
    const numbers = [entry.port, payloadBytes, bytesPerSecond, ms].map(String);
    const sender = start(line.from, ['send', entry.host, ...numbers], signal);
    await once(sender, 'exit');
    await wait(lastMs + REST_MS, undefined, { signal });
    receiver.stdin?.end();
    return await nextObject<Received>(said);
  } finally {
    receiver.kill();
  }
}

function start(place: Place, args: readonly string[], signal: AbortSignal): ChildProcess {
  const [program = process.execPath, ...rest] = [...place, process.execPath, LINE_END, ...args];
  const child = spawn(program, rest, { stdio: ['pipe', 'pipe', 'ignore'], signal });
  child.on('error', () => undefined);
  return child;
}

async function nextObject<T>(lines: AsyncIterator<string>): Promise<T> {
  const { value, done } = await lines.next();
  if (done === true) throw new GodwitError('internal', 'an end of the measured line has died');
  return JSON.parse(value) as T;
}
