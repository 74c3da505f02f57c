/**
 * `GET /metrics` over HTTP, for a Prometheus on this machine: on 127.0.0.1 alone, and only if a port is configured.
 *
 * Every local program that reaches the port may read: it has figures, no name of a file or person. A web page in a browser is
 * refused by its Host header, which names another site (DNS rebinding).
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Log } from '../ports/log.ts';
import { createServer } from '../system/node-http.ts';
import { GodwitError } from '../wire/error-codes.ts';

const HOST = '127.0.0.1';
const PATH = '/metrics';
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
/** The port may be another one: that of a tunnel. */
const OUR_HOSTS = /^(?:127\.0\.0\.1|localhost)(?::\d{1,5})?$/i;
/** A few that scrape, and a person. More would only take file descriptors. */
const MAX_CONNECTIONS = 16;
/** A request is a few lines, and must have arrived whole in this time. */
const REQUEST_TIME_MS = 5000;
/** How long a close waits for answers that are on their way out. */
const CLOSE_GRACE_MS = 1000;

/** The start-up message about metrics. */
export interface MetricsOptions {
  /** The port on 127.0.0.1 to serve metrics on, 0: any free one. Left out: they are not served. */
  readonly metricsPort?: number;
  readonly log: Log;
}

export interface MetricsEndpointOptions {
  /** 0: any free one. */
  readonly port: number;
  /** Null: there is nothing to tell yet. */
  readonly text: () => Promise<string> | null;
  readonly log: Log;
}

export interface MetricsEndpoint {
  /** `http://127.0.0.1:PORT/metrics` */
  readonly url: string;
  close(): Promise<void>;
}

/** Rejects GodwitError `port-in-use`, `bad-address`. */
export async function startMetricsEndpoint(
  options: MetricsEndpointOptions,
): Promise<MetricsEndpoint> {
  const server = createServer(
    { requestTimeout: REQUEST_TIME_MS, headersTimeout: REQUEST_TIME_MS },
    (request, response) => void answer(options, server, request, response),
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.on('clientError', (_error, socket) => socket.destroy());
  const port = await listen(server, options.port);
  const url = `http://${HOST}:${port}${PATH}`;
  options.log.info('metrics are served', { url });
  return { url, close: () => close(server) };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(refusal(error, port)));
    server.listen({ host: HOST, port, exclusive: true }, () => {
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function refusal(error: NodeJS.ErrnoException, port: number): Error {
  const where = `${HOST}:${port}`;
  if (error.code === 'EADDRINUSE') {
    return new GodwitError('port-in-use', `metrics: ${where} is in use by another program`);
  }
  return new GodwitError('bad-address', `metrics: can't listen on ${where}: ${error.message}`);
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const grace = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
  await closed;
  clearTimeout(grace);
}

async function answer(
  { text, log }: MetricsEndpointOptions,
  server: Server,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const refused = refuse(request);
  if (refused !== null) return say(response, refused, `${REASONS[refused]}\n`);
  try {
    const metricsText = await text();
    // Who is about to close waits for no second request.
    response.shouldKeepAlive &&= server.listening;
    if (metricsText === null) say(response, 503, 'starting\n');
    else say(response, 200, metricsText);
  } catch (error) {
    log.error('metrics could not be served', { error: (error as Error).stack ?? String(error) });
    say(response, 500, 'failed: see the log\n');
  }
}

const REASONS = {
  403: 'the Host header is none of this machine',
  404: `only ${PATH} is here`,
  405: 'only GET and HEAD',
} as const;

/** The status to refuse with; null: it may be answered. */
function refuse({ headers, url, method }: IncomingMessage): keyof typeof REASONS | null {
  if (!OUR_HOSTS.test(headers.host ?? '')) return 403;
  if (url?.split('?', 1)[0] !== PATH) return 404;
  return method === 'GET' || method === 'HEAD' ? null : 405;
}

function say(response: ServerResponse, status: number, text: string): void {
  // What is left of a body would be taken for the next request.
  if (status !== 200) response.shouldKeepAlive = false;
  response.writeHead(status, {
    'content-type': status === 200 ? CONTENT_TYPE : 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(status === 405 ? { allow: 'GET, HEAD' } : {}),
  });
  response.end(text);
}
