/**
 * The algorithms whose clients manage their caches by themselves: none at all (the base), direct cooperation with a
 * remote cache for each client (section 2.1), and greedy forwarding (section 2.2).
 */
import { LruList } from '../lru-list.ts';
import { answer, type Answering } from './answer.ts';
import { LOAD, type Hops, type Level } from './costs.ts';
import { Holders } from './holders.ts';
import { Load, type CoopPolicy, type Room } from './policy.ts';
import { ServerCache } from './server-cache.ts';

export interface PlainSettings {
  /** Blocks of remote memory that each client has for itself; 0 for none. */
  readonly remote: number;
  /** Whether the server forwards to a client that has the block. */
  readonly forwards: boolean;
}

export class PlainPolicy implements CoopPolicy {
  readonly hops: Hops;
  readonly load = new Load();
  readonly #forwards: boolean;
  readonly #local: ReadonlyArray<LruList<true>>;
  readonly #remote: ReadonlyArray<LruList<true>>;
  readonly #holders = new Holders();
  readonly #answering: Answering;

  constructor({ clients, client, server }: Room, { remote, forwards }: PlainSettings) {
    // A client asks its own remote cache directly; a forwarded request passes the server.
    this.hops = { remote: forwards ? 3 : 2, server: 2 };
    this.#forwards = forwards;
    this.#local = Array.from({ length: clients }, () => new LruList<true>(client));
    this.#remote = Array.from({ length: clients }, () => new LruList<true>(remote));
    this.#answering = { server: new ServerCache(server), holders: this.#holders, load: this.load };
  }

  read(client: number, block: number): Level {
    if (this.#localOf(client).use(block)) return 'local';
    const level = this.#elsewhere(client, block);
    this.#keep(client, block);
    return level;
  }

  write(client: number, block: number): void {
    this.#answering.server.add(block);
    for (const holder of this.#holders.all(block)) {
      if (holder === client) continue;
      this.load.other += LOAD.message;
      this.#localOf(holder).delete(block);
      this.#remote[holder]?.delete(block);
      this.#holders.remove(block, holder);
    }
    this.#remote[client]?.delete(block);
    this.#keep(client, block);
  }

  #localOf(client: number): LruList<true> {
    return this.#local[client] as LruList<true>;
  }

  #elsewhere(client: number, block: number): Level {
    if (this.#remote[client]?.delete(block) === true) return 'remote';
    return answer(this.#answering, client, block, this.#forwards);
  }

  #keep(client: number, block: number): void {
    const local = this.#localOf(client);
    if (local.use(block)) return;
    if (local.isFull) this.#overflow(client, local.evict());
    if (local.isFull) return;
    local.put(block, true);
    this.#holders.add(block, client);
  }

  #overflow(client: number, victim: number | undefined): void {
    if (victim === undefined) return;
    const remote = this.#remote[client];
    if (remote === undefined || remote.capacity === 0) {
      this.#holders.remove(victim, client);
      return;
    }
    const dropped = remote.isFull ? remote.evict() : undefined;
    remote.put(victim, true);
    if (dropped !== undefined) this.#holders.remove(dropped, client);
  }
}
