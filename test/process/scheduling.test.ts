/** `--scheduling uniform` with real processes: the stores of a laptop take turns, and its status says so. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { parseHostPort } from '../../shared/control/addresses.ts';
import { UdpRelay } from '../../app/lab/shaper/udp-relay.ts';
import { Bench, firstLine } from '../support/bench.ts';

const BULK = 2 * 1024 * 1024;
const SMALL = 128 * 1024;
const BYTES_PER_SECOND = 512 * 1024;

const bench = new Bench();
const data = bench.path('ann');
const folder = bench.path('Ann');
let line: UdpRelay;

beforeAll(async () => {
  const args = ['server', '--json', '--data', bench.path('server'), '--listen', '127.0.0.1:0'];
  const child = bench.start([...args, '--scheduling', 'uniform']);
  const said = JSON.parse(await firstLine(child)) as Record<string, string>;
  expect(said['scheduling']).toBe('uniform');
  const address = said['listening'] ?? '';
  const up = { rate: [{ atMs: 0, bytesPerSecond: BYTES_PER_SECOND }], queue: { ms: 100 } };
  line = await UdpRelay.open({ to: parseHostPort(address, ''), up });
  const server = { data: bench.path('server'), child, address };
  const invitation = await bench.invite(server, '--address', line.address);
  mkdirSync(folder);
  await bench.json(['up', '--data', data, '--folder', folder, '--invite', invitation]);
});
afterAll(async () => {
  await bench.close();
  line.close();
});

const up = (...args: string[]) => bench.json(['up', '--data', data, '--folder', folder, ...args]);

/** The unsent bytes of one store when the other one is committed. */
async function leftLast(run: string): Promise<number> {
  await bench.json(['pause', '--data', data]);
  writeFileSync(join(folder, `${run}-bulk`), Buffer.alloc(BULK, run));
  await bench.until(data, ({ queues }) => queues.data.updates === 1);
  writeFileSync(join(folder, `${run}-small`), Buffer.alloc(SMALL, run));
  await bench.until(data, ({ queues }) => queues.data.updates === 2);
  await bench.json(['resume', '--data', data]);
  const { queues } = await bench.until(data, (status) => status.queues.data.updates < 2);
  return queues.data.bytes;
}

it('uniform scheduling lets a small store pass an earlier large one from the next start on', async () => {
  expect(await leftLast('first')).toBeLessThan(BULK);
  await bench.flush({ data });
  await bench.json(['down', '--data', data]);
  await up('--scheduling', 'uniform');
  expect(await bench.status(data)).toMatchObject({ scheduling: 'uniform' });
  expect(await leftLast('second')).toBe(BULK);
});

it('a scheduling is kept over starts until it is changed, and a running daemon refuses a change', async () => {
  await bench.json(['down', '--data', data]);
  await up();
  expect(await bench.status(data)).toMatchObject({ scheduling: 'uniform' });
  const args = ['up', '--data', data, '--scheduling'];
  const running = await bench.godwit([...args, 'priorities']);
  expect(running.stderr).toContain('with scheduling uniform');
  await bench.json(['down', '--data', data]);
  const unknown = await bench.godwit([...args, 'fair']);
  expect(unknown).toMatchObject({ code: 2, stdout: '' });
  expect(unknown.stderr).toMatch(
    /^godwit: [^\n]*fair: one of priorities, uniform is wanted[^\n]*\n$/,
  );
  await up('--scheduling', 'priorities');
  expect(await bench.status(data)).not.toHaveProperty('scheduling');
});
