/** Addresses as people write them. */
import type { HostPort } from '../model/host-port.ts';
import { GodwitError } from '../wire/error-codes.ts';

/** Characters of a name in the DNS. */
const MOST_HOST = 255;

/** Where to listen: `HOST:PORT`, `[IPV6]:PORT`, `:PORT` and `PORT`; the host is `fallback` where it is left out. */
export function parseHostPort(text: string, fallback: string): HostPort {
  const match = /^(?:(\[[0-9a-fA-F:.%]+\]|[^\s:[\]]*):)?(\d{1,5})$/.exec(text);
  const port = Number(match?.[2] ?? NaN);
  if (match === null) throw new GodwitError('bad-address', `${text}: not an address`);
  if (port > 0xffff) throw new GodwitError('bad-address', `${text}: ports end at 65535`);
  const host = (match[1] ?? '').replace(/^\[|\]$/g, '');
  return { host: host === '' ? fallback : host, port };
}

/** Where a server answers: `HOST:PORT`, `[IPV6]:PORT`; without a port the given one. Throws GodwitError `bad-address`. */
export function parseAddress(text: string, port: number | null): HostPort {
  const match = /^(?:\[([^\s/\]]+)\]|([^\s/:[\]]+))(?::(\d{1,5}))?$/.exec(text);
  const host = match?.[1] ?? match?.[2] ?? '';
  const number = match?.[3] === undefined ? port : Number(match[3]);
  const isHost = host !== '' && host.length <= MOST_HOST;
  if (!isHost || number === null || number < 1 || number > 0xffff) {
    throw new GodwitError('bad-address', `${text}: no address of a server`);
  }
  return { host, port: number };
}
