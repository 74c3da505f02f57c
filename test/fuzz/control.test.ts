/** The control socket: whatever a program sends, an answer with a code (never `internal`), and the next call is answered as before. */
import { once } from 'node:events';
import { request } from 'node:http';
import { createConnection } from 'node:net';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { WebSocket } from 'ws';
import { ControlClient } from '../../shared/control/client.ts';
import { COMMANDS } from '../../shared/control/commands.ts';
import { FS_OPERATIONS } from '../../shared/control/file-operations.ts';
import { CALLS_PATH } from '../../shared/control/protocol.ts';
import { readControlFile } from '../../shared/control/control-file.ts';
import { FakeControl } from '../support/fake-control.ts';
import { damage, damaged, hostile, spoilt } from './damage.ts';
import { fromSchema } from './from-schema.ts';
import { fuzz, fuzzAsync } from './runs.ts';

let control: FakeControl;
let client: ControlClient;
let socketPath = '';
beforeAll(async () => {
  control = new FakeControl();
  await control.start();
  socketPath = readControlFile(control.data)?.socket ?? '';
  client = new ControlClient(socketPath);
});
afterAll(async () => {
  client.close();
  await control.close();
});

interface Answer {
  readonly ok: boolean;
  readonly error?: { readonly code: string };
}

function ask(path: string, body: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, path, method: 'POST', agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => (text += part));
      response.on('end', () => resolve(JSON.parse(text) as Answer));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const calls = [
  ...Object.entries(COMMANDS).map(([name, { args }]) => ({
    path: `command/${name}`,
    schema: args,
  })),
  ...Object.entries(FS_OPERATIONS).map(([name, schema]) => ({ path: `fs/${name}`, schema })),
];

const messages = [
  '{"id":1,"call":"volumes","args":{}}',
  '{"id":1,"call":"open","args":{"fid":"1.1.1","how":{"mode":"read"}}}',
  '{"id":1,"call":"__proto__","args":{}}',
  '{"id":1e400,"call":"volumes","args":{}}',
];

describe('the control socket', () => {
  const target = fc.oneof(
    fc.constantFrom(
      '//',
      '///v1',
      '/v1/status?revision=-1',
      '/v1/fs/__proto__',
      '/%',
      '/v1/fs/%2e',
    ),
    fc.stringMatching(/^\/[!-~]{0,40}$/),
    fc.constantFrom(...calls.map(({ path }) => `/v1/${path}`)),
  );
  const body = fc.oneof(
    fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)),
    fc.json().map((text) => Buffer.from(text)),
    fc.constant(Buffer.from('['.repeat(200_000))),
  );
  fuzzAsync(
    'control requests',
    fc.tuple(target, body),
    async ([path, bytes]) => {
      const answer = await ask(path, bytes);
      expect(answer.error?.code).not.toBe('internal');
      expect((await client.status()).state).toBe('idle');
    },
    { usual: 100, share: 0.1 },
  );

  fuzzAsync(
    'messages over a WebSocket',
    fc.array(fc.oneof(body, fc.constantFrom(...messages)), { maxLength: 5 }),
    async (sent) => {
      const line = new WebSocket(`ws://godwit${CALLS_PATH}`, {
        createConnection: () => createConnection(socketPath),
      });
      const heard: Answer[] = [];
      line.on('message', (data: Buffer) => heard.push(JSON.parse(data.toString()) as Answer));
      await once(line, 'open');
      const closed = once(line, 'close');
      for (const each of sent) line.send(each.toString());
      // A message that is no call ends the connection, and so does its own end.
      line.close();
      await closed;
      for (const { error } of heard) expect(error?.code).not.toBe('internal');
      expect((await client.status()).state).toBe('idle');
    },
    { usual: 100, share: 0.1 },
  );

  const wrong = fc.record({ steps: damage, at: fc.nat(), by: hostile });
  const call = fc.oneof(
    ...calls.map(({ schema }) => fc.tuple(fc.constant(schema), fromSchema(schema), wrong)),
  );
  fuzz('arguments of control calls', call, ([schema, args, { steps, at, by }]) => {
    const text = JSON.stringify(args);
    const wire: unknown = JSON.parse(text);
    expect(schema.safeParse(wire)).toEqual({ success: true, data: wire });
    schema.safeParse(spoilt(wire, at, by));
    try {
      schema.safeParse(JSON.parse(damaged(Buffer.from(text), steps).toString()));
    } catch (error) {
      expect(error).toBeInstanceOf(SyntaxError);
    }
  });
});
