/** Sends through a line, from one process to another, and says what came. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import type { Place } from '../../children.ts';
import type { Received } from './received.ts';

const LINE_END = fileURLToPath(new URL('./line-end.ts', import.meta.url));
/** Beside what waits in the line: what is in sockets, and a process that is kept from running. */
const REST_MS = 300;

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
  const ends: End[] = [];
  const start = (place: Place, args: readonly string[]): End => {
    const end = startEnd(place, args);
    ends.push(end);
    return end;
  };
  const endAll = (): void => void ends.forEach(({ child }) => child.kill());
  signal.addEventListener('abort', endAll, { once: true });
  try {
    const receiver = start(line.to, ['receive', line.host]);
    const said = createInterface({ input: receiver.child.stdout })[Symbol.asyncIterator]();
    const { port } = await nextObject<{ port: number }>(said);
    const entry = await line.enter(port);
    const { payloadBytes, bytesPerSecond, ms, lastMs } = load;
    const numbers = [entry.port, payloadBytes, bytesPerSecond, ms].map(String);
    await start(line.from, ['send', entry.host, ...numbers]).ended;
    await wait(lastMs + REST_MS, undefined, { signal });
    receiver.child.stdin.end();
    return await nextObject<Received>(said);
  } finally {
    signal.removeEventListener('abort', endAll);
    endAll();
    await Promise.all(ends.map(({ ended }) => ended));
  }
}

interface End {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  readonly ended: Promise<void>;
}

function startEnd(place: Place, args: readonly string[]): End {
  const [program = process.execPath, ...rest] = [...place, process.execPath, LINE_END, ...args];
  const child = spawn(program, rest, { stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
  });
  return { child, ended };
}

async function nextObject<T>(lines: AsyncIterator<string>): Promise<T> {
  const line = await lines.next();
  if (line.done === true) {
    throw new GodwitError('internal', 'an end of the measured line has died');
  }
  return JSON.parse(line.value) as T;
}
