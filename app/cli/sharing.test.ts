/** `godwit sharing`, on a daemon that keeps what it is told. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { FakeControl } from '../../test/support/fake-control.ts';
import { godwit } from '../../test/support/run-cli.ts';

let control: FakeControl;

beforeEach(async () => {
  control = new FakeControl();
  await control.start();
  await godwit(['put', '-', '/doc', '--data', control.data], 'text');
  control.daemon.calls.length = 0;
});
afterEach(() => control.close());

const run = (...args: string[]) => godwit([...args, '--data', control.data]);

describe('godwit sharing', () => {
  it('sets, prints, lists and withdraws orders', async () => {
    expect((await run('sharing')).stdout).toMatch(/^nothing was said/);
    expect((await run('sharing', '/doc')).stdout).toBe('/doc: unshared (auto: by who uses it)\n');
    expect((await run('sharing', 'doc', 'shared')).stdout).toBe('/doc: shared, as was said\n');
    expect((await run('sharing')).stdout).toMatch(/^shared +home +\/doc\n$/);
    expect((await run('status', '/doc')).stdout).toMatch(/^sharing: shared, as was said$/m);
    expect((await run('sharing', '/doc', 'auto')).stdout).toMatch(/^\/doc: unshared \(auto/);
    expect((await run('status', '/doc')).stdout).not.toContain('sharing');
    expect(control.daemon.calls.filter((call) => call.startsWith('sharing'))).toHaveLength(2);
  });

  it('prints the same as JSON', async () => {
    await run('sharing', '/doc', 'unshared');
    const of = { order: 'unshared', from: 'doc', counts: 'unshared' };
    expect(JSON.parse((await run('sharing', '/doc', '--json')).stdout)).toEqual({
      ...{ volume: 'home', path: '/doc' },
      ...of,
    });
    const listed = JSON.parse((await run('sharing', '--json')).stdout) as object;
    expect(listed).toMatchObject({ orders: [{ volume: 'home', path: '/doc', order: 'unshared' }] });
    const status = JSON.parse((await run('status', '/doc', '--json')).stdout) as object;
    expect(status).toMatchObject({ path: '/doc', sharing: of });
  });

  it('names the folder of an order, also one that was not looked up here', async () => {
    control.daemon.sharingRows = [
      { volume: 'home', path: null, fid: '1.5.2' as never, order: 'shared' },
      { volume: 'home', path: '', fid: '1.1.1' as never, order: 'unshared' },
    ];
    const { stdout } = await run('sharing');
    expect(stdout).toMatch(/^shared +home +\(not looked at here: 1\.5\.2\)$/m);
    expect(stdout).toMatch(/^unshared +home +\/$/m);
  });

  it.each([
    [['/doc', 'often'], 2],
    [['/gone', 'shared'], 3],
    [['../doc', 'shared'], 2],
    [['/doc', 'shared', '--volume', 'none'], 3],
    [['/doc', 'shared', 'more'], 2],
  ])('refuses %j in one line', async (args, code) => {
    const refused = await run('sharing', ...args);
    expect(refused).toMatchObject({ code, stdout: '' });
    expect(refused.stderr).toMatch(/^godwit: [^\n]+\n$/);
    expect(control.daemon.calls.filter((call) => call.startsWith('sharing'))).toEqual([]);
  });

  it.each([
    ['not-connected', 5],
    ['too-many-orders', 1],
    ['no-right', 1],
  ] as const)('reports the refusal of the server: %s', async (why, code) => {
    control.daemon.sharingRefused = new GodwitError(why);
    const refused = await run('sharing', '/doc', 'shared');
    expect(refused).toMatchObject({ code, stdout: '' });
    expect(refused.stderr).toContain(new GodwitError(why).remedy);
  });
});
