/** What changes on this machine while a daemon runs: its networks and its addresses. */
import type { Log } from '../shared/ports/log.ts';
import { AddressWatch, machineAddresses } from './adapters/netmon/address-watch.ts';
import { SystemMonitor } from './adapters/netmon/system-monitor.ts';
import type { NetworkPause } from './adapters/pause/network-pause.ts';
import type { DaemonRuntime } from './runtime/daemon-runtime.ts';

/** Watches the network of this machine, and passes each change to the runtime and to the pauses. */
export function watchNetwork(
  runtime: DaemonRuntime,
  pauses: NetworkPause,
  log: Log,
): SystemMonitor {
  const monitor = new SystemMonitor({
    timers: runtime.timers,
    log,
    busAddress: systemBus(),
    procNet: '/proc/net',
  });
  monitor.watch((facts) => {
    const utcOffsetMs = -new Date().getTimezoneOffset() * 60_000;
    runtime.networkIs(facts, utcOffsetMs);
    pauses.networkIs(facts);
    log.info('network', { name: facts?.name ?? null, metered: facts?.metered ?? null });
  });
  return monitor;
}

/** Watches the addresses of this machine, and tells the runtime when they change. */
export function watchAddresses(runtime: DaemonRuntime): AddressWatch {
  const { timers } = runtime;
  const changed = (): void => runtime.networkChanged();
  return new AddressWatch({ timers, addresses: machineAddresses, changed });
}

/** Only Linux has one to ask. */
function systemBus(): string | null {
  if (process.platform !== 'linux') return null;
  return process.env['DBUS_SYSTEM_BUS_ADDRESS'] ?? 'unix:path=/run/dbus/system_bus_socket';
}
