/**
 * The page over HTTP on 127.0.0.1, for a browser of this machine: a daemon serves it for `godwit ui`, and `godwit ui` itself where no
 * device is set up yet. It listens from the first request for its address until it is closed.
 *
 * What is refused, in this order: a Host that is not our address (DNS rebinding); whatever is neither a file of the page nor one of its
 * calls; a call whose Origin is not ours (another site, or none); a call without a session. The files hold no secret: they are what is
 * needed to hand the token over, which a browser does not send by itself since it is behind the `#`. A token is taken from our own user alone, and
 * from nobody where the system does not tell whose program is connected: it is among the arguments of the browser, which all users can see. A file with the
 * address in it would not do instead: packaged browsers (snap, flatpak) may not read our folders.
 *
 * `POST /v1/session {"token"}` sets the cookie and gives the key. The other calls are those of who serves the page.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import type { ControlReply } from '../control/protocol.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { createServer } from '../system/node-http.ts';
import { GodwitError } from '../wire/error-codes.ts';
import { BodyTooLarge, readArguments } from '../control/read-body.ts';
import { readPageFiles, type PageFile } from './page-files.ts';
import { peerUser, type Ends } from './peer-user.ts';
import { CLOSE_GRACE_MS, MOST_CONNECTIONS, REQUEST_TIME_MS } from './page-limits.ts';
import { Sessions, type Session } from './sessions.ts';

const HOST = '127.0.0.1';
const KEY_HEADER = 'godwit-key';
const SECRET_BYTES = 32;

/** No script, style, picture or connection but our own; no site may frame the page. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const ALWAYS = {
  'cache-control': 'no-store',
  'content-security-policy': PAGE_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

/** More characters than any token has. */
const MOST_TOKEN_LENGTH = 200;
const SESSION = z.strictObject({ token: z.string().min(1).max(MOST_TOKEN_LENGTH) });

/** What a page may ask of who serves it. */
export interface PageCalls {
  /** What a page is told of it beside the key of its session. */
  readonly about?: object;
  /** Carries out a call of a session, and rejects a GodwitError; null: there is no such call. */
  call(path: string, request: IncomingMessage): Promise<unknown> | null;
}

export interface PageEndpointOptions {
  /** The user whose program is connected; null: unknown. Absent: as this machine reports. */
  readonly peerUser?: (ends: Ends) => Promise<number | null>;
  /** Where the built page lies. */
  readonly folder: string;
  readonly calls: PageCalls;
  readonly clock: Clock;
  readonly log: Log;
}

/** Serves the page on 127.0.0.1, from the first request for it until `close`. */
export class PageEndpoint {
  readonly #options: PageEndpointOptions;
  readonly #sessions: Sessions;
  #listening: Promise<Listening> | null = null;
  #closed = false;

  constructor(options: PageEndpointOptions) {
    this.#options = options;
    this.#sessions = new Sessions({
      now: () => options.clock.now(),
      secret: () => randomBytes(SECRET_BYTES).toString('base64url'),
    });
  }

  /** An address that opens the page once. Rejects `page-missing`, `bad-address`, `not-running` (it is ending). */
  async open(): Promise<string> {
    if (this.#closed) throw new GodwitError('not-running', 'it is ending');
    const listening = (this.#listening ??= this.#listen());
    listening.catch(() => (this.#listening = null));
    const { origin } = await listening;
    return `${origin}/#token=${this.#sessions.newToken()}`;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const listening = await this.#listening?.catch(() => null);
    if (listening === null || listening === undefined) return;
    const { server } = listening;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    const grace = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
    await closed;
    clearTimeout(grace);
  }

  async #listen(): Promise<Listening> {
    const files = readPageFiles(this.#options.folder);
    const limits = { requestTimeout: REQUEST_TIME_MS, headersTimeout: REQUEST_TIME_MS };
    const server = createServer(limits);
    server.maxConnections = MOST_CONNECTIONS;
    server.on('clientError', (_error, socket) => socket.destroy());
    const port = await listen(server);
    const listening = { server, files, origin: `http://${HOST}:${port}`, port };
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      void this.#answer(listening, request, response);
    });
    this.#options.log.info('the page is served', { origin: listening.origin });
    return listening;
  }

  async #answer(
    listening: Listening,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    // Who goes away waits for nothing any more.
    response.on('error', () => undefined);
    try {
      const file = fileFor(listening, request);
      if (file !== null) return send(response, 200, file, request.method === 'HEAD');
      const { result, headers = {} } = await this.#call(listening, request);
      sendReply(response, { ok: true, result }, headers);
    } catch (error) {
      // What is left of a body would be taken for the next request.
      if (error instanceof BodyTooLarge || !request.complete) response.shouldKeepAlive = false;
      sendReply(response, this.#failure(error, request));
    }
  }

  async #call(listening: Listening, request: IncomingMessage): Promise<CallOutcome> {
    const path = pathOf(request);
    if (request.method !== 'POST') throw noSuchCall(request);
    refuseOtherSites(listening, request);
    if (path === '/v1/session') return this.#beginSession(listening, request);
    if (!this.#sessions.knows(sessionOf(listening, request))) {
      throw new GodwitError('page-signed-out');
    }
    const answer = this.#options.calls.call(path, request);
    if (answer === null) throw noSuchCall(request);
    return { result: await answer };
  }

  async #beginSession(listening: Listening, request: IncomingMessage): Promise<CallOutcome> {
    const { token } = await readArguments(request, SESSION);
    await this.#refuseOtherUsers(request);
    const session = this.#sessions.exchange(token);
    if (session === null) throw new GodwitError('page-signed-out');
    const cookie = `${cookieName(listening)}=${session.cookie}`;
    const headers = { 'set-cookie': `${cookie}; Path=/v1/; HttpOnly; SameSite=Strict` };
    return { result: { ...this.#options.calls.about, key: session.key }, headers };
  }

  /** While a browser is started, its arguments are to be seen by all users. */
  async #refuseOtherUsers({ socket }: IncomingMessage): Promise<void> {
    const { peerUser: userOf = peerUser } = this.#options;
    const user = await userOf(socket);
    if (user !== null && user === process.getuid?.()) return;
    if (user === null) {
      this.#options.log.warn('the page was refused: the system does not tell whose program asks');
      throw new GodwitError('not-yours', 'the system does not tell whose program asks');
    }
    this.#options.log.warn('another user has opened the page, and was refused', { user });
    throw new GodwitError('not-yours', 'the page is of another user');
  }

  #failure(error: unknown, request: IncomingMessage): ControlReply {
    const known = error instanceof GodwitError ? error : new GodwitError('internal');
    if (known !== error) {
      this.#options.log.error('a call of the page failed', {
        call: pathOf(request),
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      });
    }
    const { code, message, remedy } = known;
    return { ok: false, error: { code, message, remedy } };
  }
}

interface Listening {
  readonly server: Server;
  readonly files: ReadonlyMap<string, PageFile>;
  readonly origin: string;
  readonly port: number;
}

interface CallOutcome {
  readonly result: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) =>
      reject(new GodwitError('bad-address', `${HOST}: can't listen: ${error.message}`)),
    );
    server.listen({ host: HOST, port: 0, exclusive: true }, () => {
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Throws if the Host is not ours; null: the request is for no file of the page. */
function fileFor(listening: Listening, request: IncomingMessage): PageFile | null {
  if (request.headers.host !== `${HOST}:${listening.port}`) {
    throw new GodwitError('not-yours', 'the Host header is not the address of the page');
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') return null;
  return listening.files.get(pathOf(request)) ?? null;
}

/** As it was sent: nothing in it is resolved or decoded. */
const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?', 1)[0] ?? '';

function refuseOtherSites({ origin }: Listening, { headers }: IncomingMessage): void {
  if (headers.origin !== origin) {
    throw new GodwitError('not-yours', 'the call comes from another site than the page');
  }
}

const cookieName = ({ port }: Listening): string => `godwit-${port}`;

function sessionOf(listening: Listening, { headers }: IncomingMessage): Session {
  const name = `${cookieName(listening)}=`;
  const cookies = (headers.cookie ?? '').split(';').map((each) => each.trim());
  const cookie = cookies.find((each) => each.startsWith(name))?.slice(name.length) ?? '';
  const key = headers[KEY_HEADER];
  return { cookie, key: typeof key === 'string' ? key : '' };
}

function noSuchCall(request: IncomingMessage): GodwitError {
  return new GodwitError(
    'bad-message',
    `the page has no call ${request.method} ${pathOf(request)}`,
  );
}

/** Of what should not happen. A refusal that people meet is an answer like any other: a browser's console would list it as an error. */
const HTTP_STATUS: Readonly<Record<string, number>> = {
  'bad-message': 400,
  'page-signed-out': 401,
  'not-yours': 403,
  internal: 500,
};

function sendReply(
  response: ServerResponse,
  reply: ControlReply,
  headers: Readonly<Record<string, string>> = {},
): void {
  const file = { type: 'application/json', bytes: Buffer.from(JSON.stringify(reply)) };
  send(response, reply.ok ? 200 : (HTTP_STATUS[reply.error.code] ?? 200), file, false, headers);
}

function send(
  response: ServerResponse,
  status: number,
  { type, bytes }: PageFile,
  headOnly: boolean,
  headers: Readonly<Record<string, string>> = {},
): void {
  const length = { 'content-type': type, 'content-length': bytes.length };
  response.writeHead(status, { ...ALWAYS, ...length, ...headers });
  response.end(headOnly ? undefined : bytes);
}
