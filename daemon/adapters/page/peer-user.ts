/**
 * Whose program is at the other end of a connection on this machine. An address is seen by everybody while a browser is started with it, so
 * who has it first need not be the one it was meant for.
 *
 * Linux lists the connections of a network namespace with the user of each (proc(5), /proc/net/tcp). Elsewhere nobody tells.
 */
import { readFile } from 'node:fs/promises';

const TABLE = '/proc/net/tcp';
/** 127.0.0.1 as the kernel writes it: the bytes of the address, taken for a number of the machine. */
const HERE = ['0100007F', '7F000001'];

/** An end of a connection, as Node tells it. */
export interface Ends {
  /** The port here, and that of whoever is connected to it. */
  readonly localPort?: number | undefined;
  readonly remotePort?: number | undefined;
}

/** The number of the user; null: the system does not tell it, or there is no such connection any more. */
export async function peerUser({ localPort, remotePort }: Ends): Promise<number | null> {
  const table = await readFile(TABLE, 'latin1').catch(() => null);
  if (table === null || localPort === undefined || remotePort === undefined) return null;
  return userIn(table, remotePort, localPort);
}

/** Whose end it is that has the port `own` and is connected to `other`. */
export function userIn(table: string, own: number, other: number): number | null {
  const isHere = (end: string | undefined, port: number): boolean =>
    HERE.some((address) => end === `${address}:${hex(port)}`);
  for (const line of table.split('\n')) {
    const [, local, remote, , , , , user = ''] = line.trim().split(/\s+/);
    if (isHere(local, own) && isHere(remote, other) && /^\d+$/.test(user)) return Number(user);
  }
  return null;
}

const hex = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0');
