/** `godwit ui` and `godwit tray`, as people run them. */
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { StatusSnapshot } from '../../shared/control/snapshot.ts';
import { Bench } from '../support/bench.ts';

let bench: Bench;
let data: string;
beforeAll(async () => {
  bench = new Bench();
  const invitation = await bench.invite(await bench.server());
  ({ data } = await bench.laptop('ann', invitation));
});
afterAll(() => bench.close());

/** This keeps tests from opening a browser. */
const env = { DISPLAY: '', WAYLAND_DISPLAY: '' };

async function post(origin: string, path: string, body: object, headers: Record<string, string>) {
  return fetch(`${origin}${path}`, {
    method: 'POST',
    headers: { origin, ...headers },
    body: JSON.stringify(body),
  });
}

describe('godwit ui', () => {
  it('prints an address that opens the page of this daemon and ends with it', async () => {
    const { code, stdout, stderr } = await bench.godwit(['ui', '--data', data], { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('no browser') });
    const { origin, hash } = new URL(stdout.trim());
    expect(await (await fetch(`${origin}/`)).text()).toContain('page.js');
    const token = hash.slice('#token='.length);
    const session = await post(origin, '/v1/session', { token }, {});
    const cookie = session.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
    const { result } = (await session.json()) as { result: { key: string } };
    const headers = { cookie, 'godwit-key': result.key };
    const reply = await post(origin, '/v1/status', { revision: null, waitMs: 0 }, headers);
    const { result: status } = (await reply.json()) as { result: StatusSnapshot };
    expect(status).toMatchObject({ pid: (await bench.status(data)).pid, device: { name: 'ann' } });
    await bench.json(['down', '--data', data]);
    await expect(fetch(`${origin}/`)).rejects.toThrow('fetch failed');
    const away = await bench.godwit(['ui', '--data', data], { env });
    expect(away).toMatchObject({ code: 5, stdout: '' });
    expect(away.stderr).toMatch(/^godwit: .*no daemon runs on this data folder; .+\n$/);
  });
});

describe('godwit tray', () => {
  it.each([
    ['none on the path', []],
    ['none by that name', ['--electron', '/no/such/electron']],
  ])('reports in one line what to install: %s', async (_what, args) => {
    const run = await bench.godwit(['tray', '--data', data, ...args], {
      env: { ...env, PATH: '' },
    });
    expect(run).toMatchObject({ code: 1, stdout: '' });
    expect(run.stderr).toMatch(
      /^godwit: .+; install it \(`npm install --global electron`.+`godwit ui`\n$/,
    );
  });

  it('reports why its Electron does not start', async () => {
    const args = ['--electron', process.execPath];
    const run = await bench.godwit(['tray', '--data', data, ...args], { env });
    expect(run).toMatchObject({ code: 1, stdout: '' });
    expect(run.stderr).toMatch(/^godwit: .+: it has ended at its start.*\n$/);
    expect(existsSync(`${data}/log/tray.log`)).toBe(true);
  });
});
