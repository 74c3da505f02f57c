/** What a client makes of answers that are none: whoever answers at the socket may be of another version, or another program. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ControlClient } from './client.ts';

let folder = '';
let server: Server;
let client: ControlClient;
let body = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-lanes-'));
  server = createServer((request, response) => {
    request.resume();
    response.end(body);
  });
  await once(server.listen(join(folder, 's')), 'listening');
  client = new ControlClient(join(folder, 's'));
});

afterAll(async () => {
  client.close();
  server.close();
  await once(server, 'close');
  rmSync(folder, { recursive: true });
});

test.each([
  ['', 'bad-message'],
  ['<html>', 'bad-message'],
  ['null', 'bad-message'],
  ['7', 'bad-message'],
  ['[]', 'bad-message'],
  ['{}', 'bad-message'],
  ['{"ok":"true","result":{}}', 'bad-message'],
  ['{"ok":false}', 'bad-message'],
  ['{"ok":false,"error":null}', 'bad-message'],
  ['{"ok":false,"error":{"code":7}}', 'bad-message'],
  ['{"ok":false,"error":{"code":"not-found"}}', 'not-found'],
  ['{"ok":false,"error":{"code":"of-tomorrow","message":"x"}}', 'internal'],
])('the answer %j is reported as %s', async (answer, code) => {
  body = answer;
  await expect(client.status()).rejects.toMatchObject({ code });
});
