/** What a server that is none tells its administrator. */
import type { ServerStatistics } from '../../shared/control/server-statistics.ts';

/** After so many seconds of its life, in each of which the same happened. */
export function fakeServerStatistics(second: number): ServerStatistics {
  return {
    software: 'godwit-server 1.2.3',
    atMs: 50_000 + second * 1000,
    uptimeMs: second * 1000,
    cpuMs: second * 250,
    memoryBytes: 90_000_000,
    diskFreeBytes: 8_000_000_000,
    takesContents: true,
    ...{ connections: 3, sessions: 2, openCalls: 4, receivingStores: 1 },
    ...{ waitingUpdates: 5, unacknowledgedBreaks: 6 },
    ...{ sentBytes: second * 1000, receivedBytes: second * 2000 },
    stepsMs: [1, 100],
    calls: [
      {
        ...{ rpc: 'Apply', side: 'received', calls: 20 * second, failures: second, broken: 0 },
        ...{ bytesOut: 0, bytesIn: 0, ms: 100 * second, steps: [0, 20 * second, 0] },
      },
      {
        ...{ rpc: 'BreakCallback', side: 'began', calls: 3 * second, failures: 0, broken: 0 },
        ...{ bytesOut: 0, bytesIn: 0, ms: 3 * second, steps: [3 * second, 0, 0] },
      },
      {
        ...{ rpc: 'Hello', side: 'received', calls: 2, failures: 0, broken: 0 },
        ...{ bytesOut: 0, bytesIn: 0, ms: 2, steps: [2, 0, 0] },
      },
    ],
    active: [
      { kind: null, users: 2, devices: 2 },
      { kind: 'home', users: 1, devices: 1 },
      { kind: 'shared', users: 2, devices: 2 },
      { kind: 'single', users: 0, devices: 0 },
    ],
    devices: [
      {
        ...{ id: 1, name: 'laptop-a', user: 'ann', openCalls: 0, usedMs: null },
        ...{ sentBytes: 0, receivedBytes: 0 },
      },
      {
        ...{ id: 2, name: 'laptop-b', user: 'bob', openCalls: 4, usedMs: 2000 },
        ...{ sentBytes: second * 900, receivedBytes: second * 1900 },
      },
    ],
    volumes: [
      {
        ...{ id: 1, name: 'ann', kind: 'home', head: 7, usedBytes: 500 },
        ...{ calls: 0, ms: 0 },
      },
      {
        ...{ id: 2, name: 'team', kind: 'shared', head: 10 * second, usedBytes: 4_000_000 },
        ...{ calls: 15 * second, ms: 150 * second },
      },
    ],
  };
}
