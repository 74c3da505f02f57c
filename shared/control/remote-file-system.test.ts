/** A program with several files under way, over one connection; and what it makes of a daemon that is none, ends, or is of another version. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Fid } from '../model/fid.ts';
import { ControlClient } from './client.ts';
import { MAX_BODY_BYTES } from './limits.ts';

const [QUICK, SLOW] = ['1.1.1', '1.2.1'] as [Fid, Fid];

interface Message {
  readonly id: number;
  readonly call: string;
  readonly args: { readonly fid?: Fid };
}

let folder: string;
let server: Server;
let client: ControlClient;
let lines: WebSocket[];
let answer: (line: WebSocket, message: Message) => void;

function reply(line: WebSocket, { id }: Message, handle: number): void {
  line.send(JSON.stringify({ id, ok: true, result: { handle } }));
}

async function listen(): Promise<void> {
  server = createServer((_request, response) => response.writeHead(409).end('{}'));
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (line) => {
    lines.push(line);
    line.on('message', (data: Buffer) => answer(line, JSON.parse(data.toString()) as Message));
  });
  await once(server.listen(join(folder, 's')), 'listening');
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-files-'));
  lines = [];
  answer = (line, message) => reply(line, message, 1);
  await listen();
  client = new ControlClient(join(folder, 's'));
});
afterEach(async () => {
  client.close();
  for (const line of lines) line.terminate();
  server.close();
  if (server.listening) await once(server, 'close');
  rmSync(folder, { recursive: true });
});

const open = (fid: Fid) => client.fileSystem.open(fid, { mode: 'read' });

it('the remote file system closes a file while a later open waits for contents', async () => {
  const slow = new Promise<() => void>((resolve) => {
    answer = (line, message) => {
      if (message.args.fid === SLOW) resolve(() => reply(line, message, 2));
      else reply(line, message, 1);
    };
  });
  const { handle } = await open(QUICK);
  const waits = open(SLOW);
  await client.fileSystem.close(handle, null);
  (await slow)();
  expect((await waits).handle).toBe(2);
  expect(lines).toHaveLength(1);
});

it.each([
  ['no JSON', 'x', 'bad-message'],
  ['no answer', '{"id":1}', 'bad-message'],
  ['the answer to nothing', '{"id":9,"ok":true,"result":1}', 'bad-message'],
  ['an error', '{"id":1,"ok":false,"error":{"code":"not-found"}}', 'not-found'],
])('the remote file system refuses an answer that is %s (%s): %s', async (_what, text, code) => {
  answer = (line) => line.send(text);
  await expect(open(QUICK)).rejects.toMatchObject({ code });
});

it('the remote file system reports that the daemon ended, and connects to the next one', async () => {
  answer = (line) => line.terminate();
  await expect(open(QUICK)).rejects.toMatchObject({ code: 'not-running' });
  answer = (line, message) => reply(line, message, 7);
  expect((await open(QUICK)).handle).toBe(7);
  expect(lines).toHaveLength(2);
});

it('the remote file system closes no handle of an ended daemon at the next one', async () => {
  const { handle } = await open(QUICK);
  const [line] = lines as [WebSocket];
  answer = (ended) => ended.terminate();
  await expect(open(QUICK)).rejects.toMatchObject({ code: 'not-running' });
  expect(line.readyState).toBeGreaterThan(line.OPEN);
  const asked: string[] = [];
  answer = (later, message) => {
    asked.push(message.call);
    reply(later, message, handle);
  };
  await client.fileSystem.getattr(SLOW);
  await expect(client.fileSystem.close(handle, null)).rejects.toMatchObject({
    code: 'not-running',
  });
  expect(asked).toEqual(['getattr']);
  await expect(client.fileSystem.close(handle, null)).rejects.toMatchObject({ code: 'bad-handle' });
});

it('the remote file system accepts a folder with hundreds of thousands of names', async () => {
  const name = 'n'.repeat(101 * 1024 * 1024);
  answer = (line, { id }) => line.send(JSON.stringify({ id, ok: true, result: [{ name }] }));
  const [entry] = await client.fileSystem.readdir(QUICK);
  expect(entry?.name).toHaveLength(name.length);
});

it('the remote file system reports that no daemon runs', async () => {
  server.close();
  await expect(open(QUICK)).rejects.toMatchObject({ code: 'not-running' });
});

it('the remote file system reports a daemon of another version without such calls', async () => {
  server.removeAllListeners('upgrade');
  await expect(open(QUICK)).rejects.toMatchObject({
    code: 'bad-message',
    message: expect.stringContaining('another version') as unknown,
  });
});

it('the remote file system refuses a call that is too large and goes on', async () => {
  const name = 'n'.repeat(MAX_BODY_BYTES);
  const made = client.fileSystem.lookup(QUICK, name);
  await expect(made).rejects.toMatchObject({ code: 'bad-message' });
  expect((await open(QUICK)).handle).toBe(1);
});
