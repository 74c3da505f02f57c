/**
 * The daemon's control endpoint: HTTP over a Unix socket, for the CLI, the tray and programs, and WebSockets for calls for files.
 *
 * Who may connect: the folder of the socket is closed to others, and the credentials of each connection are
 * asked of the kernel: the daemon's own user, or root. One endpoint for a data folder: a lock beside the socket, which
 * ends with its process, distinguishes a live one from one that was left behind.
 */
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { controlFilePath, readControlFile } from '../../../shared/control/control-file.ts';
import { MAX_CONNECTIONS } from '../../../shared/control/limits.ts';
import type { ControlReply } from '../../../shared/control/protocol.ts';
import type { Host } from '../../../shared/ports/host.ts';
import type { Log } from '../../../shared/ports/log.ts';
import { createServer } from '../../../shared/system/node-http.ts';
import { withRefusal } from '../../../shared/control/session-refusal.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { CallSockets } from './call-sockets.ts';
import { ConnectionHandles } from './connection-handles.ts';
import { GroupLists } from './group-lists.ts';
import { handleCall } from './control-calls.ts';
import { BodyTooLarge } from '../../../shared/control/read-body.ts';
import type { ControlServices } from './control-services.ts';
import { prepareSocketPath, surroundings, type SocketEnvironment } from './socket-folder.ts';

/** A request must have arrived whole in this time; answers may take as long as they need. */
const REQUEST_TIME_MS = 30_000;
/** How long a close waits for answers that are on their way out. */
const CLOSE_GRACE_MS = 1000;

export interface ControlEndpointOptions extends ControlServices {
  readonly dataDir: string;
  readonly host: Host;
  readonly log: Log;
  readonly around?: SocketEnvironment;
}

export interface ControlEndpoint {
  readonly socketPath: string;
  close(): Promise<void>;
}

/**
 * Listens on the control socket of a data folder. Rejects `already-running` if another daemon has
 * its lock.
 */
export async function startControlEndpoint(
  options: ControlEndpointOptions,
): Promise<ControlEndpoint> {
  const around = options.around ?? surroundings();
  const socketPath = prepareSocketPath(options.dataDir, around);
  const lock = options.host.lockFile(`${socketPath}.lock`);
  if (lock === null) {
    throw new GodwitError('already-running', `a daemon runs on ${options.dataDir} already`);
  }
  const connections = new Connections(options, around.uid);
  try {
    rmSync(socketPath, { force: true });
    await listen(connections.server, socketPath);
    chmodSync(socketPath, 0o600);
    announce(options.dataDir, socketPath);
  } catch (error) {
    connections.server.close();
    lock.release();
    throw error;
  }
  return {
    socketPath,
    async close() {
      retract(options.dataDir, socketPath);
      await connections.close();
      rmSync(socketPath, { force: true });
      lock.release();
    },
  };
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function announce(dataDir: string, socket: string): void {
  const text = JSON.stringify({ socket, pid: process.pid });
  writeFileSync(controlFilePath(dataDir), `${text}\n`, { mode: 0o600 });
}

function retract(dataDir: string, socket: string): void {
  if (readControlFile(dataDir)?.socket === socket)
    rmSync(controlFilePath(dataDir), { force: true });
}

class Connections {
  readonly server: Server;
  readonly #options: ControlEndpointOptions;
  readonly #uid: number;
  readonly #groups: GroupLists;
  readonly #handles = new Map<Socket, ConnectionHandles>();
  /** Handles of ended connections that are being released. */
  readonly #ending = new Set<Promise<void>>();
  readonly #calls = new CallSockets((error, call) => this.#failure(error, call));

  constructor(options: ControlEndpointOptions, uid: number) {
    this.#options = options;
    this.#uid = uid;
    this.#groups = new GroupLists(options.daemon.fileSystem, options.log);
    this.server = createServer(
      // Handles live as long as their connection, so an idle one is never ended from here.
      { keepAliveTimeout: 0, requestTimeout: REQUEST_TIME_MS },
      (request, response) => void this.#answer(request, response),
    );
    this.server.maxConnections = MAX_CONNECTIONS;
    this.server.on('connection', (socket: Socket) => this.#admit(socket));
    this.server.on('upgrade', (request, socket: Socket, head) => {
      this.#calls.upgrade(request, socket, head, this.#handles.get(socket) ?? null);
    });
    this.server.on('clientError', (_error, socket) => socket.destroy());
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.closeIdleConnections();
    this.#calls.close();
    const grace = setTimeout(() => {
      this.server.closeAllConnections();
      this.#calls.closeAll();
    }, CLOSE_GRACE_MS);
    await closed;
    clearTimeout(grace);
    await Promise.all(this.#ending);
    await this.#groups.idle();
  }

  #admit(socket: Socket): void {
    const pid = this.#pidOfOurs(socket);
    if (pid === null) return;
    const { daemon, recorder, log } = this.#options;
    const handles = new ConnectionHandles(
      recorder.over(daemon.programs, { pid }),
      this.#groups,
      log,
    );
    this.#handles.set(socket, handles);
    socket.once('close', () => {
      this.#handles.delete(socket);
      const ending = handles.end().finally(() => this.#ending.delete(ending));
      this.#ending.add(ending);
    });
  }

  /** null: it is of another user. */
  #pidOfOurs(socket: Socket): number | null {
    const fd = (socket as Socket & { _handle?: { fd?: number } | null })._handle?.fd;
    if (fd === undefined || fd < 0) return null;
    try {
      const { uid, pid } = this.#options.host.peerCredentials(fd);
      if (uid === this.#uid || uid === 0) return pid;
      this.#options.log.warn('a control connection of another user was refused', { uid, pid });
    } catch (error) {
      this.#options.log.warn('the peer of a control connection is unknown', {
        error: (error as Error).message,
      });
    }
    return null;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const handles = this.#handles.get(request.socket);
    if (handles === undefined) {
      response.shouldKeepAlive = false;
      return reply(response, refusal(new GodwitError('not-yours')));
    }
    try {
      const outcome = await handleCall(this.#options, handles, request);
      reply(response, { ok: true, result: outcome.result });
      // The client may have gone meanwhile.
      if (response.closed) outcome.afterwards?.();
      else response.once('close', () => outcome.afterwards?.());
    } catch (error) {
      // What is left of the body would be taken for the next request.
      if (error instanceof BodyTooLarge) response.shouldKeepAlive = false;
      reply(response, this.#failure(error, request.url ?? ''));
    }
  }

  #failure(thrown: unknown, call: string): ControlReply {
    const error = withRefusal(thrown, () => this.#options.daemon.snapshot());
    if (error instanceof GodwitError) return refusal(error);
    this.#options.log.error('a control call failed', {
      call,
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
    return refusal(new GodwitError('internal'));
  }
}

function refusal(error: GodwitError): ControlReply {
  const { code, message, remedy } = error;
  return { ok: false, error: { code, message, remedy } };
}

const HTTP_STATUS: Readonly<Record<string, number>> = {
  'bad-message': 400,
  'bad-name': 400,
  'not-yours': 403,
  internal: 500,
};

function reply(response: ServerResponse, body: ControlReply): void {
  const text = JSON.stringify(body);
  response.writeHead(body.ok ? 200 : (HTTP_STATUS[body.error.code] ?? 409), {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}
