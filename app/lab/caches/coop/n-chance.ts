/**
 * N-Chance Forwarding (section 2.4): a block that nobody else has is not dropped. It goes to a random client, n times
 * at most if nobody uses it, and takes the place of a block there that others have too.
 */
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import { LruList } from '../lru-list.ts';
import { answer, type Answering } from './answer.ts';
import { LOAD, type Level } from './costs.ts';
import { Holders } from './holders.ts';
import { Oldest } from './oldest.ts';
import { Load, type CoopPolicy, type Room } from './policy.ts';
import { ServerCache } from './server-cache.ts';

interface Copy {
  usedAt: number;
  /** How often it may still go on; 0 for a block that its client uses itself. */
  chances: number;
  /** That no other client has it is known without asking. */
  isSinglet: boolean;
}

export interface NChanceSettings {
  /** The paper's n; 0 is greedy forwarding. */
  readonly n: number;
  /** Of two random clients, the one that has been idle longer (an enhancement that section 2.4 names). */
  readonly prefersIdle?: boolean;
}

export class NChancePolicy implements CoopPolicy {
  readonly hops = { remote: 3, server: 2 };
  readonly load = new Load();
  readonly #n: number;
  readonly #prefersIdle: boolean;
  readonly #random: SeededRandom;
  readonly #clients: readonly Client[];
  readonly #holders = new Holders();
  readonly #answering: Answering;
  #now = 0;

  constructor({ clients, client, server }: Room, settings: NChanceSettings, random: SeededRandom) {
    this.#n = settings.n;
    this.#prefersIdle = settings.prefersIdle === true;
    this.#random = random;
    this.#clients = Array.from({ length: clients }, () => new Client(client));
    this.#answering = { server: new ServerCache(server), holders: this.#holders, load: this.load };
  }

  read(client: number, block: number): Level {
    const cache = this.#begin(client);
    if (cache.use(block, this.#now)) return 'local';
    const level = answer(this.#answering, client, block);
    this.#endRecirculation(block);
    this.#keep(client, block);
    return level;
  }

  write(client: number, block: number): void {
    const cache = this.#begin(client);
    this.#answering.server.add(block);
    for (const holder of this.#holders.all(block)) {
      if (holder === client) continue;
      this.load.other += LOAD.message;
      this.#drop(holder, block);
    }
    if (!cache.use(block, this.#now)) this.#keep(client, block);
  }

  #begin(client: number): Client {
    this.#now++;
    const cache = this.#at(client);
    cache.activeAt = this.#now;
    return cache;
  }

  #at(client: number): Client {
    return this.#clients[client] as Client;
  }

  /** Somebody uses it: who kept it for all drops it, and who has it for itself no longer knows that it is the only one. */
  #endRecirculation(block: number): void {
    for (const holder of this.#holders.all(block)) {
      if (this.#at(holder).isRecirculating(block)) this.#drop(holder, block);
      else this.#at(holder).shared(block);
    }
  }

  #drop(holder: number, block: number): void {
    this.#at(holder).remove(block);
    this.#holders.remove(block, holder);
  }

  #keep(client: number, block: number): void {
    const cache = this.#at(client);
    if (cache.isFull) this.#makeRoom(client);
    if (cache.isFull) return;
    cache.add(block, { usedAt: this.#now, chances: 0, isSinglet: false });
    this.#holders.add(block, client);
  }

  #makeRoom(client: number): void {
    const cache = this.#at(client);
    const victim = cache.oldest();
    if (victim === undefined) return;
    const { chances, isSinglet } = cache.copy(victim) as Copy;
    const left = chances > 0 ? chances - 1 : this.#chancesOf(victim, isSinglet);
    this.#drop(client, victim);
    if (left > 0) this.#forward(client, victim, left);
  }

  /** Asks the server where it is not known whether another client has the block. */
  #chancesOf(block: number, isSinglet: boolean): number {
    if (this.#n === 0) return 0;
    if (!isSinglet) this.load.other += 2 * LOAD.message;
    return this.#holders.count(block) === 1 ? this.#n : 0;
  }

  #forward(from: number, block: number, chances: number): void {
    const to = this.#peer(from);
    if (to === undefined || !this.#makeRoomForOthers(to)) return;
    this.#at(to).add(block, { usedAt: this.#now, chances, isSinglet: true });
    this.#holders.add(block, to);
  }

  /** Who receives a block of another's may not send one on: no ripple. */
  #makeRoomForOthers(client: number): boolean {
    const cache = this.#at(client);
    if (!cache.isFull) return true;
    const isSinglet = (block: number): boolean => {
      this.load.other += 2 * LOAD.message;
      return this.#holders.count(block) === 1;
    };
    const victim = cache.oldestDuplicate(isSinglet) ?? cache.fewestChances();
    if (victim !== undefined) this.#drop(client, victim);
    return !cache.isFull;
  }

  #peer(not: number): number | undefined {
    const others = this.#clients.length - 1;
    if (others === 0) return undefined;
    const other = (): number => {
      const drawn = this.#random.below(others);
      return drawn < not ? drawn : drawn + 1;
    };
    const first = other();
    if (!this.#prefersIdle) return first;
    const second = other();
    return this.#at(first).activeAt <= this.#at(second).activeAt ? first : second;
  }
}

/** The cache of one client. */
class Client {
  activeAt = 0;
  readonly #copies: LruList<Copy>;
  /** Those that others may have too. */
  readonly #unknown = new Oldest((block) => {
    const copy = this.#copies.peek(block);
    return copy === undefined || copy.isSinglet ? undefined : copy.usedAt;
  });
  /** Those it keeps for all, by what they have left: in the order in which they came, for use takes them out. */
  readonly #recirculating = new Map<number, Set<number>>();

  constructor(size: number) {
    this.#copies = new LruList(size);
  }

  get isFull(): boolean {
    return this.#copies.isFull;
  }

  copy(block: number): Copy | undefined {
    return this.#copies.peek(block);
  }

  isRecirculating(block: number): boolean {
    return (this.#copies.peek(block)?.chances ?? 0) > 0;
  }

  /** True if it is here; its chances begin anew. */
  use(block: number, now: number): boolean {
    const copy = this.#copies.peek(block);
    if (copy === undefined) return false;
    this.#recirculating.get(copy.chances)?.delete(block);
    copy.chances = 0;
    copy.usedAt = now;
    this.#copies.put(block, copy);
    return true;
  }

  add(block: number, copy: Copy): void {
    this.#copies.put(block, copy);
    if (!copy.isSinglet) this.#unknown.add(block, copy.usedAt);
    if (copy.chances === 0) return;
    const those = this.#recirculating.get(copy.chances) ?? new Set();
    this.#recirculating.set(copy.chances, those.add(block));
  }

  /** Another client has it too from now on. */
  shared(block: number): void {
    const copy = this.#copies.peek(block);
    if (copy?.isSinglet !== true) return;
    copy.isSinglet = false;
    this.#unknown.add(block, copy.usedAt);
  }

  remove(block: number): void {
    const copy = this.#copies.peek(block);
    if (copy === undefined) return;
    this.#recirculating.get(copy.chances)?.delete(block);
    this.#copies.delete(block);
  }

  oldest(): number | undefined {
    return this.#copies.oldest();
  }

  /** What turns out to be the only copy on the way is marked as such, and not asked for again. */
  oldestDuplicate(isSinglet: (block: number) => boolean): number | undefined {
    for (let top = this.#unknown.peek(); top !== undefined; top = this.#unknown.peek()) {
      if (!isSinglet(top.block)) return top.block;
      (this.#copies.peek(top.block) as Copy).isSinglet = true;
    }
    return undefined;
  }

  fewestChances(): number | undefined {
    for (const chances of [...this.#recirculating.keys()].sort((a, b) => a - b)) {
      const [first] = this.#recirculating.get(chances) as Set<number>;
      if (first !== undefined) return first;
    }
    return undefined;
  }
}
