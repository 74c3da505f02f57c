import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { rootOf, type VolumeId } from '../shared/model/fid.ts';
import { seconds, wallTime, type WallTime } from '../shared/model/time.ts';
import type { Sqlite } from '../shared/sqlite/database.ts';
import { RuntimeServer, WireClient } from '../test/support/runtime-server.ts';
import { revokeDevice } from './maintenance/accounts/devices.ts';
import { createInvitation } from './maintenance/accounts/invitations.ts';
import { openServerDatabase } from './adapters/meta-sqlite/server-database.ts';
import { SqliteMetaStore } from './adapters/meta-sqlite/sqlite-meta-store.ts';
import { LEASE } from './limits.ts';

const ROOT = rootOf(1 as VolumeId);
const BYTES = new TextEncoder().encode('the contents');

let folder: string;
let path: string;
let server: RuntimeServer;
let database: Sqlite;
let client: WireClient;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-restart-'));
  path = join(folder, 'server.db');
  server = new RuntimeServer();
  await server.start(new SqliteMetaStore(path));
  database = openServerDatabase(path);
  client = await paired('laptop');
});

afterEach(() => {
  server.kill();
  database.close();
  rmSync(folder, { recursive: true });
});

async function paired(name: string): Promise<WireClient> {
  const request = { userName: 'owner', volumeName: 'home', rights: 'write' } as const;
  const times = { now: wallTime(0), expires: 9e15 as WallTime };
  const invitation = createInvitation(database, { ...request, ...times }, server.world.random);
  const made = new WireClient(server, name);
  await made.connect();
  await made.hello(null, 1, invitation);
  return made;
}

async function restart(): Promise<void> {
  server.kill();
  await server.start(new SqliteMetaStore(path));
  await client.connect();
}

const listed = async () =>
  (await client.ask('FetchDir', { fid: ROOT, at: null, after: null, limit: 9 })).reply;

describe('a server on a real database that is killed', () => {
  it('has the acknowledged changes and gives the same answers again', async () => {
    const file = await client.makeFile(1);
    const answer = await client.store(file, 2, 0, BYTES);
    await restart();
    await client.hello(1, 2);
    expect(await client.store(file, 2, 0, BYTES)).toEqual(answer);
    expect((await client.ask('Fetch', { fid: file, version: null })).content).toEqual(BYTES);
    expect(await client.store(file, 3, 1, BYTES)).toMatchObject({
      reply: { body: { result: { commit: 4 } } },
    });
    expect(await listed()).toMatchObject({ body: { at: 4, entries: [{ name: 'f1' }] } });
  });

  it('waits once for the lease of a device that does not return', async () => {
    await paired('other');
    await restart();
    const start = server.world.time.now();
    await client.hello(1, 2);
    await client.makeFile(1);
    expect(server.world.time.now() - start).toBeGreaterThanOrEqual(LEASE - seconds(1));
    await restart();
    const again = server.world.time.now();
    await client.hello(2, 3);
    await client.makeFile(2);
    expect(server.world.time.now() - again).toBeLessThan(seconds(1));
  });

  it('knows the incarnation of each device', async () => {
    await restart();
    expect(await client.hello(7, 8)).toMatchObject({ reply: { code: 'incarnation-reused' } });
  });

  it('notices a revocation from another process', async () => {
    revokeDevice(database, 1, wallTime(1));
    await server.world.pass(seconds(1));
    expect(client.closes).toHaveLength(1);
    await restart();
    expect(await client.hello(1, 2)).toMatchObject({ reply: { code: 'device-revoked' } });
  });
});
