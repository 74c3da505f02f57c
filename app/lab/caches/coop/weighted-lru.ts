/**
 * Weighted LRU (section 2.5): what goes is the copy of all clients whose worth, what it would cost to have it again, is
 * least for the time since its last use. Where that is another client's, the worst of one's own moves there.
 */
import { answer, type Answering } from './answer.ts';
import { LOAD, timeAt, type CostTable, type Level } from './costs.ts';
import { Holders } from './holders.ts';
import { Oldest } from './oldest.ts';
import { Load, type CoopPolicy, type Room } from './policy.ts';
import { ServerCache } from './server-cache.ts';

interface Worst {
  readonly client: number;
  readonly block: number;
  /** Microseconds lost for each access since it was used. */
  readonly ratio: number;
}

export class WeightedLruPolicy implements CoopPolicy {
  readonly hops = { remote: 3, server: 2 };
  readonly load = new Load();
  readonly #clients: readonly Copies[];
  readonly #holders = new Holders();
  readonly #answering: Answering;
  readonly #worth: { readonly duplicate: number; readonly singlet: number };
  #now = 0;

  constructor({ clients, client, server }: Room, costs: CostTable) {
    this.#worth = {
      duplicate: timeAt('remote', this.hops, costs) - costs.local,
      singlet: timeAt('disk', this.hops, costs) - costs.local,
    };
    const isSinglet = (block: number): boolean => this.#holders.count(block) === 1;
    this.#clients = Array.from({ length: clients }, () => new Copies(client, isSinglet));
    this.#answering = { server: new ServerCache(server), holders: this.#holders, load: this.load };
  }

  read(client: number, block: number): Level {
    this.#now++;
    if (this.#at(client).use(block, this.#now)) return 'local';
    const level = answer(this.#answering, client, block);
    this.#keep(client, block);
    return level;
  }

  write(client: number, block: number): void {
    this.#now++;
    this.#answering.server.add(block);
    for (const holder of this.#holders.all(block)) {
      if (holder === client) continue;
      this.load.other += LOAD.message;
      this.#drop(holder, block);
    }
    if (!this.#at(client).use(block, this.#now)) this.#keep(client, block);
  }

  #at(client: number): Copies {
    return this.#clients[client] as Copies;
  }

  #keep(client: number, block: number): void {
    const cache = this.#at(client);
    if (cache.isFull) this.#makeRoom(client);
    if (!cache.isFull) this.#add(client, block, this.#now);
  }

  #add(client: number, block: number, usedAt: number): void {
    this.#holders.add(block, client);
    this.#at(client).add(block, usedAt);
    for (const holder of this.#holders.all(block)) this.#at(holder).file(block);
  }

  #drop(client: number, block: number): void {
    this.#holders.remove(block, client);
    this.#at(client).remove(block);
    for (const holder of this.#holders.all(block)) this.#at(holder).file(block);
  }

  /** Who has the worst of all is asked of the server: a message there and back. */
  #makeRoom(client: number): void {
    const own = this.#worstOf(client);
    if (own === undefined) return;
    this.load.other += 2 * LOAD.message;
    let worst = own;
    for (let other = 0; other < this.#clients.length; other++) {
      const theirs = other === client ? undefined : this.#worstOf(other);
      if (theirs !== undefined && theirs.ratio < worst.ratio) worst = theirs;
    }
    const usedAt = this.#at(client).usedAt(own.block) as number;
    this.#drop(client, own.block);
    if (worst.client === client || this.#holders.has(own.block, worst.client)) return;
    if (this.#at(worst.client).isFull) this.#drop(worst.client, worst.block);
    this.#add(worst.client, own.block, usedAt);
  }

  /** Of one client. Room that nobody uses is worth nothing. */
  #worstOf(client: number): Worst | undefined {
    const cache = this.#at(client);
    if (!cache.isFull) return { client, block: -1, ratio: 0 };
    const [duplicate, singlet] = [cache.oldest('duplicate'), cache.oldest('singlet')].map(
      (top, kind) =>
        top === undefined
          ? undefined
          : {
              client,
              block: top.block,
              ratio:
                (kind === 0 ? this.#worth.duplicate : this.#worth.singlet) / this.#since(top.at),
            },
    );
    if (duplicate === undefined || singlet === undefined) return duplicate ?? singlet;
    return duplicate.ratio <= singlet.ratio ? duplicate : singlet;
  }

  #since(at: number): number {
    return Math.max(1, this.#now - at);
  }
}

/** The cache of one client. */
class Copies {
  readonly #size: number;
  readonly #usedAt = new Map<number, number>();
  readonly #isSinglet: (block: number) => boolean;
  readonly #kinds: { readonly duplicate: Oldest; readonly singlet: Oldest };

  constructor(size: number, isSinglet: (block: number) => boolean) {
    this.#size = size;
    this.#isSinglet = isSinglet;
    const kind = (singlet: boolean): Oldest =>
      new Oldest((block) => (isSinglet(block) === singlet ? this.#usedAt.get(block) : undefined));
    this.#kinds = { duplicate: kind(false), singlet: kind(true) };
  }

  get isFull(): boolean {
    return this.#usedAt.size >= this.#size;
  }

  usedAt(block: number): number | undefined {
    return this.#usedAt.get(block);
  }

  use(block: number, now: number): boolean {
    if (!this.#usedAt.has(block)) return false;
    this.#usedAt.set(block, now);
    return true;
  }

  add(block: number, usedAt: number): void {
    this.#usedAt.set(block, usedAt);
  }

  remove(block: number): void {
    this.#usedAt.delete(block);
  }

  /** Puts it with its kind, which depends on what other clients have. */
  file(block: number): void {
    const usedAt = this.#usedAt.get(block);
    if (usedAt === undefined) return;
    const kind = this.#isSinglet(block) ? this.#kinds.singlet : this.#kinds.duplicate;
    kind.add(block, usedAt);
  }

  oldest(
    kind: 'duplicate' | 'singlet',
  ): { readonly block: number; readonly at: number } | undefined {
    return this.#kinds[kind].peek();
  }
}
