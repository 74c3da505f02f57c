/** Starting, administering and ending a real server on a real folder. */
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startServer, type RunningServer } from '../../server/main.ts';
import {
  changeRetention,
  createInvitation,
  listDevices,
  listInvitations,
  revokeDevice,
} from '../../server/maintenance/administration.ts';
import { parseInvitation } from '../../shared/model/invitation.ts';
import type { Log } from '../../shared/ports/log.ts';

const silent = (): void => undefined;
const log: Log = { error: silent, warn: silent, info: silent, debug: silent, with: () => log };
const HERE = { host: '127.0.0.1', port: 0 };
const INVITATION = { user: 'owner', volume: 'home', rights: 'write', hours: 1 } as const;

let dataDir: string;
const servers: RunningServer[] = [];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'godwit-server-'));
});

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
  rmSync(dataDir, { recursive: true });
});

async function start(listen = HERE, folder = dataDir): Promise<RunningServer> {
  const server = await startServer({ dataDir: folder, listen, log });
  servers.push(server);
  return server;
}

describe('a server', () => {
  it('keeps its identity and its private key', async () => {
    const first = await start();
    expect(statSync(join(dataDir, 'identity.json')).mode & 0o777).toBe(0o600);
    await first.close();
    await first.close();
    const second = await start();
    expect(second.fingerprint).toBe(first.fingerprint);
  });

  it('refuses a second server on its folder', async () => {
    await start();
    await expect(start()).rejects.toMatchObject({ code: 'already-running' });
  });

  it.each([
    ['port-in-use', (server: RunningServer) => ({ host: '127.0.0.1', port: server.port })],
    ['bad-address', () => ({ host: '203.0.113.1', port: 4433 })],
  ])('reports %s when it cannot listen, and leaves nothing behind', async (code, listen) => {
    const other = join(dataDir, 'other');
    const server = await start(HERE, join(dataDir, 'first'));
    await expect(start(listen(server), other)).rejects.toMatchObject({ code });
    await start(HERE, other);
  });

  it.each([
    ['folder-unusable', 'file', 'file/below'],
    ['damaged-database', 'server.db', '.'],
    ['damaged-database', 'identity.json', '.'],
  ])('reports %s on a folder of the wrong kind', async (code, file, folder) => {
    writeFileSync(
      join(dataDir, file),
      'nonsense that is longer than a header of a database'.repeat(9),
    );
    await expect(start(HERE, join(dataDir, folder))).rejects.toMatchObject({ code });
  });

  it.each(['lock', 'identity.json', 'server.db', 'contents.db', 'reserve', 'listening.new'])(
    'names a folder that stands at the path of its file %s',
    async (name) => {
      const path = join(dataDir, name);
      mkdirSync(path);
      await expect(start()).rejects.toMatchObject({
        code: 'in-the-way',
        message: expect.stringContaining(`${path}: a folder is there, where a `) as unknown,
      });
      expect(statSync(path).isDirectory()).toBe(true);
    },
  );

  it.each(['contents', 'packs', 'quarantine', 'spool', 'streams'])(
    'refuses to start when %s is a file or a dangling link',
    async (name) => {
      const path = join(dataDir, name);
      writeFileSync(path, 'mine');
      const refused = (what: string) => ({
        code: 'in-the-way',
        message: `${path}: a ${what} is there, where a folder is to be`,
      });
      await expect(start()).rejects.toMatchObject(refused('file'));
      expect(readFileSync(path, 'utf8')).toBe('mine');
      rmSync(path);
      symlinkSync('nowhere', path);
      await expect(start()).rejects.toMatchObject(refused('link to nowhere'));
      rmSync(path);
      await start();
    },
  );

  it.each([
    ['is missing', (file: string) => rmSync(file)],
    ['is empty', (file: string) => writeFileSync(file, '')],
  ])('makes no new database beside contents when its own %s', async (what, spoil) => {
    await (await start()).close();
    const pack = join(dataDir, 'packs', '00000001-8f200d3a123e4c05.pack');
    mkdirSync(join(dataDir, 'packs'), { recursive: true });
    writeFileSync(pack, 'contents');
    spoil(join(dataDir, 'server.db'));
    const refused = {
      code: 'damaged-database',
      message: expect.stringContaining(`${join(dataDir, 'server.db')} ${what}`) as unknown,
    };
    await expect(start()).rejects.toMatchObject(refused);
    await expect(changeRetention(dataDir, {})).rejects.toMatchObject({ code: expect.anything() });
    await expect(start()).rejects.toMatchObject(refused);
    expect(readFileSync(pack, 'utf8')).toBe('contents');
  });

  it('makes no new key when its own is missing or altered', async () => {
    await (await start()).close();
    const file = join(dataDir, 'identity.json');
    const key = readFileSync(file, 'utf8');
    const refused = { code: 'damaged-database', message: expect.stringContaining(file) as unknown };
    rmSync(file);
    await expect(start()).rejects.toMatchObject(refused);
    for (const spoilt of [
      { ...JSON.parse(key), privateKeyPem: 'x' },
      { ...JSON.parse(key), certificatePem: '-----BEGIN CERTIFICATE-----\nAAAA' },
      { ...JSON.parse(key), fingerprint: 'ab'.repeat(32) },
    ] as object[]) {
      writeFileSync(file, JSON.stringify(spoilt));
      await expect(start()).rejects.toMatchObject(refused);
    }
    writeFileSync(file, key);
    await start();
  });
});

describe('an administrator', () => {
  it('invites beside a running server, to the address where it listens', async () => {
    const { port, fingerprint } = await start();
    const text = await createInvitation(dataDir, INVITATION);
    expect(parseInvitation(text)).toMatchObject({ host: '127.0.0.1', port, fingerprint });
    const other = await createInvitation(dataDir, { ...INVITATION, address: '[::1]:7' });
    expect(parseInvitation(other)).toMatchObject({ host: '::1', port: 7 });
    const listed = await listInvitations(dataDir);
    expect(listed.map(({ user, state }) => [user, state])).toEqual([
      ['owner', 'open'],
      ['owner', 'open'],
    ]);
    expect(JSON.stringify(listed)).not.toContain(parseInvitation(text)?.secret);
  });

  it('gets an error for an impossible invitation', async () => {
    await expect(createInvitation(dataDir, INVITATION)).rejects.toMatchObject({
      code: 'no-server',
    });
    await start();
    const ask = (change: object) => createInvitation(dataDir, { ...INVITATION, ...change });
    await expect(ask({ volume: 'x' })).rejects.toMatchObject({ code: 'no-such-volume' });
    await expect(ask({ user: 'a/b' })).rejects.toMatchObject({ code: 'usage' });
    await expect(ask({ hours: 0 })).rejects.toMatchObject({ code: 'usage' });
    await expect(ask({ address: 'x:y:z' })).rejects.toMatchObject({ code: 'bad-address' });
    expect(await listDevices(dataDir)).toEqual([]);
    await expect(revokeDevice(dataDir, 1)).rejects.toMatchObject({ code: 'not-found' });
  });
});
