/**
 * A server that comes and goes, a daemon that is killed, a device that is revoked. Each takes as long as a lease: a server
 * that was restarted commits nothing for one, and waits one out for a holder that fell silent (rules P1 and P3).
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { waitForEnd } from '../../app/cli/processes.ts';
import { endProcess, textOf } from '../support/bench.ts';
import { scrape } from '../support/exposition.ts';
import { twoLaptops } from '../support/two-laptops.ts';

const bench = twoLaptops();
const { a, b } = bench;

const expectSame = (): void => expect(bench.differences()).toEqual([]);

describe('a system whose programs come and go', () => {
  it('resumes in a daemon that was killed', async () => {
    for (let index = 0; index < 200; index++) {
      writeFileSync(join(a.folder, `many ${index}`), `${index}\n`.repeat(500));
    }
    const { pid } = await bench.status(b.data);
    const flushing = bench.flush(a);
    await endProcess(pid, 'SIGKILL');
    await flushing;
    writeFileSync(join(b.folder, 'while down'), 'x');
    await bench.json(['up', '--data', b.data]);
    await bench.flush(b, a);
    expectSame();
    expect(textOf(join(a.folder, 'while down'))).toBe('x');
  });

  it('keeps nobody waiting for the promises of a daemon that was asked to end', async () => {
    const lapsed = async (): Promise<number> =>
      (await scrape(bench.home.metrics))('godwit_server_lapsed_leases_total');
    // It follows the folder by a promise for all of it, which it has when nothing is under way.
    await bench.flush(a, b);
    await bench.until(b.data, ({ state }) => state === 'idle');
    const before = await lapsed();
    await bench.json(['down', '--data', b.data]);
    writeFileSync(join(a.folder, 'while b is down'), 'x');
    await bench.flush(a);
    // However long that took, no lease expired for it.
    expect(await lapsed()).toBe(before);
    await bench.json(['up', '--data', b.data]);
    await bench.flush(b);
    expectSame();
  });

  it('goes on with a new pairing where the data folder of a running daemon was removed', async () => {
    const { pid } = await bench.status(b.data);
    writeFileSync(join(b.folder, 'before'), 'x');
    await bench.flush(b);
    rmSync(b.data, { recursive: true, maxRetries: 20 });
    expect(await waitForEnd(pid, 60_000)).toBe(true);
    writeFileSync(join(b.folder, 'while lost'), 'y');
    await bench.laptop('bob', await bench.invite(bench.home));
    await bench.flush(b, a);
    expectSame();
    expect(['before', 'while lost'].map((name) => textOf(join(a.folder, name)))).toEqual([
      'x',
      'y',
    ]);
  });

  it('works without a server and syncs when the server is back', async () => {
    await bench.endServer();
    for (const { data } of [a, b]) {
      const status = await bench.until(data, ({ connected }) => !connected);
      expect(status.state === 'offline' || status.state === 'conflict').toBe(true);
    }
    writeFileSync(join(a.folder, 'offline a'), 'a');
    writeFileSync(join(b.folder, 'offline b'), 'b');
    expect((await bench.godwit(['cat', 'while down', '--data', a.data])).stdout).toBe('x');
    const flush = ['flush', '--wait', '--timeout', '1', '--data', a.data];
    expect((await bench.godwit(flush)).code).toBe(5);
    await bench.json(['down', '--data', b.data]);
    const offline = await bench.json(['up', '--data', b.data]);
    expect(offline).toMatchObject({ connected: false });
    await bench.serveAgain();
    await bench.flush(a, b, a);
    expectSame();
    expect(textOf(join(b.folder, 'offline a'))).toBe('a');
  });

  it('loses nothing with a server that is killed', async () => {
    writeFileSync(join(a.folder, 'before the kill'), 'x'.repeat(100_000));
    await bench.flush(a);
    await bench.endServer('SIGKILL');
    await bench.serveAgain();
    await bench.flush(b);
    expectSame();
  });

  it('reports to a device that it was revoked', async () => {
    const c = await bench.laptop('eve', await bench.invite(bench.home));
    const { device } = await bench.status(c.data);
    await bench.json(['server', 'revoke', String(device.id), '--data', bench.home.data]);
    const { errors } = await bench.until(c.data, (status) => status.errors.length > 0);
    expect(errors).toMatchObject([{ code: 'device-revoked' }]);
    await bench.json(['down', '--data', c.data]);
    const again = await bench.godwit(['up', '--data', c.data]);
    expect(again).toMatchObject({ code: 1, stdout: '' });
    expect(again.stderr).toMatch(/^godwit: [^\n]+\n$/);
  });
});
