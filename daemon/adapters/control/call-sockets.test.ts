/** Calls for files over WebSockets, as any program may make them: well, badly, and by the hundred. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createConnection } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WebSocket } from 'ws';
import { readControlFile } from '../../../shared/control/control-file.ts';
import { MAX_BODY_BYTES, MAX_CALLS, MAX_HANDLES } from '../../../shared/control/limits.ts';
import { CALLS_PATH } from '../../../shared/control/protocol.ts';
import { rootOf, type Fid, type VolumeId } from '../../../shared/model/fid.ts';
import { FakeControl } from '../../../test/support/fake-control.ts';

const root = rootOf(1 as VolumeId);
const OPTIONS = { mode: 0o644 };
const WRITE = { mode: 'write', truncate: true };

let control: FakeControl;
let lines: WebSocket[];

beforeEach(async () => {
  control = new FakeControl();
  lines = [];
  await control.start();
});

afterEach(async () => {
  for (const line of lines) line.terminate();
  await control.close();
});

function lineTo(path: string): WebSocket {
  const socketPath = readControlFile(control.data)?.socket ?? '';
  const line = new WebSocket(`ws://godwit${path}`, {
    createConnection: () => createConnection(socketPath),
  });
  line.on('error', () => undefined);
  lines.push(line);
  return line;
}

async function opened(): Promise<WebSocket> {
  const line = lineTo(CALLS_PATH);
  await once(line, 'open');
  return line;
}

interface Answer {
  readonly id: number;
  readonly ok: boolean;
  readonly result?: unknown;
  readonly error?: { readonly code: string };
}

/** The next `count` answers, in the order in which they come. */
function answers(line: WebSocket, count: number): Promise<Answer[]> {
  return new Promise((resolve) => {
    const heard: Answer[] = [];
    line.on('message', (data: Buffer) => {
      heard.push(JSON.parse(data.toString()) as Answer);
      if (heard.length === count) resolve(heard);
    });
  });
}

async function ask(line: WebSocket, call: string, args: unknown, id = 1): Promise<Answer> {
  const answer = answers(line, 1);
  line.send(JSON.stringify({ id, call, args }));
  const [only] = await answer;
  line.removeAllListeners('message');
  return only as Answer;
}

const made = async (line: WebSocket, name: string): Promise<Fid> => {
  const { result } = await ask(line, 'create', { dir: root, name, options: OPTIONS });
  return (result as { fid: Fid }).fid;
};

describe('a call on a control connection', () => {
  it('is answered under its number, with null when there is no result', async () => {
    const line = await opened();
    const fid = await made(line, 'a');
    expect(await ask(line, 'getattr', { fid }, 7)).toMatchObject({ id: 7, ok: true });
    const place = { dir: root, name: 'a' };
    expect(await ask(line, 'remove', { place }, 8)).toEqual({ id: 8, ok: true, result: null });
  });

  it.each([
    ['an unknown call', 'mount', {}, 'bad-message'],
    ['a command', 'down', {}, 'bad-message'],
    ['a name of the prototype', 'toString', {}, 'bad-message'],
    ['a call with a wrong argument', 'getattr', { fid: '1.2' }, 'bad-message'],
    ['a call with a bad name', 'lookup', { dir: root, name: '..' }, 'bad-name'],
    ['a call that is refused', 'lookup', { dir: root, name: 'none' }, 'not-found'],
  ])(
    'gets a coded error when it is %s, and the next one is answered',
    async (_, call, args, code) => {
      const line = await opened();
      expect(await ask(line, call, args)).toMatchObject({ id: 1, ok: false, error: { code } });
      expect(await ask(line, 'volumes', {}, 2)).toMatchObject({ id: 2, ok: true });
    },
  );

  it('starts in its turn and is answered when it is done', async () => {
    const line = await opened();
    const fid = await made(line, 'a');
    let release = (): void => undefined;
    control.daemon.fileSystem.onOpen = () => new Promise((resolve) => (release = resolve));
    const heard = answers(line, 2);
    line.send(JSON.stringify({ id: 1, call: 'open', args: { fid, how: WRITE } }));
    line.send(JSON.stringify({ id: 2, call: 'getattr', args: { fid } }));
    const first = once(line, 'message');
    await first;
    release();
    expect((await heard).map(({ id }) => id)).toEqual([2, 1]);
  });

  it('is read when there is capacity, however many are sent at once', async () => {
    const line = await opened();
    const many = 5 * MAX_CALLS;
    const heard = answers(line, many);
    for (let id = 1; id <= many; id++) {
      line.send(JSON.stringify({ id, call: 'getattr', args: { fid: root } }));
    }
    const ids = (await heard).map(({ id }) => id);
    expect(new Set(ids).size).toBe(many);
  });
});

describe('a message that is no call', () => {
  it.each([
    ['no JSON', 'x', 1008],
    ['no object', '7', 1008],
    ['no number', '{"call":"volumes","args":{}}', 1008],
    ['no arguments', '{"id":1,"call":"volumes"}', 1008],
    ['an invalid number', '{"id":-1,"call":"volumes","args":{}}', 1008],
    ['one field too many', '{"id":1,"call":"volumes","args":{},"more":1}', 1008],
    ['bytes', Buffer.from('{"id":1,"call":"volumes","args":{}}'), 1003],
    ['a message that is too large', 'x'.repeat(MAX_BODY_BYTES + 1), 1009],
  ])('ends its connection: %s', async (_, message, code) => {
    const [line, other] = [await opened(), await opened()];
    const closed = once(line, 'close');
    line.send(message);
    expect((await closed)[0]).toBe(code);
    expect(await ask(other, 'volumes', {})).toMatchObject({ ok: true });
  });

  it('ends its connection together with all messages after it', async () => {
    const line = await opened();
    const closed = once(line, 'close');
    line.send('x');
    line.send(
      JSON.stringify({ id: 1, call: 'mkdir', args: { dir: root, name: 'd', options: OPTIONS } }),
    );
    await closed;
    expect(await control.daemon.fileSystem.readdir(root)).toEqual([]);
  });

  it('is refused on every other path', async () => {
    const line = lineTo('/v1/status');
    const [, response] = (await once(line, 'unexpected-response')) as [unknown, IncomingMessage];
    expect(response.statusCode).toBe(400);
    response.resume();
  });
});

describe('files opened over a control connection', () => {
  const open = async (line: WebSocket, fid: Fid): Promise<{ handle: number; path: string }> => {
    return (await ask(line, 'open', { fid, how: WRITE })).result as {
      handle: number;
      path: string;
    };
  };

  it('can be closed only on their own connection and end with it', async () => {
    const [line, other] = [await opened(), await opened()];
    const { handle, path } = await open(line, await made(line, 'a'));
    writeFileSync(path, 'half');
    const close = { handle, changed: {} };
    expect(await ask(other, 'close', close)).toMatchObject({ error: { code: 'bad-handle' } });
    const { handles } = control.daemon.fileSystem;
    expect(handles.size).toBe(1);
    line.terminate();
    while (handles.size > 0) await new Promise((resolve) => setImmediate(resolve));
  });

  it('are limited in number', async () => {
    const line = await opened();
    const fid = await made(line, 'a');
    const heard = answers(line, MAX_HANDLES + 1);
    for (let id = 0; id <= MAX_HANDLES; id++) {
      const args = { fid, how: WRITE };
      line.send(JSON.stringify({ id, call: 'open', args }));
    }
    const refused = (await heard).filter(({ ok }) => !ok);
    expect(refused).toMatchObject([{ error: { code: 'try-again' } }]);
  });
});

it('the endpoint sends pending answers before it closes and takes no further calls', async () => {
  const [line, idle] = [await opened(), await opened()];
  const fid = await made(line, 'a');
  let release = (): void => undefined;
  let begun = (): void => undefined;
  const waits = new Promise<void>((resolve) => (begun = resolve));
  control.daemon.fileSystem.onOpen = () => {
    begun();
    return new Promise((resolve) => (release = resolve));
  };
  const heard = answers(line, 1);
  line.send(JSON.stringify({ id: 1, call: 'open', args: { fid, how: WRITE } }));
  await waits;
  const [closed, idleClosed] = [once(line, 'close'), once(idle, 'close')];
  const ended = control.close();
  expect((await idleClosed)[0]).toBe(1001);
  release();
  expect(await heard).toMatchObject([{ id: 1, ok: true }]);
  expect((await closed)[0]).toBe(1001);
  await ended;
  control = new FakeControl();
});
