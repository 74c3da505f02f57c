/** `godwit server top`, on the socket of a server that is none. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ServerStatistics } from '../../shared/control/server-statistics.ts';
import { fakeServerSocket } from '../../test/support/fake-server-socket.ts';
import { fakeServerStatistics } from '../../test/support/fake-server-statistics.ts';
import { godwit } from '../../test/support/run-cli.ts';

const uid = process.getuid?.() ?? 0;

let folder: string;
let endpoint: Awaited<ReturnType<typeof fakeServerSocket>>;
let logged: string[];
let asked: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-top-'));
  endpoint = null;
  logged = [];
  asked = 0;
});
afterEach(async () => {
  await endpoint?.close();
  rmSync(folder, { recursive: true });
});

async function serve(
  statistics: () => ServerStatistics | null = () => fakeServerStatistics((asked += 1)),
  peer = uid,
  dataDir = folder,
): Promise<void> {
  endpoint = await fakeServerSocket(dataDir, statistics, { uid, peer, logged });
}

const top = (...args: string[]) =>
  godwit(['server', 'top', '--data', folder, '--every', '0.1s', ...args]);

describe('godwit server top', () => {
  it('prints one picture without a terminal', async () => {
    await serve();
    const { code, stdout } = await top();
    expect([code, asked]).toEqual([0, 2]);
    expect(stdout).toMatch(/^godwit-server 1\.2\.3, up 2 s; /);
    expect(stdout).toMatch(/^team +shared +15 +10 ms +4\.0 MB$/m);
  });

  it('prints the same as JSON', async () => {
    await serve();
    const told = JSON.parse((await top('--once', '--json')).stdout) as object;
    expect(told).toMatchObject({ overMs: 1000, server: { sessions: 2 }, commitsPerSecond: 10 });
  });

  it('says where it looked when no server runs, and when one was killed', async () => {
    const nothing = await top();
    expect([nothing.code, nothing.stdout]).toEqual([5, '']);
    expect(nothing.stderr).toContain(`no server that can be asked runs on ${folder}`);
    writeFileSync(join(folder, 'control.sock'), '');
    expect((await top()).code).toBe(5);
    await serve();
    expect((await top()).code).toBe(0);
  });

  it('answers no other user, and names nothing to them', async () => {
    await serve(undefined, uid + 1);
    const { code, stdout, stderr } = await top();
    expect([code, stdout, asked]).toEqual([1, '', 0]);
    expect(stderr).toContain('its server answers another user; say it as the user of the server');
  });

  it('asks again later while the server is starting', async () => {
    await serve(() => null);
    expect(await top()).toMatchObject({ code: 5, stderr: expect.stringContaining('starting') });
  });

  it('has a socket that is closed to others and goes with the server', async () => {
    await serve();
    const path = join(folder, 'control.sock');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await endpoint?.close();
    endpoint = null;
    expect(statSync(path, { throwIfNoEntry: false })).toBeUndefined();
  });

  it('lets a server run whose folder has too long a path for a socket', async () => {
    await serve(undefined, uid, join(folder, 'x'.repeat(100)));
    expect(endpoint).toBeNull();
    expect(logged.join('\n')).toContain('will not reach this server');
  });
});
