/**
 * The algorithms that give part of each client's cache to all: centrally coordinated (section 2.3), hash-distributed
 * (section 2.5), and the best case, which nobody can build (section 3: each client's whole memory for itself and again
 * for all).
 */
import { LruList } from '../lru-list.ts';
import { LOAD, type Hops, type Level } from './costs.ts';
import { Holders } from './holders.ts';
import { Load, type CoopPolicy, type Room } from './policy.ts';
import { ServerCache } from './server-cache.ts';

export interface CentralSettings {
  /** Of each client's cache, for all; 0 to 1. */
  readonly shared: number;
  /** Each client keeps its whole cache for itself besides: the best case. */
  readonly isDoubled?: boolean;
  /** The block's number says which client has it, and clients ask that one first. */
  readonly isHashed?: boolean;
}

export class CentralPolicy implements CoopPolicy {
  readonly hops: Hops;
  readonly load = new Load();
  readonly #isHashed: boolean;
  readonly #local: ReadonlyArray<LruList<true>>;
  /** One list of the server over all clients; or one of each client, by hash. */
  readonly #global: ReadonlyArray<LruList<true>>;
  readonly #server: ServerCache;
  readonly #holders = new Holders();

  constructor({ clients, client, server }: Room, settings: CentralSettings) {
    const given = Math.round(client * settings.shared);
    const own = settings.isDoubled === true ? client : client - given;
    this.#isHashed = settings.isHashed === true;
    // A client that holds a part by hash passes on what it does not have: one message more to the server.
    this.hops = this.#isHashed ? { remote: 2, server: 3 } : { remote: 3, server: 2 };
    this.#local = Array.from({ length: clients }, () => new LruList<true>(own));
    this.#global = this.#isHashed
      ? Array.from({ length: clients }, () => new LruList<true>(given))
      : [new LruList<true>(given * clients)];
    this.#server = new ServerCache(server, (victim) => {
      this.#give(victim);
    });
  }

  read(client: number, block: number): Level {
    const local = this.#local[client] as LruList<true>;
    if (local.use(block)) return 'local';
    const level = this.#elsewhere(block);
    this.#keep(client, block);
    return level;
  }

  write(client: number, block: number): void {
    this.#server.add(block);
    if (this.#part(block).delete(block)) this.load.other += LOAD.message;
    for (const holder of this.#holders.all(block)) {
      if (holder === client) continue;
      this.load.other += LOAD.message;
      this.#local[holder]?.delete(block);
      this.#holders.remove(block, holder);
    }
    this.#keep(client, block);
  }

  #part(block: number): LruList<true> {
    const at = this.#isHashed ? Math.imul(block, 0x9e37_79b1) >>> 0 : 0;
    return this.#global[at % this.#global.length] as LruList<true>;
  }

  #elsewhere(block: number): Level {
    if (this.#isHashed && this.#part(block).use(block)) return 'remote';
    if (this.#server.use(block)) {
      this.load.answered('server');
      return 'server';
    }
    if (!this.#isHashed && this.#part(block).use(block)) {
      this.load.forwarded();
      return 'remote';
    }
    this.load.answered('disk');
    this.#server.add(block);
    return 'disk';
  }

  /** What the server has no room for goes to the memory of all. */
  #give(victim: number): void {
    const part = this.#part(victim);
    if (part.capacity === 0) return;
    this.load.other += LOAD.block;
    if (part.use(victim)) return;
    if (part.isFull) part.evict();
    part.put(victim, true);
  }

  #keep(client: number, block: number): void {
    const local = this.#local[client] as LruList<true>;
    if (local.use(block) || local.capacity === 0) return;
    const victim = local.isFull ? local.evict() : undefined;
    if (victim !== undefined) this.#holders.remove(victim, client);
    local.put(block, true);
    this.#holders.add(block, client);
  }
}
