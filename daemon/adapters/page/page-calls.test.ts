import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MAX_BODY_BYTES } from '../../../shared/control/limits.ts';
import type { ControlReply } from '../../../shared/control/protocol.ts';
import { instant, wallTime, type Instant } from '../../../shared/model/time.ts';
import { FakeDaemon } from '../../../test/support/fake-daemon.ts';
import { fakeMetrics } from '../../../test/support/fake-stats.ts';
import { listLog } from '../../../test/support/list-log.ts';
import { stillRecorder } from '../../../test/support/still-recorder.ts';
import { pageCalls } from './page-calls.ts';
import { PageEndpoint, type PageEndpointOptions } from '../../../shared/page/page-endpoint.ts';
import { MOST_SESSIONS, MOST_TOKENS, TOKEN_LIFE } from '../../../shared/page/page-limits.ts';

let folder: string;
let daemon: FakeDaemon;
let logged: string[];
let now: Instant;
let endpoint: PageEndpoint;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-page-'));
  mkdirSync(join(folder, 'built'));
  writeFileSync(join(folder, 'built', 'index.html'), '<!doctype html><title>page</title>');
  writeFileSync(join(folder, 'built', 'page.js'), 'void 0;');
  writeFileSync(join(folder, 'built', 'notes.txt'), 'of no known type');
  writeFileSync(join(folder, 'secret.html'), 'not a part of the page');
  daemon = new FakeDaemon(join(folder, 'contents'));
  logged = [];
  now = instant(0);
  endpoint = served(join(folder, 'built'));
});

afterEach(async () => {
  await endpoint.close();
  rmSync(folder, { recursive: true });
});

function served(built: string, more: Pick<PageEndpointOptions, 'peerUser'> = {}): PageEndpoint {
  const { pauses, conflicts, places, desktop } = daemon;
  const metrics = fakeMetrics();
  const page = { open: () => endpoint.open() };
  const recorder = stillRecorder();
  return new PageEndpoint({
    folder: built,
    calls: pageCalls(() => ({
      ...{ daemon, pauses, conflicts, places, desktop, metrics, page, recorder },
    })),
    clock: { now: () => now, wall: () => wallTime(0) },
    log: listLog(logged),
    ...more,
  });
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly body: ControlReply;
}

interface RequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The path goes out as it is: no client makes it tidy. */
function ask(origin: string, path: string, asked: RequestOptions = {}): Promise<Answer> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const { method = 'GET', headers = {}, body } = asked;
    const outgoing = request({ hostname, port, path, method, headers, agent: false });
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        const text = Buffer.concat(parts).toString('utf8');
        const isJson = response.headers['content-type'] === 'application/json';
        const told = (isJson ? JSON.parse(text) : null) as ControlReply;
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: told });
      });
    });
    outgoing.end(body);
  });
}

interface Opened {
  readonly origin: string;
  readonly token: string;
}

async function opened(): Promise<Opened> {
  const url = new URL(await endpoint.open());
  expect(url.search).toBe('');
  return { origin: url.origin, token: url.hash.slice('#token='.length) };
}

function post(
  origin: string,
  path: string,
  body: unknown,
  headers: RequestOptions['headers'] = {},
) {
  return ask(origin, path, {
    method: 'POST',
    headers: { origin, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

async function signedIn(): Promise<{ origin: string; headers: Record<string, string> }> {
  const { origin, token } = await opened();
  const answer = await post(origin, '/v1/session', { token });
  const [set = ''] = answer.headers['set-cookie'] as string[];
  const key = (answer.body as { result: { key: string } }).result.key;
  return { origin, headers: { cookie: set.split(';', 1)[0] as string, 'godwit-key': key } };
}

const refused = (status: number, code: string): unknown =>
  expect.objectContaining({
    status,
    body: { ok: false, error: expect.objectContaining({ code }) },
  });

it('the page is served to its own user only, also when the peer is unknown', async () => {
  const own = process.getuid?.() ?? 0;
  let user: number | null = own + 1;
  endpoint = served(join(folder, 'built'), { peerUser: () => Promise.resolve(user) });
  const { origin, token } = await opened();
  expect(await post(origin, '/v1/session', { token })).toEqual(refused(403, 'not-yours'));
  expect(logged.join()).toContain('another user');
  // It is good all the same for whom it was made.
  user = own;
  expect((await post(origin, '/v1/session', { token })).status).toBe(200);
  user = null;
  const next = await opened();
  // Who can't be told is not let in.
  expect(await post(origin, '/v1/session', { token: next.token })).toEqual(
    refused(403, 'not-yours'),
  );
  expect(logged.join()).toContain('does not tell');
});

describe('the files of the page', () => {
  it('are served under a policy that admits nothing else', async () => {
    const { origin } = await opened();
    const page = await ask(origin, '/');
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining('<title>page') });
    expect(page.headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'self'/,
    );
    expect(page.headers).toMatchObject({ 'x-content-type-options': 'nosniff' });
    expect((await ask(origin, '/page.js?v=1')).headers['content-type']).toMatch(/javascript/);
    expect((await ask(origin, '/', { method: 'HEAD' })).text).toBe('');
  });

  it.each([
    '/../secret.html',
    '/%2e%2e/secret.html',
    '/..%2fsecret.html',
    '//secret.html',
    '/notes.txt',
    '/index.html',
    '/page.js/',
    '/page.js%00.html',
    'http://elsewhere/page.js',
    `/${'a'.repeat(4000)}`,
  ])('do not include %s', async (path) => {
    const { origin } = await opened();
    expect(await ask(origin, path)).toEqual(refused(400, 'bad-message'));
  });

  it.each(['localhost', 'godwit.example', '127.0.0.1', '127.0.0.1:1', '[::1]'])(
    'are refused for the host %s',
    async (host) => {
      const { origin } = await opened();
      expect(await ask(origin, '/', { headers: { host } })).toEqual(refused(403, 'not-yours'));
    },
  );

  it('are reported with a code when they are missing and are looked for again', async () => {
    await endpoint.close();
    const built = join(folder, 'not-built-yet');
    endpoint = served(built);
    await expect(endpoint.open()).rejects.toMatchObject({ code: 'page-missing' });
    mkdirSync(built);
    writeFileSync(join(built, 'index.html'), 'there');
    expect(await endpoint.open()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}$/);
  });
});

describe('a token of the page', () => {
  it('opens one session, whose cookie is hidden from scripts and other sites', async () => {
    const { origin, token } = await opened();
    const first = await post(origin, '/v1/session', { token });
    expect(first.status).toBe(200);
    const port = new URL(origin).port;
    const cookie = new RegExp(`^godwit-${port}=[\\w-]{43}; Path=/v1/; HttpOnly; SameSite=Strict$`);
    expect(first.headers['set-cookie']).toEqual([expect.stringMatching(cookie)]);
    expect(await post(origin, '/v1/session', { token })).toEqual(refused(401, 'page-signed-out'));
  });

  it('expires after a minute', async () => {
    const { origin, token } = await opened();
    now = instant(TOKEN_LIFE + 1);
    expect(await post(origin, '/v1/session', { token })).toEqual(refused(401, 'page-signed-out'));
  });

  it.each(['', 'x'.repeat(201), 7, null])('is refused when it is %j', async (token) => {
    const { origin } = await opened();
    expect(await post(origin, '/v1/session', { token })).toEqual(refused(400, 'bad-message'));
  });

  it('is forgotten when there are too many newer ones', async () => {
    const { origin, token } = await opened();
    for (let i = 0; i < MOST_TOKENS; i++) await endpoint.open();
    expect(await post(origin, '/v1/session', { token })).toEqual(refused(401, 'page-signed-out'));
  });
});

describe('a call from the page', () => {
  it('is answered as on the control socket', async () => {
    const { origin, headers } = await signedIn();
    const status = await post(origin, '/v1/status', { revision: null, waitMs: 0 }, headers);
    expect(status.body).toMatchObject({ ok: true, result: { revision: 1, state: 'idle' } });
    const paused = await post(origin, '/v1/command/pause', { forMs: 60_000 }, headers);
    expect(paused.body).toMatchObject({ ok: true });
    expect(daemon.calls).toEqual(['pause 60000']);
  });

  it('is an answer like any other for a browser when the daemon refuses what is asked', async () => {
    const { origin, headers } = await signedIn();
    const args = { volume: 'home', path: ['none'], most: 10 };
    expect(await post(origin, '/v1/command/preview', args, headers)).toEqual(
      refused(200, 'not-found'),
    );
  });

  it('waits for the next revision', async () => {
    const { origin, headers } = await signedIn();
    const waiting = post(origin, '/v1/status', { revision: 1, waitMs: 30_000 }, headers);
    const { promise, resolve } = Promise.withResolvers<void>();
    const changed = daemon.changed.bind(daemon);
    daemon.changed = (...args) => {
      resolve();
      return changed(...args);
    };
    await promise;
    daemon.become({ summary: 'later' });
    expect((await waiting).body).toMatchObject({ result: { revision: 2, summary: 'later' } });
  });

  it.each([
    ['no origin', { origin: '' }, 403, 'not-yours'],
    ['another site', { origin: 'http://elsewhere' }, 403, 'not-yours'],
    ['this site by another name', { origin: 'http://localhost:1' }, 403, 'not-yours'],
    ['a page of no site', { origin: 'null' }, 403, 'not-yours'],
    ['another host', { host: 'elsewhere' }, 403, 'not-yours'],
    ['no cookie', { cookie: '' }, 401, 'page-signed-out'],
    ['another cookie', { cookie: 'godwit=1; a=b' }, 401, 'page-signed-out'],
    ['no key', { 'godwit-key': '' }, 401, 'page-signed-out'],
    ['another key', { 'godwit-key': 'x'.repeat(43) }, 401, 'page-signed-out'],
  ])('is refused with %s', async (_what, change, status, code) => {
    const { origin, headers } = await signedIn();
    const answer = await post(origin, '/v1/command/pause', {}, { ...headers, ...change });
    expect(answer).toEqual(refused(status, code));
    expect(daemon.calls).toEqual([]);
  });

  it.each([
    'down',
    'flush',
    'dismiss',
    'record',
    'log',
    'metrics',
    'make-volume',
    'change-team',
    'ui',
    'toString',
    '',
    'pause/x',
  ])('is refused for the command "%s"', async (name) => {
    const { origin, headers } = await signedIn();
    expect(await post(origin, `/v1/command/${name}`, {}, headers)).toEqual(
      refused(400, 'bad-message'),
    );
    expect(daemon.calls).toEqual([]);
  });

  const BOB = { kind: 'person', name: 'bob', rights: 3 };

  it.each([
    ['share-folder', { volume: 'home', path: ['a'], guests: [{ ...BOB, rights: 0 }] }],
    ['share-folder', { volume: 'home', path: ['..'], guests: [BOB] }],
    ['share-folder', { volume: 'home', path: ['a'], guests: [{ ...BOB, kind: 'robot' }] }],
    ['share-folder', { volume: 'home', path: ['a'], guests: [] }],
    ['accept-share', { share: 'trip', volume: 'home', path: ['a/b'] }],
    ['leave-share', { share: '' }],
    ['set-access', { volume: 'home', kind: 'person', name: 'bob', negative: false, rights: 999 }],
  ])('is refused for %s with %j, in one line', async (name, args) => {
    const { origin, headers } = await signedIn();
    const { body } = await post(origin, `/v1/command/${name}`, args, headers);
    expect(body).toMatchObject({ ok: false });
    expect(JSON.stringify(body)).not.toContain(String.raw`\n`);
    expect(daemon.calls).toEqual([]);
  });

  it('is refused for the files of volumes', async () => {
    const { origin, headers } = await signedIn();
    expect(await post(origin, '/v1/fs/volumes', {}, headers)).toEqual(refused(400, 'bad-message'));
  });

  it.each(['', '{', '[]', '{"forMs": "1"}', '{"more": 1}', '\u0000', '{"__proto__": {}}x'])(
    'is refused with a code when the body is %j',
    async (body) => {
      const { origin, headers } = await signedIn();
      expect(await post(origin, '/v1/command/pause', body, headers)).toEqual(
        refused(400, 'bad-message'),
      );
    },
  );

  it('is refused before it has arrived when its body is too large, and its connection ends', async () => {
    const { origin, headers } = await signedIn();
    const large = { ...headers, 'content-length': String(MAX_BODY_BYTES + 1) };
    const answer = await new Promise<Answer['headers']>((resolve, reject) => {
      const { hostname, port } = new URL(origin);
      const about = { hostname, port, path: '/v1/command/pause', method: 'POST' };
      const outgoing = request({ ...about, headers: { origin, ...large } });
      outgoing.on('error', reject);
      outgoing.on('response', (response) => resolve(response.headers));
      outgoing.flushHeaders();
    });
    expect(answer['connection']).toBe('close');
  });

  it('is refused by another method', async () => {
    const { origin, headers } = await signedIn();
    for (const method of ['GET', 'PUT', 'OPTIONS', 'DELETE']) {
      const answer = await ask(origin, '/v1/status', { method, headers: { origin, ...headers } });
      expect(answer).toEqual(refused(400, 'bad-message'));
      expect(answer.headers['access-control-allow-origin']).toBe(undefined);
    }
  });

  it('is refused for the oldest of too many pages', async () => {
    const first = await signedIn();
    for (let i = 0; i < MOST_SESSIONS; i++) await signedIn();
    const { origin, headers } = first;
    expect(await post(origin, '/v1/command/scan', {}, headers)).toEqual(
      refused(401, 'page-signed-out'),
    );
  });

  it('ends only its own connection when it is no HTTP', async () => {
    const { origin } = await opened();
    const socket = connect(Number(new URL(origin).port), '127.0.0.1');
    const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => undefined);
    socket.write('\u0000\u0001 no HTTP\r\n\r\n');
    await ended;
    expect((await ask(origin, '/')).status).toBe(200);
  });
});

it('the page ends with the daemon', async () => {
  const { origin } = await opened();
  await endpoint.close();
  await expect(ask(origin, '/')).rejects.toThrow('ECONNREFUSED');
  await expect(endpoint.open()).rejects.toMatchObject({ code: 'not-running' });
});
