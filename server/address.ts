/** Addresses as people write them, and the one that an invitation leads to. */
import { networkInterfaces } from 'node:os';
import { GodwitError } from '../shared/wire/error-codes.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
}

const WILDCARDS = new Set(['0.0.0.0', '::', '']);

/** `HOST:PORT`, `[IPV6]:PORT`; without a port the given one. Throws GodwitError `bad-address`. */
export function parseAddress(text: string, port: number | null): Address {
  const match = /^(?:\[([^\s/\]]+)\]|([^\s/:[\]]+))(?::(\d{1,5}))?$/.exec(text);
  const host = match?.[1] ?? match?.[2];
  const number = match?.[3] === undefined ? port : Number(match[3]);
  if (host === undefined || number === null || number < 1 || number > 0xffff) {
    throw new GodwitError('bad-address', `${text} is no address`);
  }
  return { host, port: number };
}

export function formatAddress({ host, port }: Address): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Where others find a server that listens on all of its interfaces: the first that leads out, or only itself. */
export function reachable(address: Address): Address {
  if (!WILDCARDS.has(address.host)) return address;
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const outward = all.find(({ internal, family }) => !internal && family === 'IPv4');
  return { host: outward?.address ?? '127.0.0.1', port: address.port };
}
