import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { VirtualClock, VirtualTimers } from '../../../app/lab/simulator/clock/virtual-clock.ts';
import { VirtualTime } from '../../../app/lab/simulator/clock/virtual-time.ts';
import type { NetworkFacts } from '../../../shared/model/network.ts';
import { instant } from '../../../shared/model/time.ts';
import { FakeDaemon } from '../../../test/support/fake-daemon.ts';
import { FakeNetworkMonitor } from '../../../test/support/fake-network-monitor.ts';
import { SILENT } from '../../../test/support/silent-log.ts';
import { NetworkPause } from './network-pause.ts';
import { PauseFile } from './pause-file.ts';
import { TimedPause } from './timed-pause.ts';

const host = { syncDirectory: () => undefined };
const on = (name: string): NetworkFacts => ({
  ...{ name, kind: 'wifi', metered: null, why: 'a test says so', interface: null, gateway: null },
});

let folder: string;
let daemon: FakeDaemon;
let time: VirtualTime;
let network: FakeNetworkMonitor;
let pause: NetworkPause;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-pause-'));
  daemon = new FakeDaemon(join(folder, 'contents'));
  time = new VirtualTime(instant(0));
  await begin('train');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = (): string => join(folder, 'pause-network.json');
const isPaused = (): boolean => daemon.snapshot().paused;

/** A process begins on what is in the folder, on such a network. */
async function begin(name: string | null): Promise<void> {
  const clock = new VirtualClock(time);
  const timers = new VirtualTimers(time, 'daemon');
  const store = new PauseFile(join(folder, 'pause.json'), host, SILENT);
  const timed = new TimedPause({ daemon, store, clock, timers, boot: 'boot', log: SILENT });
  pause = new NetworkPause({ file: file(), timed, daemon, host, log: SILENT });
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
    expect([isPaused(), pause.untilNetworkChanges, existsSync(file())]).toEqual([
      false,
      false,
      false,
    ]);
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
    expect([isPaused(), existsSync(file())]).toEqual([false, false]);
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
    expect([isPaused(), existsSync(file())]).toEqual([false, false]);
  });

  it('is no pause after a crash when it was not durable or already over', async () => {
    writeFileSync(file(), '{"leaves":"train"}');
    await begin('home');
    expect([isPaused(), existsSync(file())]).toEqual([false, false]);
    daemon.become({ paused: true });
    writeFileSync(file(), '{"leaves":');
    await begin('home');
    expect(isPaused()).toBe(true);
  });

  it('is refused when nothing can be written', () => {
    rmSync(folder, { recursive: true });
    expect(() => pause.pauseUntilNetworkChanges()).toThrow('can not be used');
    expect([isPaused(), pause.untilNetworkChanges]).toEqual([false, false]);
  });
});
