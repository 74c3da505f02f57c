import { once } from 'node:events';
import { Agent, request, type IncomingHttpHeaders } from 'node:http';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { listLog } from '../../test/support/list-log.ts';
import { startMetricsEndpoint, type MetricsEndpoint } from './metrics-endpoint.ts';

const TEXT = '# HELP n N.\n# TYPE n gauge\nn 1\n';
let logged: string[] = [];
const endpoints: MetricsEndpoint[] = [];
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const endpoint of endpoints.splice(0)) await endpoint.close();
  logged = [];
});

async function start(
  text: () => Promise<string> | null = () => Promise.resolve(TEXT),
  port = 0,
): Promise<MetricsEndpoint> {
  const endpoint = await startMetricsEndpoint({ port, text, log: listLog(logged) });
  endpoints.push(endpoint);
  return endpoint;
}

interface RequestOptions {
  readonly path?: string;
  readonly method?: string;
  readonly host?: string;
  readonly body?: string;
  readonly agent?: Agent;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

function ask({ url }: MetricsEndpoint, asked: RequestOptions = {}): Promise<Answer> {
  const { path = '/metrics', method = 'GET', host, body, agent } = asked;
  const headers = host === undefined ? {} : { host };
  const options = { path, method, headers, agent: agent ?? new Agent({ keepAlive: false }) };
  return new Promise((resolve, reject) => {
    const sent = request(new URL(url), options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Bytes as no library sends them; what comes back until the other side closes. */
async function raw({ url }: MetricsEndpoint, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  sockets.push(socket);
  let text = '';
  socket.setEncoding('utf8').on('data', (part: string) => (text += part));
  socket.on('error', () => undefined);
  socket.write(bytes);
  await once(socket, 'close');
  return text;
}

const codeOf = (starting: Promise<unknown>): Promise<unknown> =>
  starting.then(
    () => 'ok',
    (error: unknown) => (error as { code: unknown }).code,
  );

describe('the text of the metrics endpoint', () => {
  it('is served with its type to this machine only', async () => {
    const endpoint = await start();
    expect(endpoint.url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*\/metrics$/);
    const { status, headers, text } = await ask(endpoint);
    expect([status, text]).toEqual([200, TEXT]);
    expect(headers).toMatchObject({
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(headers['access-control-allow-origin']).toBeUndefined();
    expect((await ask(endpoint, { path: '/metrics?name[]=n' })).text).toBe(TEXT);
  });

  it('is omitted in the answer to HEAD', async () => {
    const { status, headers, text } = await ask(await start(), { method: 'HEAD' });
    expect([status, text, headers['content-length']]).toEqual([200, '', String(TEXT.length)]);
  });

  it('is computed for each request and for nobody else', async () => {
    let count = 0;
    const endpoint = await start(() => Promise.resolve(`n ${++count}\n`));
    expect(count).toBe(0);
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask(endpoint)));
    expect(answers.map(({ text }) => text).sort()).toEqual(
      Array.from({ length: 8 }, (_, at) => `n ${at + 1}\n`),
    );
    await ask(endpoint, { path: '/' });
    await ask(endpoint, { host: 'example.org' });
    expect(count).toBe(8);
  });

  it('is served repeatedly over one connection', async () => {
    const endpoint = await start();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let turn = 0; turn < 3; turn += 1) {
      expect((await ask(endpoint, { agent })).status).toBe(200);
    }
    expect(Object.keys(agent.freeSockets)).toHaveLength(1);
    agent.destroy();
  });

  it('is unavailable while the program starts', async () => {
    let text: Promise<string> | null = null;
    const endpoint = await start(() => text);
    expect((await ask(endpoint)).status).toBe(503);
    text = Promise.resolve(TEXT);
    expect((await ask(endpoint)).status).toBe(200);
  });

  it('is replaced by an error in the log when it fails', async () => {
    const endpoint = await start(() => Promise.reject(new Error('/home/ann/secret')));
    const { status, text } = await ask(endpoint);
    expect([status, text]).toEqual([500, 'failed: see the log\n']);
    expect(logged.join()).toContain('metrics could not be served');
  });
});

describe('a request that the metrics endpoint refuses', () => {
  it.each([
    ['localhost', 200],
    ['LOCALHOST:1', 200],
    ['127.0.0.1', 200],
    ['127.0.0.1:9464', 200],
    ['example.org', 403],
    ['example.org:9464', 403],
    ['127.0.0.1.example.org', 403],
    ['localhost.example.org', 403],
    ['localhost@example.org', 403],
    ['localhost:80:80', 403],
    ['[::1]', 403],
    ['0.0.0.0', 403],
  ])('is judged by its Host %s: %d', async (host, expected) => {
    const { status, text } = await ask(await start(), { host });
    expect(status).toBe(expected);
    expect(text === TEXT).toBe(expected === 200);
  });

  it.each([
    ['POST', '/metrics', 405],
    ['PUT', '/metrics', 405],
    ['OPTIONS', '/metrics', 405],
    ['GET', '/', 404],
    ['GET', '/metrics/', 404],
    ['GET', '//metrics', 404],
    ['GET', '/metrics/../metrics', 404],
    ['POST', '/v1/command/down', 404],
    ['GET', 'http://127.0.0.1/metrics', 404],
  ])('is judged by its method and path %s %s: %d', async (method, path, expected) => {
    const body = method === 'GET' ? {} : { body: 'x'.repeat(1000) };
    const answer = await ask(await start(), { method, path, ...body });
    expect(answer.status).toBe(expected);
    expect(answer.headers.allow).toBe(expected === 405 ? 'GET, HEAD' : undefined);
    expect(answer.headers.connection).toBe('close');
  });

  it('may lack a Host or be no HTTP', async () => {
    const endpoint = await start();
    expect(await raw(endpoint, 'GET /metrics HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 403 /);
    expect(await raw(endpoint, 'GET /metrics HTTP/1.1\r\nHost:\r\n\r\n')).toMatch(
      /^HTTP\/1.1 403 /,
    );
    expect(await raw(endpoint, 'GET /metrics HTTP/1.1\r\n\r\n')).toMatch(/^HTTP\/1.1 400 /);
    expect(await raw(endpoint, '\u0016\u0003\u0001 hello\r\n\r\n')).not.toContain('200');
    expect((await ask(endpoint)).status).toBe(200);
  });

  it('may come over one connection too many', async () => {
    const endpoint = await start();
    const port = Number(new URL(endpoint.url).port);
    for (let at = 0; at < 16; at += 1) {
      const socket = connect(port, '127.0.0.1');
      sockets.push(socket);
      await once(socket, 'connect');
    }
    expect(await raw(endpoint, 'GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n')).toBe('');
  });

  it('is one to listen on a used or impossible port', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    await expect(start(undefined, port)).rejects.toMatchObject({
      code: 'port-in-use',
      message: `metrics: 127.0.0.1:${port} is in use by another program`,
    });
    taken.close();
    await once(taken, 'close');
    await start(undefined, port);
    expect(await codeOf(start(undefined, 70_000))).toBe('ERR_SOCKET_BAD_PORT');
  });
});

describe('the close of the metrics endpoint', () => {
  it('frees the port and can be requested twice', async () => {
    const endpoint = await start();
    const agent = new Agent({ keepAlive: true });
    await ask(endpoint, { agent });
    await endpoint.close();
    await endpoint.close();
    await expect(ask(endpoint)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    agent.destroy();
  });

  it('waits for an answer that is being sent', async () => {
    const held = Promise.withResolvers<string>();
    const begun = Promise.withResolvers<void>();
    const endpoint = await start(() => {
      begun.resolve();
      return held.promise;
    });
    const agent = new Agent({ keepAlive: true });
    const asked = ask(endpoint, { agent });
    await begun.promise;
    const closing = endpoint.close();
    held.resolve(TEXT);
    const { status, headers, text } = await asked;
    expect([status, headers.connection, text]).toEqual([200, 'close', TEXT]);
    await closing;
    agent.destroy();
  });

  it('does not wait for an answer that never comes', async () => {
    const begun = Promise.withResolvers<void>();
    const endpoint = await start(() => {
      begun.resolve();
      return new Promise(() => undefined);
    });
    const asked = codeOf(ask(endpoint));
    await begun.promise;
    await endpoint.close();
    expect(await asked).toBe('ECONNRESET');
  });
});
