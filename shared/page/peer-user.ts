/**
 * Whose program is at the other end of a connection on this machine. An address is seen by everybody while a browser is started with it, so
 * who has it first need not be the one it was meant for.
 *
 * Linux lists the connections of a network namespace with the user of each (proc(5), /proc/net/tcp). A socket of the newer family that is
 * connected to an address of the older one stands in the other list. A program may choose the address that it comes from.
 */
import { readFile } from 'node:fs/promises';

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'] as const;
/** The kernel may pass over a line of a table that changes while it is read. */
const ATTEMPTS = 3;

/** An end of a connection, as Node.js reports it. */
export interface Ends {
  /** The local address and port, and those of the peer. */
  readonly localAddress?: string | undefined;
  readonly localPort?: number | undefined;
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
}

/** The number of the user; null: the system does not tell it, or there is no such connection any more. */
export async function peerUser(ends: Ends): Promise<number | null> {
  const own = endOf(ends.remoteAddress, ends.remotePort);
  const other = endOf(ends.localAddress, ends.localPort);
  if (own === null || other === null) return null;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    for (const name of TABLES) {
      const table = await readFile(name, 'latin1').catch(() => '');
      const user = userIn(table, own, other);
      if (user !== null) return user;
    }
  }
  return null;
}

/** An end as a table may have it. */
export type End = readonly string[];

/** Whose end it is that is `own` and is connected to `other`. */
export function userIn(table: string, own: End, other: End): number | null {
  for (const line of table.split('\n')) {
    const [, local = '', remote = '', , , , , user = ''] = line.trim().split(/\s+/);
    if (own.includes(local) && other.includes(remote) && /^\d+$/.test(user)) return Number(user);
  }
  return null;
}

/**
 * The kernel writes each four bytes of an address as a number of the machine, whichever byte that has first. Null: no IPv4 address, or no port.
 */
export function endOf(address: string | undefined, port: number | undefined): End | null {
  const match = /^(?:::ffff:)?(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(address ?? '');
  if (match === null || port === undefined) return null;
  const bytes = match.slice(1).map((byte) => hex(Number(byte), 2));
  const [high, low] = [bytes.join(''), [...bytes].reverse().join('')];
  const addresses = [low, high, `${MAPPED_LOW}${low}`, `${MAPPED_HIGH}${high}`];
  return addresses.map((each) => `${each}:${hex(port, 4)}`);
}

/** Before an IPv4 address that is written as one of IPv6 (::ffff:0:0/96). */
const MAPPED_LOW = '0000000000000000FFFF0000';
const MAPPED_HIGH = '00000000000000000000FFFF';

const hex = (value: number, digits: number): string =>
  value.toString(16).toUpperCase().padStart(digits, '0');
