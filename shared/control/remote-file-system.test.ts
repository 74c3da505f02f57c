/** A program with several files under way: what one waits for keeps no other from being closed. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Fid } from '../model/fid.ts';
import { ControlClient } from './client.ts';

const [QUICK, SLOW] = ['1.1.1', '1.2.1'] as [Fid, Fid];
let asked: (response: ServerResponse) => void;
const slow = new Promise<ServerResponse>((resolve) => (asked = resolve));
const server = createServer((request, response) => {
  void text(request).then((body) => {
    const { fid } = JSON.parse(body) as { fid?: string };
    if (fid === SLOW) asked(response);
    else response.end(JSON.stringify({ ok: true, result: { handle: 1 } }));
  });
});
let folder: string;
let client: ControlClient;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-files-'));
  await once(server.listen(join(folder, 's')), 'listening');
  client = new ControlClient(join(folder, 's'));
});
afterAll(async () => {
  client.close();
  server.close();
  await once(server, 'close');
  rmSync(folder, { recursive: true });
});

it('closes a file while an open that came later waits for its contents', async () => {
  const { fileSystem } = client;
  const { handle } = await fileSystem.open(QUICK, { mode: 'read' });
  const waits = fileSystem.open(SLOW, { mode: 'read' });
  await fileSystem.close(handle, null);
  (await slow).end(JSON.stringify({ ok: true, result: { handle: 2 } }));
  expect((await waits).handle).toBe(2);
});
