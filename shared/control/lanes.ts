/**
 * The connections of one control client.
 *
 * The daemon ties a file handle to the connection it was opened on, and ends it with that connection. So
 * a handle is closed on the lane it was opened on, and a lane is one keep-alive connection.
 */
import { Agent, request, type IncomingMessage } from 'node:http';
import { GodwitError, isErrorCode } from '../wire/error-codes.ts';
import { MAX_LANES } from './limits.ts';
import type { ControlReply } from './protocol.ts';

export interface Lane {
  readonly agent: Agent;
  /** Requests under way. */
  busy: number;
  /** Files that were opened on it, and can be closed on it alone. */
  open: number;
}

export interface ControlCall {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
}

export class Lanes {
  readonly #socketPath: string;
  readonly #lanes: Lane[] = [];

  constructor(socketPath: string) {
    this.#socketPath = socketPath;
  }

  /** A lane with nothing under way and nothing to be closed on it, which must not wait; or the one with least of it. */
  pick(): Lane {
    const free = this.#lanes.find((lane) => load(lane) === 0);
    if (free !== undefined) return free;
    if (this.#lanes.length < MAX_LANES) return this.#add();
    return this.#lanes.reduce((best, lane) => (load(lane) < load(best) ? lane : best));
  }

  /** For a call that may take long and must hold up nobody: a connection that is used once. */
  async callAlone(call: ControlCall, signal?: AbortSignal): Promise<unknown> {
    const lane = newLane();
    try {
      return await this.call(lane, call, signal);
    } finally {
      lane.agent.destroy();
    }
  }

  async call(lane: Lane, call: ControlCall, signal?: AbortSignal): Promise<unknown> {
    lane.busy += 1;
    try {
      return resultOf(await send(this.#socketPath, lane.agent, call, signal));
    } finally {
      lane.busy -= 1;
    }
  }

  close(): void {
    for (const lane of this.#lanes.splice(0)) lane.agent.destroy();
  }

  #add(): Lane {
    const lane = newLane();
    this.#lanes.push(lane);
    return lane;
  }
}

const load = ({ busy, open }: Lane): number => busy + open;

function newLane(): Lane {
  return { agent: new Agent({ keepAlive: true, maxSockets: 1 }), busy: 0, open: 0 };
}

function send(
  socketPath: string,
  agent: Agent,
  call: ControlCall,
  signal: AbortSignal | undefined,
): Promise<string> {
  const body = call.method === 'POST' ? JSON.stringify(call.body ?? {}) : null;
  return new Promise((resolve, reject) => {
    const outgoing = request({
      socketPath,
      agent,
      method: call.method,
      path: call.path,
      headers:
        body === null
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      ...(signal === undefined ? {} : { signal }),
    });
    const failed = (error: NodeJS.ErrnoException) => reject(describeFailure(error));
    outgoing.on('error', failed);
    outgoing.on('response', (response) => void readText(response).then(resolve, failed));
    outgoing.end(body ?? undefined);
  });
}

async function readText(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

/** Whoever answers at the socket may be of another version, or another program. */
function resultOf(text: string): unknown {
  const reply = parsed(text);
  if (reply?.ok === true) return reply.result;
  const { code, message } = (reply?.ok === false ? reply.error : null) ?? {};
  if (typeof code !== 'string') {
    throw new GodwitError('bad-message', "the daemon's answer is not one of the control protocol");
  }
  throw isErrorCode(code)
    ? new GodwitError(code, String(message))
    : new GodwitError('internal', `${code}: ${String(message)}`);
}

function parsed(text: string): Partial<ControlReply> | null {
  try {
    return JSON.parse(text) as Partial<ControlReply> | null;
  } catch {
    return null;
  }
}

function describeFailure(error: NodeJS.ErrnoException): Error {
  switch (error.code) {
    case 'ENOENT':
    case 'ECONNREFUSED':
      return new GodwitError('not-running');
    case 'EACCES':
    case 'EPERM':
      return new GodwitError('not-yours');
    case 'ECONNRESET':
    case 'EPIPE':
      return new GodwitError('not-running', 'the daemon ended before it had answered');
    default:
      return error;
  }
}
