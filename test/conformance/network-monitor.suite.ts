/** The contract of the NetworkMonitor port, on any implementation of it. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { NetworkFacts } from '../../shared/model/network.ts';
import type { NetworkMonitor } from '../../shared/ports/network-monitor.ts';

export interface NetworkHarness {
  readonly monitor: NetworkMonitor;
  /** Puts the machine on the network of this interface, or on none for null. Resolves when a watcher could have been notified. */
  readonly becomes: (device: string | null) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** `start` makes a harness on the network of this interface. */
export function networkMonitorSuite(
  name: string,
  start: (device: string | null) => Promise<NetworkHarness>,
): void {
  describe(`a NetworkMonitor (${name})`, () => {
    let harness: NetworkHarness | null;
    let told: Array<NetworkFacts | null>;
    let hear: () => void;

    beforeEach(() => {
      [harness, told] = [null, []];
      hear = () => undefined;
    });
    afterEach(() => harness?.close());

    async function watch(device: string | null): Promise<NetworkHarness> {
      const begun = await start(device);
      harness = begun;
      begun.monitor.watch((network) => {
        told.push(network);
        hear();
      });
      expect(told).toEqual([]);
      while (told.length === 0) await new Promise<void>((resolve) => (hear = resolve));
      return begun;
    }

    const devices = (): Array<string | null> => told.map((each) => each?.interface ?? null);

    it('reports the present network at the start, not from inside `watch`', async () => {
      await watch('eth0');
      expect(devices()).toEqual(['eth0']);
      expect(told[0]?.name).not.toBe('');
    });

    it('reports that there is no network', async () => {
      await watch(null);
      expect(told).toEqual([null]);
    });

    it('reports each change and never the same network twice in a row', async () => {
      const { becomes } = await watch('eth0');
      await becomes('eth0');
      expect(told).toHaveLength(1);
      await becomes('wlan0');
      await becomes(null);
      await becomes(null);
      await becomes('eth0');
      expect(devices()).toEqual(['eth0', 'wlan0', null, 'eth0']);
    });

    it('reports nothing after it was closed', async () => {
      const { monitor, becomes } = await watch('eth0');
      await monitor.close();
      await becomes('wlan0');
      expect(devices()).toEqual(['eth0']);
    });

    it('reports nothing when it is closed before its first report', async () => {
      harness = await start('eth0');
      harness.monitor.watch((network) => told.push(network));
      await harness.monitor.close();
      await harness.becomes('wlan0');
      expect(told).toEqual([]);
    });
  });
}
