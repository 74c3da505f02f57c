/** By which address laptops find a server: what a machine can guess of it, and what a person may say. */
import { isIPv4 } from 'node:net';
import { parseAddress } from '../../../shared/control/addresses.ts';
import type { HostPort } from '../../../shared/model/host-port.ts';
import { isHostOfInvitation } from '../../../shared/model/invitation.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';

export interface Guess {
  readonly host: string;
  /** Whether it means something in one's own network alone. */
  readonly isPrivate: boolean;
}

export interface Interface {
  readonly address: string;
  readonly family: string;
  readonly internal: boolean;
}

/** RFC 1918, shared address space of providers (RFC 6598), and link-local. */
const PRIVATE =
  /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|169\.254\.|127\.)/;
const NOWHERE = new Set(['0.0.0.0', '::', '::0']);

/** The machine's full name if it has one, else the first address that leads out; a public one goes first. */
export function guessAddress(name: string, interfaces: readonly Interface[]): Guess {
  if (
    /^[0-9a-z-]+(\.[0-9a-z-]+)+$/i.test(name) &&
    !/\.(local|localdomain|internal|lan)$/.test(name)
  ) {
    if (!isIPv4(name)) return { host: name, isPrivate: false };
  }
  const outward = interfaces
    .filter(({ internal, family }) => !internal && family === 'IPv4')
    .map(({ address }) => ({ host: address, isPrivate: PRIVATE.test(address) }));
  const found = outward.find(({ isPrivate }) => !isPrivate) ?? outward[0];
  return found ?? { host: '127.0.0.1', isPrivate: true };
}

/** `HOST` or `HOST:PORT`, as a person says it. Throws GodwitError `bad-address`. */
export function parsePublicAddress(text: string, port: number): HostPort {
  const address = parseAddress(text.trim(), port);
  if (NOWHERE.has(address.host)) {
    throw new GodwitError(
      'bad-address',
      `${address.host}: a server listens there, and nobody finds it there`,
      'give the name or the address of this machine',
    );
  }
  if (!isHostOfInvitation(address.host)) {
    throw new GodwitError(
      'bad-address',
      `${address.host}: an invitation can't name it`,
      'give a name in ASCII letters, such as xn--..., or an address',
    );
  }
  return address;
}
