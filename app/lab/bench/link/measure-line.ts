/** Sends through a line, from one process to another, and says what came. */
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Place } from '../../../cli/children.ts';
import { EndProcess } from '../end-process.ts';
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

export interface MeasuredPath {
  readonly from: Place;
  readonly to: Place;
  /** Where the receiver listens. */
  readonly host: string;
  /** Where the sender sends, when the receiver listens on that port. */
  readonly enter: (port: number) => Promise<{ readonly host: string; readonly port: number }>;
}

/**
 * Sends a load through a line from one process to another, and gives what the receiver counted. It
 * ends both processes.
 */
export async function measureLine(
  line: MeasuredPath,
  load: Load,
  signal: AbortSignal,
): Promise<Received> {
  const ends: EndProcess[] = [];
  const start = (place: Place, args: readonly string[]): EndProcess => {
    const end = new EndProcess(place, LINE_END, args);
    ends.push(end);
    return end;
  };
  const endAll = (): void => ends.forEach((end) => end.kill());
  signal.addEventListener('abort', endAll, { once: true });
  try {
    const receiver = start(line.to, ['receive', line.host]);
    const { port } = await receiver.next<{ port: number }>();
    const entry = await line.enter(port);
    const { payloadBytes, bytesPerSecond, ms, lastMs } = load;
    const numbers = [entry.port, payloadBytes, bytesPerSecond, ms].map(String);
    await start(line.from, ['send', entry.host, ...numbers]).ended;
    await wait(lastMs + REST_MS, undefined, { signal });
    receiver.endInput();
    return await receiver.next<Received>();
  } finally {
    signal.removeEventListener('abort', endAll);
    endAll();
    await Promise.all(ends.map(({ ended }) => ended));
  }
}
