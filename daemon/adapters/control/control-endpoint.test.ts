import {
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  existsSync,
  mkdirSync,
  symlinkSync,
} from 'node:fs';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ControlClient } from '../../../shared/control/client.ts';
import { MAX_BODY_BYTES } from '../../../shared/control/limits.ts';
import type { ControlReply } from '../../../shared/control/protocol.ts';
import { rootOf, type VolumeId } from '../../../shared/model/fid.ts';
import type { Host } from '../../../shared/ports/host.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { FakeDaemon, PAUSED_AT, fakeHost } from '../../../test/support/fake-daemon.ts';
import { fakeMetrics } from '../../../test/support/fake-stats.ts';
import { listLog } from '../../../test/support/list-log.ts';
import { stillRecorder } from '../../../test/support/still-recorder.ts';
import { startControlEndpoint, type ControlEndpoint } from './control-endpoint.ts';

const uid = process.getuid?.() ?? 0;
const root = rootOf(1 as VolumeId);

let folder: string;
let daemon: FakeDaemon;
let logged: string[];
let host: Host;
let endpoints: ControlEndpoint[];
let clients: ControlClient[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-control-'));
  mkdirSync(join(folder, 'data'));
  daemon = new FakeDaemon(join(folder, 'contents'));
  logged = [];
  host = fakeHost({ pid: 1, uid, gid: 0 });
  endpoints = [];
  clients = [];
});
afterEach(async () => {
  for (const client of clients) client.close();
  for (const endpoint of endpoints) await endpoint.close();
  rmSync(folder, { recursive: true });
});

async function start(runtimeDir = folder, metrics = fakeMetrics()): Promise<ControlEndpoint> {
  const endpoint = await startControlEndpoint({
    dataDir: join(folder, 'data'),
    host,
    daemon,
    metrics,
    pauses: daemon.pauses,
    ...{ conflicts: daemon.conflicts, places: daemon.places, desktop: daemon.desktop },
    recorder: stillRecorder(),
    page: { open: () => Promise.resolve('http://127.0.0.1:1/#token=t') },
    log: listLog(logged),
    around: { uid, runtimeDir, temporaryDir: folder },
  });
  endpoints.push(endpoint);
  return endpoint;
}

function clientOf(endpoint: ControlEndpoint): ControlClient {
  const client = new ControlClient(endpoint.socketPath);
  clients.push(client);
  return client;
}

interface Answer {
  readonly status: number;
  readonly body: ControlReply;
}

/** A request as any program may send it. */
function ask(socketPath: string, path: string, body: string | Buffer | null): Promise<Answer> {
  const agent = new Agent({ keepAlive: false });
  return new Promise((resolve, reject) => {
    const sent = request(
      { socketPath, agent, path, method: body === null ? 'GET' : 'POST' },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (part: string) => (text += part));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as ControlReply }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body ?? undefined);
  });
}

const codeOf = (answer: Answer) => (answer.body.ok ? 'ok' : answer.body.error.code);

async function codeFrom(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'ok';
  } catch (error) {
    return (error as { code: string }).code;
  }
}

/** Turns of the event loop until something holds; fails the test by its time limit otherwise. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

describe('the commands for pauses and conflicts', () => {
  const opened = async (): Promise<ControlClient> => {
    const client = new ControlClient((await start()).socketPath);
    clients.push(client);
    return client;
  };

  it('report the end of a pause as a new revision to waiting callers', async () => {
    const client = await opened();
    let changed = (): void => undefined;
    let listening = 0;
    const pauses = daemon.pauses as { edition: number; until: number | null; listen: unknown };
    pauses.listen = (hear: () => void) => {
      listening += 1;
      changed = hear;
      waiting();
      return () => void (listening -= 1);
    };
    let waiting = (): void => undefined;
    const asked = new Promise<void>((resolve) => (waiting = resolve));
    const { revision, pausedUntil } = await client.status();
    expect(pausedUntil).toBe(null);
    daemon.become({ paused: true });
    const after = client.statusAfter(revision + 1, 30_000);
    await asked;
    pauses.edition += 1;
    pauses.until = 1000;
    changed();
    expect(await after).toMatchObject({
      revision: revision + 2,
      pausedUntil: '1970-01-01T00:00:01.000Z',
    });
    expect(listening).toBe(0);
  });

  it.each([
    ['pause', { forMs: 999 }],
    ['pause', { forMs: 31 * 24 * 3_600_000 }],
    ['pause', { forMs: null }],
    ['resolve', { id: 0, keep: 'mine' }],
    ['resolve', { id: 1, keep: 'ours' }],
    ['resolve', { id: 1 }],
  ] as const)('refuse %s with the arguments %j', async (name, args) => {
    const client = await opened();
    await expect(client.command(name, args as never)).rejects.toMatchObject({
      code: 'bad-message',
    });
    expect(daemon.calls).toEqual([]);
  });

  it('reach the daemon with their arguments', async () => {
    const client = await opened();
    expect(await client.command('pause', { forMs: 60_000 })).toEqual({
      pausedUntil: new Date(PAUSED_AT + 60_000).toISOString(),
    });
    expect(await client.command('resolve', { id: 7, keep: 'mine' })).toMatchObject({ id: 7 });
    expect(daemon.calls).toEqual(['pause 60000', 'resolve 7 mine']);
  });
});

describe('the control socket', () => {
  it('lies in a folder that only its user can enter and is announced in the data folder', async () => {
    const { socketPath } = await start();
    expect(statSync(join(folder, 'godwit')).mode & 0o777).toBe(0o700);
    expect(socketPath.startsWith(join(folder, 'godwit/'))).toBe(true);
    const announced = JSON.parse(readFileSync(join(folder, 'data/control.json'), 'utf8')) as object;
    expect(announced).toEqual({ socket: socketPath, pid: process.pid });
  });

  it('is removed at the close, with its announcement', async () => {
    const endpoint = await start();
    await endpoint.close();
    expect(existsSync(endpoint.socketPath)).toBe(false);
    expect(existsSync(join(folder, 'data/control.json'))).toBe(false);
    expect(await codeFrom(new ControlClient(endpoint.socketPath).status())).toBe('not-running');
  });

  it('is refused to a second daemon of the same data folder', async () => {
    await start();
    expect(await codeFrom(start())).toBe('already-running');
  });

  it('replaces a socket that a killed daemon left behind', async () => {
    const first = await start();
    await first.close();
    writeFileSync(first.socketPath, 'left behind');
    const again = await start();
    expect(again.socketPath).toBe(first.socketPath);
    expect((await clientOf(again).status()).pid).toBe(4711);
  });

  it('is placed elsewhere when there is no runtime folder', async () => {
    const { socketPath } = await start(join(folder, 'no-such-folder'));
    expect(socketPath.startsWith(join(folder, `godwit-${uid}/`))).toBe(true);
  });

  it('is not created where somebody has made a link', async () => {
    mkdirSync(join(folder, 'elsewhere'));
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'godwit'));
    expect(await codeFrom(start())).toBe('not-yours');
  });

  it('refuses another user and reports that', async () => {
    host = fakeHost({ pid: 1, uid: uid + 1, gid: 0 });
    const { socketPath } = await start();
    expect(await ask(socketPath, '/v1/status', null)).toMatchObject({
      status: 403,
      body: { ok: false, error: { code: 'not-yours' } },
    });
    expect(logged).toContain('warn a control connection of another user was refused');
  });

  it('refuses a peer whose user the host cannot determine', async () => {
    host = {
      ...host,
      peerCredentials: () => {
        throw new Error('ENOTSUP');
      },
    };
    const { socketPath } = await start();
    expect(codeOf(await ask(socketPath, '/v1/command/down', '{}'))).toBe('not-yours');
    expect(daemon.calls).toEqual([]);
  });

  it('admits the user root', async () => {
    host = fakeHost({ pid: 1, uid: 0, gid: 0 });
    const { socketPath } = await start();
    expect(codeOf(await ask(socketPath, '/v1/status', null))).toBe('ok');
  });
});

describe('a request that is no call', () => {
  it.each([
    ['no JSON', '/v1/command/pause', '{"a":'],
    ['bad UTF-8', '/v1/command/pause', Buffer.from([0x22, 0xff, 0x22])],
    ['an empty body', '/v1/command/pause', ''],
    ['no object', '/v1/command/pause', 'null'],
    ['an argument too many', '/v1/command/pause', '{"now":true}'],
    ['an argument too few', '/v1/command/flush', '{}'],
    ['a wrong argument', '/v1/command/flush', '{"timeoutMs":"soon"}'],
    ['a name with a slash', '/v1/fs/lookup', `{"dir":"${root}","name":"a/b"}`, 'bad-name'],
    ['the parent folder', '/v1/fs/lookup', `{"dir":"${root}","name":".."}`, 'bad-name'],
    ['a bad fid', '/v1/fs/getattr', '{"fid":"1.2"}'],
    [
      'the argument observed, which is not for programs',
      '/v1/fs/mkdir',
      `{"dir":"${root}","name":"a","options":{"mode":493,"observed":true}}`,
    ],
    ['an unknown command', '/v1/command/explode', '{}'],
    ['a command of the prototype', '/v1/command/toString', '{}'],
    ['an unknown operation', '/v1/fs/mount', '{}'],
    ['a flush as a call', '/v1/fs/flush', '{}'],
    ['an unknown path', '/v2/status', null],
    ['a command by GET', '/v1/command/down', null],
    ['an invalid revision', '/v1/status?revision=-1', null],
  ])('gets a coded error when it is %s', async (_what, path, body, code = 'bad-message') => {
    const { socketPath } = await start();
    expect(await ask(socketPath, path, body)).toMatchObject({
      status: 400,
      body: { ok: false, error: { code } },
    });
    expect(daemon.calls).toEqual([]);
    expect(logged).toEqual([]);
  });

  it.each([true, false])(
    'is refused when its body is too large (length announced: %s)',
    async (announced) => {
      const { socketPath } = await start();
      const text = await new Promise<string>((resolve, reject) => {
        const socket = connect(socketPath);
        let answer = '';
        socket.setEncoding('utf8');
        socket.on('data', (part: string) => (answer += part));
        // The rest of the body meets a closed connection.
        socket.on('error', (error: NodeJS.ErrnoException) =>
          ['EPIPE', 'ECONNRESET'].includes(error.code ?? '') ? undefined : reject(error),
        );
        socket.on('close', () => resolve(answer));
        const size = MAX_BODY_BYTES + 1;
        const length = announced ? `Content-Length: ${size}` : 'Transfer-Encoding: chunked';
        const head = `POST /v1/command/pause HTTP/1.1\r\nHost: x\r\n${length}\r\n\r\n`;
        socket.write(head + (announced ? '' : `${size.toString(16)}\r\n`));
        socket.write(Buffer.alloc(size, ' '));
      });
      expect(text).toContain('"code":"bad-message"');
      expect(text.toLowerCase()).toContain('connection: close');
      expect(daemon.calls).toEqual([]);
    },
  );

  it('ends only its own connection when it is no HTTP', async () => {
    const endpoint = await start();
    await new Promise<void>((resolve) => {
      const socket = connect(endpoint.socketPath, () => socket.write('\0\0\0 nonsense\r\n\r\n'));
      socket.on('close', () => resolve());
      socket.on('error', () => undefined);
      socket.resume();
    });
    expect((await clientOf(endpoint).status()).state).toBe('idle');
  });
});

describe('the commands of the control socket', () => {
  it('reach the daemon with their arguments', async () => {
    const client = clientOf(await start());
    await client.command('pause', {});
    await client.command('resume', {});
    await client.command('scan', {});
    await client.command('flush', { timeoutMs: 5 });
    await client.command('dismiss', { id: 3 });
    daemon.held = 60;
    expect(await client.command('confirm', {})).toEqual({ paths: 60 });
    expect(await client.command('reject', {})).toEqual({ paths: 0 });
    expect(await client.command('log', { lines: 1 })).toEqual(['{"message":"two"}']);
    expect(daemon.calls).toEqual([
      'pause',
      'resume',
      'scan',
      'hurry',
      'flush 5',
      'dismiss 3',
      'confirm',
      'reject',
    ]);
  });

  it('return metrics and report where they are served', async () => {
    const quiet = clientOf(await start(folder, fakeMetrics('n 1\n')));
    expect(await quiet.command('metrics', {})).toEqual({ text: 'n 1\n' });
    expect(await quiet.command('stats', { sinceMs: 60_000 })).toMatchObject({
      isSinceStart: false,
    });
    expect(await quiet.status()).toEqual({ ...daemon.snapshot(), pausedUntil: null });
    for (const endpoint of endpoints.splice(0)) await endpoint.close();
    const metrics = 'http://127.0.0.1:1/metrics';
    const served = clientOf(await start(folder, fakeMetrics('', metrics)));
    expect(await served.status()).toEqual({ ...daemon.snapshot(), metrics, pausedUntil: null });
  });

  it('include `down`, which is answered before it takes effect', async () => {
    const client = clientOf(await start());
    await client.command('down', {});
    await until(() => daemon.calls.includes('down'));
  });

  it('return a coded error unchanged, but say so where the server refuses the laptop', async () => {
    const client = clientOf(await start());
    const blocked = new GodwitError('sync-blocked', 'one update is blocked');
    daemon.flushing = () => Promise.reject(blocked);
    const flush = async () => client.command('flush', { timeoutMs: null });
    await expect(flush()).rejects.toEqual(blocked);
    const said = { code: 'device-revoked', message: 'no', remedy: 'pair' };
    daemon.become({ errors: [{ ...said, path: null }] });
    daemon.flushing = () => Promise.reject(new GodwitError('not-connected'));
    await expect(flush()).rejects.toMatchObject(said);
  });

  it('keep all other errors to the log', async () => {
    daemon.flushing = () => Promise.reject(new TypeError('undefined is not a function'));
    const answer = await ask((await start()).socketPath, '/v1/command/flush', '{"timeoutMs":null}');
    expect(codeOf(answer)).toBe('internal');
    expect(JSON.stringify(answer.body)).not.toMatch(/function|\.ts|TypeError/);
    expect(logged).toEqual(['error a control call failed']);
  });
});

describe('a request for the status', () => {
  it('is held until the revision changes', async () => {
    const client = clientOf(await start());
    const next = client.statusAfter(1, 30_000);
    await until(() => daemon.calls.length > 0);
    daemon.become({ state: 'syncing' });
    expect(await next).toMatchObject({ revision: 2, state: 'syncing' });
  });

  it('is answered at once when the revision differs', async () => {
    const client = clientOf(await start());
    expect((await client.statusAfter(99, 30_000)).revision).toBe(1);
    expect(daemon.calls).toEqual([]);
  });

  it('is held for half a minute at most', async () => {
    const { socketPath } = await start();
    const held = ask(socketPath, '/v1/status?revision=1&waitMs=999999', null);
    await until(() => daemon.calls.length > 0);
    expect(daemon.calls).toEqual(['changed 1 30000']);
    daemon.become({});
    expect(codeOf(await held)).toBe('ok');
  });

  it('can yield a sequence of revisions until it is cancelled', async () => {
    const client = clientOf(await start());
    const ends = new AbortController();
    const seen: number[] = [];
    for await (const snapshot of client.snapshots(ends.signal)) {
      seen.push(snapshot.revision);
      if (seen.length === 3) ends.abort();
      else void until(() => daemon.calls.length === seen.length).then(() => daemon.become({}));
    }
    expect(seen).toEqual([1, 2, 3]);
  });
});

describe('the handles over the control socket', () => {
  async function fileWith(client: ControlClient, text: string) {
    const made = await client.fileSystem.create(root, 'f', { mode: 0o644 });
    const open = await client.fileSystem.open(made.fid, { mode: 'write', truncate: true });
    writeFileSync(open.path, text);
    await client.fileSystem.close(open.handle, {});
    return made.fid;
  }

  it('write and read files', async () => {
    const client = clientOf(await start());
    const fid = await fileWith(client, 'hello');
    const open = await client.fileSystem.open(fid, { mode: 'read' });
    expect(readFileSync(open.path, 'utf8')).toBe('hello');
    expect((await client.fileSystem.close(open.handle, null)).size).toBe(5);
    expect(daemon.fileSystem.handles.size).toBe(0);
  });

  it('end with the connection that opened them', async () => {
    const client = clientOf(await start());
    const fid = await fileWith(client, 'hello');
    await client.fileSystem.open(fid, { mode: 'read' });
    const written = await client.fileSystem.open(fid, { mode: 'write', truncate: true });
    writeFileSync(written.path, 'half');
    client.close();
    await until(() => daemon.fileSystem.handles.size === 0);
    expect(existsSync(written.path)).toBe(false);
    const other = clientOf(endpoints[0] as ControlEndpoint);
    const kept = await other.fileSystem.open(fid, { mode: 'read' });
    expect(readFileSync(kept.path, 'utf8')).toBe('hello');
  });

  it('end also when their open was still under way', async () => {
    const client = clientOf(await start());
    const fid = await fileWith(client, 'hello');
    let release = (): void => undefined;
    let waits = false;
    const held = new Promise<void>((resolve) => (release = resolve));
    daemon.fileSystem.onOpen = () => {
      waits = true;
      return held;
    };
    const opening = codeFrom(client.fileSystem.open(fid, { mode: 'read' }));
    await until(() => waits);
    client.close();
    expect(await opening).toBe('not-running');
    await (endpoints[0] as ControlEndpoint).close();
    release();
    await until(() => daemon.fileSystem.handles.size === 0);
  });

  it('belong to one connection: another one cannot close them', async () => {
    const { socketPath } = await start();
    const client = new ControlClient(socketPath);
    clients.push(client);
    const fid = await fileWith(client, 'hello');
    const { handle } = await client.fileSystem.open(fid, { mode: 'read' });
    const answer = await ask(socketPath, '/v1/fs/close', `{"handle":${handle},"changed":null}`);
    expect(codeOf(answer)).toBe('bad-handle');
    expect(daemon.fileSystem.handles.size).toBe(1);
    await client.fileSystem.close(handle, null);
  });

  it('stay with their connection while others come and go', async () => {
    const client = clientOf(await start());
    const fid = await fileWith(client, 'hello');
    const opened = await Promise.all(
      Array.from({ length: 40 }, () => client.fileSystem.open(fid, { mode: 'read' })),
    );
    await Promise.all(opened.map(({ handle }) => client.fileSystem.close(handle, null)));
    expect(daemon.fileSystem.handles.size).toBe(0);
  });
});

it('an invalid address gets bad-message and is not logged as a fault of ours', async () => {
  const { socketPath } = await start();
  const { status, body } = await ask(socketPath, '//', null);
  expect([status, body]).toMatchObject([400, { ok: false, error: { code: 'bad-message' } }]);
  expect(logged).toEqual([]);
});
