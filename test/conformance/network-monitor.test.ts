/** The two NetworkMonitors of Linux: NetworkManager on a private bus, and the routes. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { VirtualTimers } from '../../app/lab/simulator/clock/virtual-clock.ts';
import { VirtualTime } from '../../app/lab/simulator/clock/virtual-time.ts';
import { SystemMonitor } from '../../daemon/adapters/netmon/system-monitor.ts';
import { instant } from '../../shared/model/time.ts';
import type { NetworkFacts } from '../../shared/model/network.ts';
import { FakeNetworkMonitor } from '../support/fake-network-monitor.ts';
import { networkMonitorSuite, type NetworkHarness } from './network-monitor.suite.ts';
import { FakeNetworkManager, HAS_DBUS, PrivateBus } from '../support/fake-network-manager.ts';
import { SILENT } from '../support/silent-log.ts';

const HEAD = 'Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\n';
const ROUTE = (device: string) => `${HEAD}${device}\t00000000\t0100A8C0\t0003\t0\t0\t0\t00000000\n`;

let procNet: string;
let time: VirtualTime;
let told: Array<NetworkFacts | null>;
let hear: () => void;
let monitor: SystemMonitor | null;

beforeEach(() => {
  procNet = mkdtempSync(join(tmpdir(), 'godwit-net-'));
  time = new VirtualTime(instant(0));
  told = [];
  monitor = null;
  hear = () => undefined;
});
afterEach(async () => {
  await monitor?.close();
  rmSync(procNet, { recursive: true, force: true });
});

function watch(busAddress: string | null): void {
  const timers = new VirtualTimers(time, 'daemon');
  monitor = new SystemMonitor({ timers, log: SILENT, busAddress, procNet });
  monitor.watch((network) => {
    told.push(network);
    hear();
  });
  expect(told).toEqual([]);
}

async function heard(count: number): Promise<Array<string | null>> {
  while (told.length < count) await new Promise<void>((resolve) => (hear = resolve));
  return told.map((network) => network?.name ?? null);
}

/** Waits for the time between two looks. */
async function lookAgain(): Promise<void> {
  time.step();
  await new Promise((resolve) => setImmediate(resolve));
}

async function onRoutes(first: string | null): Promise<NetworkHarness> {
  const is = (device: string | null): void =>
    writeFileSync(join(procNet, 'route'), device === null ? HEAD : ROUTE(device));
  is(first);
  const timers = new VirtualTimers(time, 'daemon');
  const over = new SystemMonitor({ timers, log: SILENT, busAddress: null, procNet });
  return Promise.resolve({
    monitor: over,
    becomes: async (device) => {
      is(device);
      if (time.next() !== null) await lookAgain();
      await new Promise((resolve) => setImmediate(resolve));
    },
    close: () => over.close(),
  });
}

function faked(first: string | null): Promise<NetworkHarness> {
  const facts = (device: string | null): NetworkFacts | null =>
    device === null
      ? null
      : {
          ...{ name: device, kind: 'other', metered: null, why: 'a test says so' },
          ...{ interface: device, gateway: null },
        };
  const fake = new FakeNetworkMonitor(facts(first));
  return Promise.resolve({
    monitor: fake,
    becomes: (device) => {
      fake.is(facts(device));
      return Promise.resolve();
    },
    close: () => fake.close(),
  });
}

networkMonitorSuite('the routes', onRoutes);
networkMonitorSuite('the fake', faked);

describe('the monitor of routes', () => {
  it('reports the route at the start and at changes only, until it is closed', async () => {
    writeFileSync(join(procNet, 'route'), ROUTE('eth0'));
    watch(null);
    expect(await heard(1)).toEqual(['eth0 via 192.168.0.1']);
    await lookAgain();
    expect(told).toHaveLength(1);
    writeFileSync(join(procNet, 'route'), ROUTE('wlan0'));
    await lookAgain();
    expect(told).toHaveLength(2);
    rmSync(join(procNet, 'route'));
    await lookAgain();
    expect(await heard(3)).toEqual(['eth0 via 192.168.0.1', 'wlan0 via 192.168.0.1', null]);
    await monitor?.close();
    expect(time.next()).toBe(null);
  });

  it('reports the route when the bus is away', async () => {
    writeFileSync(join(procNet, 'route'), ROUTE('eth0'));
    watch(`unix:path=${join(procNet, 'no-bus')}`);
    expect(await heard(1)).toEqual(['eth0 via 192.168.0.1']);
  });
});

if (HAS_DBUS) {
  describe('the monitor of NetworkManager', () => {
    let bus: PrivateBus;
    beforeEach(async () => {
      bus = new PrivateBus();
      await bus.start();
    });
    afterEach(() => bus.close());

    it('asks it when it appears, hears its changes, and uses routes when it goes', async () => {
      writeFileSync(join(procNet, 'route'), ROUTE('eth0'));
      watch(bus.address);
      await heard(1);
      const manager = await FakeNetworkManager.on(bus.address);
      expect(await heard(2)).toEqual(['eth0 via 192.168.0.1', null]);
      manager.is({ id: 'Café', type: '802-11-wireless', metered: 3, device: 'wlan0' });
      await heard(3);
      expect(told[2]).toEqual({
        name: 'Café',
        kind: 'wifi',
        metered: true,
        why: 'NetworkManager guesses so',
        interface: 'wlan0',
        gateway: null,
      });
      manager.is({ id: 'Home', type: '802-3-ethernet', metered: 2, device: 'eth0' });
      await heard(4);
      expect(told[3]).toMatchObject({ name: 'Home', kind: 'wired', metered: false });
      await manager.leave();
      expect((await heard(5))[4]).toBe('eth0 via 192.168.0.1');
      await bus.stop();
    });
  });
} else {
  it('NetworkManager is not tested: there is no dbus-daemon here', () => {
    writeFileSync(join(procNet, 'route'), '');
    watch(null);
  });
}
