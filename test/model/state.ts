/**
 * The state of the modelled world: plain data, so that it can be copied, compared and told.
 *
 * Time is left out. A lease is held or it has run out, and the client's runs out before the server's does, because the client
 * counts from sending and the server from replying. Contents are the number of the save that wrote them; 0 was
 * there at the start.
 */
import type { Content, Mark, Update } from './update.ts';
import type { AnswerBody, Network } from './network.ts';

export interface Entry {
  version: number;
  epoch: number;
  content: Content;
  /** The number of the promise; 0 is none. */
  grant: number;
  unshared: boolean;
  /** After a conflict: the version that won, below which no answer is taken. */
  least: number;
}

/** An open request for something. `floor` is of the checks: how many commits the answer must know of. */
export interface Ask {
  x: string;
  broken: number;
  pulled: number;
  floor: number;
}

export interface Client {
  device: number;
  here: boolean;
  asleep: boolean;
  conn: 'none' | 'hello' | 'open';
  leased: boolean;
  paused: boolean;
  // Durable:
  log: Update[];
  nextSeq: number;
  token: number;
  tried: number[];
  epoch: number;
  cache: Record<string, Entry>;
  // Volatile:
  asks: Ask[];
  /** Losing sides that are not copied yet; only without rule C1. */
  copies: Update[];
  /** Of the checks: the highest version that somebody here was shown. */
  seen: Record<string, number>;
}

export interface Thing {
  version: number;
  content: Content;
}

/** What the server has on disk. */
export interface Durable {
  epoch: number;
  things: Record<string, Thing>;
  /** What each version was made by, and for directories what it held. */
  history: Record<string, { uid: number; content: Content }[]>;
  dirty: Mark[];
  /** `device/sequence`, and which update that was. */
  applied: Record<string, number>;
  tokens: Record<string, number>;
  leaseRows: number[];
  /** The versions at which this epoch left the one before. */
  fork: Record<string, number> | null;
}

export interface BreakSent {
  device: number;
  x: string;
  upTo: number;
  /** A server pull: it ends "unshared" and not the promise. */
  pull: boolean;
  /** The lease has run out meanwhile: nobody waits for it, and the device owes the acknowledgement. */
  owed: boolean;
}

export interface Server {
  disk: Durable;
  // Volatile:
  /** After a restart: the devices whose leases may still run; 'all' is a wait that only time ends. */
  waiting: number[] | 'all' | null;
  promises: { device: number; x: string; n: number }[];
  grants: Record<string, number>;
  leases: Record<string, boolean>;
  unshared: Record<string, number>;
  conns: Record<string, number>;
  /** Which client said Hello last as a device: with a copied data folder there can be two. */
  spoke: Record<string, number>;
  breaks: BreakSent[];
  answers: { client: number; seq: number; uid: number; x: string; body: AnswerBody }[];
  asks: { client: number; device: number; x: string }[];
  incoming: { client: number; device: number; update: Update }[];
  /** Marks of a server that forgets them when it restarts; only without rule P3. */
  softMarks: Mark[];
}

/** What the checks remember of an update. */
export interface Fact {
  uid: number;
  client: number;
  device: number;
  seq: number;
  x: string;
  file: string;
  op: Update['op'];
  /** The contents that the application saw when it saved. */
  parent: number;
  fate: 'logged' | 'committed' | 'conflict' | 'refused' | 'vanished' | 'cancelled' | 'again';
  told: boolean;
  /** The server was told of it. */
  announced: boolean;
  times: number;
}

export interface Ghost {
  facts: Fact[];
  /** Contents that only a lost history had. */
  lost: number[];
  tokens: number;
}

export interface Left {
  operations: number[];
  opens: number[];
  cut: number;
  connect: number;
  lapse: number;
  crash: number;
  restart: number;
  restore: number;
  sleep: number;
  copy: number;
  resume: number;
}

export interface State {
  clients: Client[];
  server: Server;
  net: Network;
  ghost: Ghost;
  left: Left;
}

export const PEOPLE = ['ada', 'bob', 'cyd'] as const;

export function nameOf(client: number): string {
  return PEOPLE[client] ?? `client ${client}`;
}

/** A copy that shares nothing. The state is a tree of arrays and plain objects. */
export function copyOf<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const list: unknown[] = new Array(value.length);
    for (let i = 0; i < value.length; i++) list[i] = copyOf(value[i] as unknown);
    return list as T;
  }
  const record: Record<string, unknown> = {};
  for (const key in value) record[key] = copyOf((value as Record<string, unknown>)[key]);
  return record as T;
}

/** Sets a key of a record whose keys stay sorted, so that equal states are written equally. */
export function put<T>(record: Record<string, T>, key: string, value: T): void {
  if (key in record) {
    record[key] = value;
    return;
  }
  const later = Object.keys(record).filter((other) => other > key);
  const moved = later.sort().map((other): [string, T] => [other, record[other] as T]);
  for (const [other] of moved) delete record[other];
  record[key] = value;
  for (const [other, kept] of moved) record[other] = kept;
}
