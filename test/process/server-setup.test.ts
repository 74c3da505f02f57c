/** `godwit server setup` with real servers on a real folder, where no service of the system is installed. */
import { createSocket, type Socket } from 'node:dgram';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startServer, type RunningServer } from '../../server/main.ts';
import { createInvitation, listInvitations } from '../../server/maintenance/administration.ts';
import { parseInvitation } from '../../shared/model/invitation.ts';
import type { Log } from '../../shared/ports/log.ts';
import { godwit } from '../support/run-cli.ts';

const silent = (): void => undefined;
const log: Log = { error: silent, warn: silent, info: silent, debug: silent, with: () => log };

let folder: string;
let config: string;
let dataDir: string;
let port: number;
const sockets: Socket[] = [];
const servers: RunningServer[] = [];

function bound(at = 0): Promise<number> {
  const socket = createSocket('udp4');
  sockets.push(socket);
  return new Promise((done, failed) => {
    socket.once('error', failed);
    socket.bind({ address: '127.0.0.1', port: at, exclusive: true }, () =>
      done(socket.address().port),
    );
  });
}

async function freePort(): Promise<number> {
  const free = await bound();
  await new Promise<void>((done) => sockets.pop()?.close(done));
  return free;
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-setup-'));
  config = join(folder, 'server.conf');
  dataDir = join(folder, 'data');
  port = await freePort();
  // Tests listen on the loopback alone.
  writeFileSync(config, `# Mine.\nGODWIT_SERVER_LISTEN=127.0.0.1:${port}\n`);
});

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.close();
  for (const server of servers.splice(0)) await server.close();
  rmSync(folder, { recursive: true });
});

const setUp = (...more: string[]) =>
  godwit(['server', 'setup', '--config', config, '--data', dataDir, ...more]);
const NAME = ['--address', 'files.example.org'];

async function serve(): Promise<void> {
  servers.push(await startServer({ dataDir, listen: { host: '127.0.0.1', port }, log }));
}

describe('the set-up of a server', () => {
  it('writes its settings, makes its data, and prints the first invitation', async () => {
    const { code, stdout, stderr } = await setUp(...NAME, '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const result = JSON.parse(stdout) as { invitation: string; changed: boolean };
    expect(result).toMatchObject({
      ...{ changed: true, service: null, config, data: dataDir },
      ...{ address: `files.example.org:${port}`, listen: `127.0.0.1:${port}` },
    });
    expect(readFileSync(config, 'utf8')).toBe(
      `# Mine.\nGODWIT_SERVER_LISTEN=127.0.0.1:${port}\nGODWIT_SERVER_ADDRESS=files.example.org:${port}\nGODWIT_SERVER_DATA=${dataDir}\n`,
    );
    await serve();
    expect(parseInvitation(result.invitation)).toMatchObject({
      ...{ host: 'files.example.org', port, fingerprint: servers[0]?.fingerprint },
    });
    expect(await listInvitations(dataDir)).toHaveLength(1);
  });

  it('changes nothing when it is run again, also beside its server', async () => {
    await setUp(...NAME, '--without-invitation');
    const before = readFileSync(config, 'utf8');
    await serve();
    const { code, stdout } = await setUp('--port', String(port), '--without-invitation');
    expect(code).toBe(0);
    expect(stdout).toContain(`Unchanged: ${config}\nIt runs already.\n`);
    expect(readFileSync(config, 'utf8')).toBe(before);
    expect(await listInvitations(dataDir)).toEqual([]);
  });

  it('changes the port of the address with its own, and leaves that of a router', async () => {
    const address = async (...words: string[]) => {
      const { stdout } = await setUp('--without-invitation', '--json', ...words);
      return (JSON.parse(stdout) as { address: string }).address;
    };
    const [second, third] = [await freePort(), await freePort()];
    await address(...NAME);
    expect(await address('--port', String(second))).toBe(`files.example.org:${second}`);
    await address('--address', 'files.example.org:9');
    expect(await address('--port', String(third))).toBe('files.example.org:9');
  });

  it('prints for people how the port is opened and how a laptop joins', async () => {
    const { stdout } = await setUp(...NAME);
    expect(stdout).toContain(`Open UDP port ${port}; no TCP port is needed.\n`);
    expect(stdout).toContain(
      `Start it: godwit server --data ${dataDir} --listen 127.0.0.1:${port}`,
    );
    expect(stdout).toMatch(/^godwit:\/\/files\.example\.org:/m);
    expect(stdout).toContain('godwit up --folder ~/Godwit --invite -');
  });

  it('makes no further invitation while one is open, and says how to get one', async () => {
    await setUp(...NAME);
    const { stdout } = await setUp(...NAME);
    expect(stdout).not.toContain('godwit://');
    expect(stdout).toContain('1 invitation is open. `godwit server invite` makes another one.\n');
    expect(await listInvitations(dataDir)).toHaveLength(1);
  });

  it('says that laptops come to another port than the one it listens on', async () => {
    const { stdout } = await setUp('--address', 'files.example.org:9', '--without-invitation');
    expect(stdout).toContain(
      `Laptops come to port 9: a router has to forward it to UDP port ${port} of this machine.\n`,
    );
  });

  it('makes no folder for settings that it does not write', async () => {
    await bound(port);
    config = join(folder, 'new', 'server.conf');
    expect((await setUp(...NAME, '--port', String(port))).code).toBe(1);
    expect(existsSync(join(folder, 'new'))).toBe(false);
  });

  it('writes nothing while another program has the port', async () => {
    const before = readFileSync(config, 'utf8');
    await bound(port);
    expect(await setUp(...NAME)).toEqual({
      code: 1,
      stdout: '',
      stderr: `godwit: 127.0.0.1:${port} is in use by another program; choose another with --port, or end that program\n`,
    });
    expect(readFileSync(config, 'utf8')).toBe(before);
  });

  it('changes no port under a server that somebody else has started', async () => {
    await setUp(...NAME, '--without-invitation');
    await serve();
    const before = readFileSync(config, 'utf8');
    const { code, stderr } = await setUp('--port', String(await freePort()), ...NAME);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `godwit: a server runs on ${dataDir} already; stop it, then say setup again\n`,
    });
    expect(readFileSync(config, 'utf8')).toBe(before);
  });

  it.each([
    [
      [],
      2,
      /^godwit: setup: --address is missing, and nobody can be asked; such as --address .+\n$/,
    ],
    [['--address', '0.0.0.0'], 2, /^godwit: --address 0\.0\.0\.0: a server listens there, .+\n$/],
    [
      ['--address', 'exämple.org'],
      2,
      /^godwit: --address exämple\.org: an invitation can't name it; .+\n$/,
    ],
    [
      ['--address', 'x..example'],
      2,
      /^godwit: --address x\.\.example: an invitation can't name it; .+\n$/,
    ],
    [['--address', 'x', '--port', '0'], 2, /^godwit: --port 0: not a port; .+\n$/],
  ])('refuses the words %j in one line', async (words, code, line) => {
    const run = await setUp(...words);
    expect(run).toEqual({ code, stdout: '', stderr: expect.stringMatching(line) });
  });

  it('reports settings that can not be read, and leaves them', async () => {
    rmSync(config);
    mkdirSync(config);
    const { code, stderr } = await setUp(...NAME);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `godwit: ${config} can't be read: EISDIR; see who owns it\n`,
    });
  });
});

describe('the question whether a server is ready', () => {
  const ready = () => godwit(['server', 'ready', '--data', dataDir]);

  it('is answered by a server that runs, and by nobody afterwards', async () => {
    expect(await ready()).toMatchObject({ code: 3 });
    await serve();
    const { code, stdout } = await ready();
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `the server answers on 127.0.0.1:${port}\n`,
    });
    await servers.pop()?.close();
    const after = await ready();
    expect(after).toMatchObject({
      ...{ code: 5, stdout: '' },
      stderr: `godwit: 127.0.0.1:${port}: no server answers (refused); start it\n`,
    });
  });
});

describe('an invitation', () => {
  it('is refused for a host that it can not name', async () => {
    await serve();
    const asked = { user: 'owner', volume: 'home', rights: 'write', hours: 1 } as const;
    await expect(
      createInvitation(dataDir, { ...asked, address: 'exämple.org' }),
    ).rejects.toMatchObject({ code: 'bad-address' });
    expect(await listInvitations(dataDir)).toEqual([]);
  });
});
