import { expect, it } from '@jest/globals';
import type { Timers } from '../../../shared/ports/clock.ts';
import { AddressWatch, machineAddresses } from './address-watch.ts';

/** A watch of addresses that the test sets, with times that it lets come. */
function watched(first: string) {
  const pending: Array<() => void> = [];
  const timers: Timers = {
    start: (_delay, run) => {
      pending.push(run);
      return { cancel: () => void pending.splice(pending.indexOf(run), 1) };
    },
  };
  let addresses = first;
  const told: string[] = [];
  const watch = new AddressWatch({
    timers,
    addresses: () => addresses,
    changed: () => told.push(addresses),
  });
  const look = (now: string): void => {
    addresses = now;
    pending.shift()?.();
  };
  return { watch, look, told, pending };
}

it('the watch of addresses reports changed addresses once and not the first ones', () => {
  const { look, told } = watched('eth0 10.0.0.1');
  for (const now of ['eth0 10.0.0.1', 'wlan0 10.1.0.1', 'wlan0 10.1.0.1']) look(now);
  expect(told).toEqual(['wlan0 10.1.0.1']);
});

it('the watch of addresses reports when the machine has an address again, not while it has none', () => {
  const { look, told } = watched('eth0 10.0.0.1');
  for (const now of ['', '', 'eth0 10.0.0.1']) look(now);
  expect(told).toEqual(['eth0 10.0.0.1']);
});

it('the watch of addresses stops when it is closed', () => {
  const { watch, pending } = watched('');
  expect(pending).toHaveLength(1);
  watch.close();
  expect(pending).toHaveLength(0);
});

it('the addresses of this machine stay the same as long as nothing happens', () => {
  expect(machineAddresses()).toBe(machineAddresses());
  expect(machineAddresses()).not.toMatch(/127\.0\.0\.1|fe80:/);
});
