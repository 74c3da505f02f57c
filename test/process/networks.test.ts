/** Real processes on a metered network, as a stand-in for NetworkManager on a private bus reports it: what waits, also after a `kill -9`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Bench, endProcess } from '../support/bench.ts';
import { FakeNetworkManager, HAS_DBUS, PrivateBus } from '../support/fake-network-manager.ts';

const CAFE = { id: 'Café', type: '802-11-wireless', metered: 1, device: 'wlan0' };
const HOME = { id: 'Home', type: '802-3-ethernet', metered: 2, device: 'eth0' };

const bench = new Bench();
const bus = new PrivateBus();
const data = bench.path('ann');
const folder = bench.path('Ann');
let manager: FakeNetworkManager;

const network = (...args: string[]) => bench.godwit(['network', ...args, '--data', data]);

async function up(...args: string[]): Promise<void> {
  const env = { DBUS_SYSTEM_BUS_ADDRESS: bus.address };
  const ran = await bench.godwit(['up', '--data', data, '--folder', folder, ...args], { env });
  expect(ran).toMatchObject({ code: 0 });
}

if (HAS_DBUS) {
  beforeAll(async () => {
    await bus.start();
    manager = await FakeNetworkManager.on(bus.address);
    manager.is(CAFE);
    const server = await bench.server();
    mkdirSync(folder);
    await up('--invite', await bench.invite(server));
  });
  afterAll(async () => {
    await bench.close();
    await manager.leave();
    await bus.close();
  });

  it('a paused network holds contents back, also after a `kill -9`, and another network sends them', async () => {
    const ruled = await network('set', 'Café', '--pause', '--budget', '5MB/day');
    expect(ruled).toMatchObject({ code: 0, stdout: expect.stringContaining('budget 5.0 MB/day') });
    await bench.until(data, (status) => status.network?.background === 'waits');
    writeFileSync(join(folder, 'doc'), 'waits');
    const { pid } = await bench.until(data, ({ state }) => state === 'trickling');
    await endProcess(pid, 'SIGKILL');
    await up();
    const again = await bench.until(data, ({ state }) => state === 'trickling');
    expect(again.network).toMatchObject({ name: 'Café', metered: true, budget: { bytes: 5e6 } });
    expect(again.network?.used).toBeGreaterThan(0);
    // A clean end keeps the counted bytes.
    await bench.json(['down', '--data', data]);
    await up();
    const third = await bench.until(data, ({ network: now = null }) => now !== null);
    expect(third.network?.used).toBeGreaterThanOrEqual(again.network?.used ?? Infinity);
    manager.is(HOME);
    await bench.flush({ data });
    await bench.until(data, ({ state, network: now }) => state === 'idle' && now?.name === 'Home');
  });

  it('a wrong network rule is refused in one line and changes nothing', async () => {
    const list = async () => (await bench.json(['network', '--data', data]))['networks'];
    const before = await list();
    for (const [args, says] of [
      [['set', 'Café'], /give --metered, --budget, --trickle or --pause/],
      [['set', 'Café', '--budget', 'much'], /much: not a budget/],
      [['set', 'Café', '--metered', 'maybe'], /maybe: one of yes, no, auto is wanted/],
      [['set', '', '--pause'], /network set: an argument is empty/],
      [['forget', 'nowhere'], /there is no rule for nowhere/],
    ] as const) {
      const ran = await network(...args);
      expect(ran).toMatchObject({ stdout: '' });
      expect(ran.code).toBeGreaterThan(0);
      expect(ran.stderr).toMatch(says);
      expect(ran.stderr.trim().split('\n')).toHaveLength(1);
    }
    expect(JSON.stringify(await list())).toContain('"pause":true');
    expect(JSON.stringify(before)).toContain('"pause":true');
    expect(await network('forget', 'Café')).toMatchObject({ code: 0, stdout: 'Café: no rule\n' });
  });
} else {
  it('networks are not tested: there is no dbus-daemon here', () => expect(HAS_DBUS).toBe(false));
}
