/** The address that an invitation leads to. */
import { networkInterfaces } from 'node:os';
import type { HostPort } from '../shared/model/host-port.ts';

const WILDCARDS = new Set(['0.0.0.0', '::', '']);

/** Where others find a server that listens on all of its interfaces: the first that leads out, or only itself. */
export function reachable(address: HostPort): HostPort {
  if (!WILDCARDS.has(address.host)) return address;
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const outward = all.find(({ internal, family }) => !internal && family === 'IPv4');
  return { host: outward?.address ?? '127.0.0.1', port: address.port };
}
