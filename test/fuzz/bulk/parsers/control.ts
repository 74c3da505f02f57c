/** The control protocol, from both sides: any request is answered with a code, and any answer of a daemon is a result or a coded error. */
import { deepStrictEqual, equal, notEqual } from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { rmSync } from 'node:fs';
import fc from 'fast-check';
import type { z } from 'zod';
import { ControlClient } from '../../../../shared/control/client.ts';
import { readControlFile } from '../../../../shared/control/control-file.ts';
import { COMMANDS } from '../../../../shared/control/commands.ts';
import { FS_OPERATIONS } from '../../../../shared/control/file-operations.ts';
import { CALLS_PATH } from '../../../../shared/control/protocol.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { FakeControl } from '../../../support/fake-control.ts';
import { hostile, spoilt } from '../../damage.ts';
import { fromSchema } from '../../from-schema.ts';
import { ERA, JSON_TOKENS, text, type Parser, type ParserRow } from '../parser.ts';
import { scratchFolder } from './folder-files.ts';

const SAMPLES = 8;
const SCHEMAS: ReadonlyArray<readonly [string, z.ZodType]> = [
  ...Object.entries(COMMANDS).map(([name, { args }]) => [`command/${name}`, args] as const),
  ...Object.entries(FS_OPERATIONS).map(([name, schema]) => [`fs/${name}`, schema] as const),
];

function asJson(value: unknown): Buffer {
  try {
    return Buffer.from(JSON.stringify(value) ?? '');
  } catch {
    return Buffer.alloc(0); // What can't be written (a cycle, a bigint) is in no request either.
  }
}

/** Arguments of every call, half of them with one that may not be so; the first byte says of which call they are. */
function calls(): Parser {
  const bodies = SCHEMAS.map(([, schema]) => fromSchema(schema));
  const decoder = new TextDecoder('utf-8', { fatal: true });
  return {
    corpus: (seed) =>
      bodies.flatMap((body, call) =>
        fc
          .sample(fc.tuple(body, fc.nat(), hostile), { seed, numRuns: SAMPLES })
          .map(([args, at, by], i) => (i % 2 === 0 ? args : spoilt(args, at, by)))
          .map((args) => Buffer.concat([Buffer.from([call]), asJson(args)])),
      ),
    tokens: JSON_TOKENS,
    // As the daemon reads a body: what is no JSON in UTF-8, and what the schema does not let pass, is `bad-message`.
    allows: () => false,
    check: (given) => {
      let value: unknown;
      try {
        value = JSON.parse(decoder.decode(given.subarray(1)));
      } catch {
        return false;
      }
      const [, schema] = SCHEMAS[(given[0] ?? 0) % SCHEMAS.length] ?? [];
      const read = schema?.safeParse(value);
      if (read?.success !== true) return false;
      deepStrictEqual(schema?.safeParse(read.data).data, read.data);
      return true;
    },
  };
}

/** Bytes on the socket itself: a request, or what is none. The daemon answers the next one as before. */
async function connections(): Promise<Parser> {
  const control = new FakeControl();
  await control.start();
  const socket = readControlFile(control.data)?.socket ?? '';
  const client = new ControlClient(socket);
  const request = (path: string, body: string): Uint8Array =>
    Buffer.from(
      `POST ${path} HTTP/1.1\r\nHost: d\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
  const corpus = [
    ...SCHEMAS.map(([path]) => request(`/v1/${path}`, '{}')),
    ...['{"id":1,"call":"volumes","args":{}}', '{"id":2,"call":"__proto__","args":7}'].map(
      upgraded,
    ),
    ...['//', '/v1/status', '/v1/fs/__proto__', '/%', '/v1/fs/%2e'].map((path) =>
      request(path, '{"a":1}'),
    ),
    Buffer.from(
      'GET /v1/status?revision=1&waitMs=0 HTTP/1.1\r\nHost: d\r\nConnection: close\r\n\r\n',
    ),
  ];
  return {
    corpus: () => corpus,
    tokens: text(
      '\r\n',
      '\r\n\r\n',
      'Transfer-Encoding: chunked\r\n',
      'Expect: 100-continue\r\n',
      ':',
      ' ',
      '/',
      '%',
    ),
    allows: () => false,
    check: async (given) => {
      const answer = await exchanged(socket, given);
      notEqual(/"code":"(\w[\w-]*)"/.exec(answer)?.[1], 'internal');
      equal(typeof (await client.status()).state, 'string');
      return answer.includes('"ok":true');
    },
    close: async () => {
      client.close();
      await control.close();
    },
  };
}

/** A connection that becomes a WebSocket, and one text message over it (RFC 6455, 5.2), masked with zeros. */
function upgraded(message: string): Uint8Array {
  const head = [
    `GET ${CALLS_PATH} HTTP/1.1`,
    'Host: d',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  ];
  const frame = Buffer.from([0x81, 0x80 | message.length, 0, 0, 0, 0]);
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), frame, Buffer.from(message)]);
}

/** Sends bytes. Resolves with the whole answer up to the end of the connection. */
function exchanged(path: string, given: Uint8Array): Promise<string> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    const socket = connect({ path, allowHalfOpen: true }, () => socket.end(given));
    socket.on('data', (part) => parts.push(part));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(Buffer.concat(parts).toString('latin1')));
  });
}

/** Answers of a daemon of any version: a result, or a coded error. */
async function answers(): Promise<Parser> {
  const folder = scratchFolder();
  const path = join(folder, 's');
  let body: Uint8Array = new Uint8Array(0);
  const server = createServer((request, response) => {
    request.resume();
    response.end(body);
  });
  await once(server.listen(path), 'listening');
  const client = new ControlClient(path);
  const failure = { code: 'not-found', message: 'gone', remedy: 'look again' };
  return {
    corpus: () => [
      asJson({ ok: true, result: { state: 'idle', revision: 1 } }),
      asJson({ ok: false, error: failure }),
      asJson({ ok: true, result: null }),
      ...['null', '7', '""', '[]', '{}', '{"ok":false}', '{"ok":false,"error":null}'].map((each) =>
        Buffer.from(each),
      ),
    ],
    tokens: [...JSON_TOKENS, ...text('"ok":', '"error":', '"result":', '"message":')],
    allows: (error) => error instanceof GodwitError,
    check: async (given) => {
      body = Buffer.from(given);
      await client.status();
      return true;
    },
    close: async () => {
      client.close();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      rmSync(folder, { recursive: true });
    },
  };
}

export const CONTROL: readonly ParserRow[] = [
  { name: 'arguments of control calls', weight: 3, era: ERA, open: calls },
  { name: 'control connections', weight: 0.03, era: 1000, open: connections },
  { name: 'answers of a daemon', weight: 0.05, era: 2000, open: answers },
];
