/** What each algorithm of cooperative caching fulfils, and what it counts. */
import { LOAD, type Hops, type Level } from './costs.ts';

export interface Access {
  readonly client: number;
  /** A block of 8 KB, a number of its own in the whole workload. */
  readonly block: number;
  readonly isWrite: boolean;
}

/** Sizes in blocks. */
export interface Room {
  readonly clients: number;
  readonly client: number;
  readonly server: number;
}

/**
 * An algorithm with all caches it manages. Writes go through to the server, and copies of others end (section 3:
 * write-through, write-invalidate).
 */
export interface CoopPolicy {
  readonly hops: Hops;
  /** Where it was found. */
  read(client: number, block: number): Level;
  write(client: number, block: number): void;
  /** Load units of the server since the beginning. */
  readonly load: Load;
}

/** What the server did, in load units (figure 6). */
export class Load {
  server = 0;
  remote = 0;
  disk = 0;
  other = 0;

  /** An access that the server answered from its memory, or from its disk. */
  answered(level: 'server' | 'disk'): void {
    if (level === 'server') this.server += LOAD.message + LOAD.block;
    else this.disk += LOAD.message + LOAD.block + LOAD.disk;
  }

  /** A request that went on to a client. */
  forwarded(): void {
    this.remote += 2 * LOAD.message;
  }

  get total(): number {
    return this.server + this.remote + this.disk + this.other;
  }
}
