/**
 * Where a running server answers its administrator: HTTP over a Unix socket in its data folder, which is closed to others. The kernel tells the
 * user of each connection: the server's own, or root. Who can use it can read the database too, so it tells names. It changes nothing.
 *
 * A data folder whose disk has no sockets, or whose path is too long for one, has none: the server serves without, and its log says so.
 */
import { chmodSync, rmSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { SERVER_SOCKET, type ServerStatistics } from '../shared/control/server-statistics.ts';
import type { Host } from '../shared/ports/host.ts';
import type { Log } from '../shared/ports/log.ts';
import { createServer } from '../shared/system/node-http.ts';

const PATH = '/v1/statistics';
/** `sun_path` has 104 bytes on macOS and 108 on Linux, the closing NUL included. */
const MAX_SOCKET_PATH_BYTES = 103;
/** A few administrators. More would only take file descriptors. */
const MAX_CONNECTIONS = 16;
const REQUEST_TIME_MS = 5000;

export interface StatisticsOptions {
  readonly dataDir: string;
  readonly host: Pick<Host, 'peerCredentials'>;
  readonly log: Log;
  /** Null: the server is starting. */
  readonly statistics: () => ServerStatistics | null;
  /** The user of the server; left out: that of this process. */
  readonly uid?: number;
}

export interface StatisticsEndpoint {
  close(): Promise<void>;
}

/** Null: there can be none, and the log says why. The caller has the lock of the data folder, so a socket that is there was left behind. */
export async function startStatisticsEndpoint(
  options: StatisticsOptions,
): Promise<StatisticsEndpoint | null> {
  const path = join(options.dataDir, SERVER_SOCKET);
  const server = createServer(
    { requestTimeout: REQUEST_TIME_MS, headersTimeout: REQUEST_TIME_MS },
    (request, response) => answer(options, request, response),
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.on('clientError', (_error, socket) => socket.destroy());
  try {
    if (Buffer.byteLength(path) > MAX_SOCKET_PATH_BYTES) throw new Error('its path is too long');
    rmSync(path, { force: true });
    await listen(server, path);
    chmodSync(path, 0o600);
  } catch (error) {
    server.close();
    options.log.warn('`godwit server top` will not reach this server', { error: String(error) });
    return null;
  }
  return {
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
      rmSync(path, { force: true });
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

function answer(
  { host, log, statistics, uid = process.getuid?.() ?? 0 }: StatisticsOptions,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (!isAdministrator(request.socket, host, uid)) return say(response, 403, { code: 'not-yours' });
  if (request.method !== 'GET' || request.url !== PATH) {
    return say(response, 404, { code: 'not-found' });
  }
  try {
    const told = statistics();
    if (told === null) say(response, 503, { code: 'try-again' });
    else say(response, 200, told);
  } catch (error) {
    log.error('statistics could not be told', { error: (error as Error).stack ?? String(error) });
    say(response, 500, { code: 'internal' });
  }
}

/** Nobody is, of whom the kernel does not say so. */
function isAdministrator(socket: Socket, host: StatisticsOptions['host'], own: number): boolean {
  const fd = (socket as Socket & { _handle?: { fd?: number } | null })._handle?.fd;
  if (fd === undefined || fd < 0) return false;
  try {
    const { uid } = host.peerCredentials(fd);
    return uid === own || uid === 0;
  } catch {
    return false;
  }
}

function say(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.shouldKeepAlive = false;
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}
