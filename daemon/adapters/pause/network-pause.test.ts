import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { VirtualClock, VirtualTimers } from '../../../app/lab/simulator/clock/virtual-clock.ts';
import { VirtualTime } from '../../../app/lab/simulator/clock/virtual-time.ts';
import type { NetworkFacts } from '../../../shared/model/network.ts';
import { instant } from '../../../shared/model/time.ts';
import { FakeDaemon } from '../../../test/support/fake-daemon.ts';
import { FakeNetworkMonitor } from '../../../test/support/fake-network-monitor.ts';
import { MemoryEnd } from '../../../test/support/memory-end.ts';
import { SILENT } from '../../../test/support/silent-log.ts';
import { NetworkPause } from './network-pause.ts';
import type { NetworkEnd, TimedEnd } from './pause-ends.ts';
import { TimedPause } from './timed-pause.ts';

const on = (name: string): NetworkFacts => ({
  ...{ name, kind: 'wifi', metered: null, why: 'a test says so', interface: null, gateway: null },
});

let folder: string;
let byTime: MemoryEnd<TimedEnd>;
let store: MemoryEnd<NetworkEnd>;
let daemon: FakeDaemon;
let time: VirtualTime;
let network: FakeNetworkMonitor;
let pause: NetworkPause;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-pause-'));
  daemon = new FakeDaemon(join(folder, 'contents'));
  byTime = new MemoryEnd();
  store = new MemoryEnd();
  time = new VirtualTime(instant(0));
  await begin('train');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const isPaused = (): boolean => daemon.snapshot().paused;

/** A process begins on what was kept, on such a network. */
async function begin(name: string | null): Promise<void> {
  const clock = new VirtualClock(time);
  const timers = new VirtualTimers(time, 'daemon');
  const about = { daemon, clock, timers, boot: 'boot', log: SILENT };
  const timed = new TimedPause({ ...about, store: byTime });
  pause = new NetworkPause({ store, timed, daemon, log: SILENT });
  network = new FakeNetworkMonitor(name === null ? null : on(name));
  network.watch((facts) => pause.networkIs(facts));
  await Promise.resolve();
}

describe('a pause until the network changes', () => {
  it('ends on another network, not when its own one goes away and comes back', () => {
    pause.pauseUntilNetworkChanges();
    expect([isPaused(), pause.untilNetworkChanges, pause.until]).toEqual([true, true, null]);
    network.is(null);
    network.is(on('train'));
    expect(isPaused()).toBe(true);
    network.is(on('home'));
    expect([isPaused(), pause.untilNetworkChanges, store.kept]).toEqual([false, false, null]);
    network.is(on('train'));
    expect(isPaused()).toBe(false);
  });

  it('continues over a restart on the same network and ends at a start on another', async () => {
    pause.pauseUntilNetworkChanges();
    await begin('train');
    expect([isPaused(), pause.untilNetworkChanges]).toEqual([true, true]);
    await begin('home');
    expect(isPaused()).toBe(false);
  });

  it('is replaced by another pause and ended by `resume`', () => {
    pause.pauseUntilNetworkChanges();
    pause.pause(null);
    network.is(on('home'));
    expect([isPaused(), pause.untilNetworkChanges]).toEqual([true, false]);
    pause.pauseUntilNetworkChanges();
    pause.resume();
    expect([isPaused(), store.kept]).toEqual([false, null]);
  });

  it('replaces a timed pause', () => {
    pause.pause(60_000);
    pause.pauseUntilNetworkChanges();
    expect([pause.until, time.next()]).toEqual([null, null]);
    expect(isPaused()).toBe(true);
  });

  it('is refused when the network is unknown, and nothing changes', async () => {
    await begin(null);
    expect(() => pause.pauseUntilNetworkChanges()).toThrow(
      expect.objectContaining({ code: 'not-found' }),
    );
    expect([isPaused(), store.kept]).toEqual([false, null]);
  });

  it('is no pause after a crash when it was not durable or already over', async () => {
    store.kept = { leaves: 'train' };
    await begin('home');
    expect([isPaused(), store.kept]).toEqual([false, null]);
  });

  it('is refused when nothing can be written', () => {
    store.refused = new Error('no room');
    expect(() => pause.pauseUntilNetworkChanges()).toThrow('no room');
    expect([isPaused(), pause.untilNetworkChanges]).toEqual([false, false]);
  });
});
