/** The connections over which one control client asks for what is not files: each is one that HTTP keeps alive. */
import type * as Http from 'node:http';
import { Agent, request } from '../system/node-http.ts';
import { MAX_LANES } from './limits.ts';
import { describeFailure, parsedReply, resultOf } from './reply.ts';

export interface Lane {
  readonly agent: Http.Agent;
  /** Requests under way. */
  busy: number;
}

export interface ControlCall {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
}

/** A small pool of keep-alive HTTP connections to the control socket. */
export class Lanes {
  readonly #socketPath: string;
  readonly #lanes: Lane[] = [];

  constructor(socketPath: string) {
    this.#socketPath = socketPath;
  }

  /** A lane with nothing under way, or the one with least of it. */
  pick(): Lane {
    const free = this.#lanes.find(({ busy }) => busy === 0);
    if (free !== undefined) return free;
    if (this.#lanes.length < MAX_LANES) return this.#add();
    return this.#lanes.reduce((best, lane) => (lane.busy < best.busy ? lane : best));
  }

  /** For a call that may take long and must not delay others: a connection that is used once. */
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
      return resultOf(parsedReply(await send(this.#socketPath, lane.agent, call, signal)));
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

function newLane(): Lane {
  return { agent: new Agent({ keepAlive: true, maxSockets: 1 }), busy: 0 };
}

function send(
  socketPath: string,
  agent: Http.Agent,
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

async function readText(response: Http.IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}
