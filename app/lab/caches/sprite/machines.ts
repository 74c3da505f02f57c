/**
 * Workstations with block caches, and the server that keeps them consistent (section 4.2): a version for each file, recall
 * from the last writer at the next open, and no caching while several have it open and one of them writes. Writes wait.
 */
import { LruList } from '../lru-list.ts';
import { MOST_BLOCKS, type Access } from './access.ts';

export interface MachineSettings {
  readonly clients: number;
  /** Blocks that each client's cache holds. */
  readonly blocks: number;
  /** Seconds that a block waits since it was written last; 0: sent at once. */
  readonly delay: number;
  /** False: nothing is done against stale blocks (table II). */
  readonly isConsistent: boolean;
}

/** All in blocks. */
export interface Traffic {
  /** By programs. */
  read: number;
  written: number;
  /** From and to the server. */
  fetched: number;
  sent: number;
  /** Of those sent: because somebody else had the file open, and because somebody else opened it next. */
  through: number;
  flushed: number;
  /** Of those sent: because the cache was full. */
  evicted: number;
  /** Never sent: written again, or removed with their file, before it was time. */
  overwritten: number;
  removed: number;
}

/** The server looks through the dirty blocks so often, or as often as the delay is over. Seconds. */
const SCAN = 30;

interface File {
  version: number;
  /** Who may have blocks that the server has not. */
  writer: number | null;
  size: number;
  /** By client: how often it has the file open to read and to write. */
  readonly readers: Map<number, number>;
  readonly writers: Map<number, number>;
  /** Nobody caches it until the last of them closes it. */
  isShared: boolean;
}

interface Client {
  readonly cache: LruList<true>;
  /** When each dirty block was written last, the oldest first. */
  readonly dirty: Map<number, number>;
  /** The version that its blocks of a file belong to. */
  readonly versions: Map<number, number>;
}

/** One network of clients. Accesses are given in the order of time. */
export class Machines {
  readonly traffic: Traffic = {
    read: 0,
    written: 0,
    fetched: 0,
    sent: 0,
    through: 0,
    flushed: 0,
    evicted: 0,
    overwritten: 0,
    removed: 0,
  };
  readonly #settings: MachineSettings;
  readonly #clients: readonly Client[];
  readonly #files = new Map<number, File>();
  readonly #period: number;
  #scanned = 0;

  constructor(settings: MachineSettings) {
    this.#settings = settings;
    this.#period = Math.min(SCAN, settings.delay);
    this.#clients = Array.from({ length: settings.clients }, () => ({
      cache: new LruList<true>(settings.blocks),
      dirty: new Map(),
      versions: new Map(),
    }));
  }

  take(access: Access): void {
    this.#scanUntil(access.at);
    const client = this.#clients[access.client] as Client;
    const file = this.#file(access.file);
    switch (access.does) {
      case 'open':
        return this.#open(client, file, access);
      case 'close':
        return close(file, access.client, access.isWriting);
      case 'read':
        return this.#read(client, file, keyOf(access.file, access.block));
      case 'write':
        return this.#write(client, file, access);
      case 'remove':
        return this.#remove(file, access.file);
    }
  }

  #file(id: number): File {
    const known = this.#files.get(id);
    if (known !== undefined) return known;
    const made: File = {
      version: 0,
      writer: null,
      size: 0,
      readers: new Map(),
      writers: new Map(),
      isShared: false,
    };
    this.#files.set(id, made);
    return made;
  }

  #open(client: Client, file: File, access: Extract<Access, { does: 'open' }>): void {
    const { client: who, file: id, isWriting } = access;
    count(isWriting ? file.writers : file.readers, who, 1);
    if (!this.#settings.isConsistent) return;
    if (file.writer !== null && file.writer !== who) this.#flush(file, id);
    if ((client.versions.get(id) ?? 0) !== file.version) this.#drop(client, file, id);
    if (isWriting) file.version += 1;
    client.versions.set(id, file.version);
    if (!file.isShared && isWriteShared(file)) this.#stopCaching(file, id);
  }

  /** Section 4.2: the server tells the writer to flush, and all who have it open to cache it no more. */
  #stopCaching(file: File, id: number): void {
    if (file.writer !== null) this.#flush(file, id);
    for (const who of [...file.readers.keys(), ...file.writers.keys()]) {
      this.#drop(this.#clients[who] as Client, file, id);
    }
    file.isShared = true;
  }

  #flush(file: File, id: number): void {
    const { dirty } = this.#clients[file.writer as number] as Client;
    for (let block = 0; block < file.size; block++) {
      if (dirty.delete(keyOf(id, block))) this.#send('flushed');
    }
    file.writer = null;
  }

  #drop({ cache }: Client, { size }: File, id: number): void {
    for (let block = 0; block < size; block++) cache.delete(keyOf(id, block));
  }

  #read(client: Client, file: File, key: number): void {
    this.traffic.read += 1;
    if (file.isShared) this.traffic.fetched += 1;
    else if (!client.cache.use(key)) {
      this.traffic.fetched += 1;
      this.#keep(client, key);
    }
  }

  #write(client: Client, file: File, access: Extract<Access, { block: number }>): void {
    const { at, client: who, file: id, block } = access;
    const key = keyOf(id, block);
    this.traffic.written += 1;
    file.size = Math.max(file.size, block + 1);
    if (file.isShared) return this.#send('through');
    if (client.dirty.delete(key)) this.traffic.overwritten += 1;
    this.#keep(client, key);
    if (this.#settings.delay === 0 || !client.cache.has(key)) return this.#send(null);
    client.dirty.set(key, at);
    file.writer = who;
  }

  /** Puts it in as the one that was used last, and sends what it takes the place of. */
  #keep({ cache, dirty }: Client, key: number): void {
    if (cache.capacity === 0) return;
    if (!cache.has(key) && cache.isFull) {
      const oldest = cache.evict() as number;
      if (dirty.delete(oldest)) this.#send('evicted');
    }
    cache.put(key, true);
  }

  /** No name leads to it any more, so nothing of it needs to be sent. */
  #remove(file: File, id: number): void {
    for (const { cache, dirty, versions } of this.#clients) {
      if (!versions.delete(id) && this.#settings.isConsistent) continue;
      for (let block = 0; block < file.size; block++) {
        const key = keyOf(id, block);
        cache.delete(key);
        if (dirty.delete(key)) this.traffic.removed += 1;
      }
    }
    this.#files.delete(id);
  }

  #scanUntil(now: number): void {
    if (this.#period === 0) return;
    for (; this.#scanned + this.#period <= now; this.#scanned += this.#period) {
      const before = this.#scanned + this.#period - this.#settings.delay;
      for (const { dirty } of this.#clients) this.#sendOld(dirty, before);
    }
  }

  #sendOld(dirty: Map<number, number>, before: number): void {
    for (const [key, at] of dirty) {
      if (at > before) return;
      dirty.delete(key);
      this.#send(null);
    }
  }

  #send(why: 'through' | 'flushed' | 'evicted' | null): void {
    this.traffic.sent += 1;
    if (why !== null) this.traffic[why] += 1;
  }
}

const keyOf = (file: number, block: number): number => file * MOST_BLOCKS + block;

function count(opens: Map<number, number>, client: number, by: number): void {
  const now = (opens.get(client) ?? 0) + by;
  if (now <= 0) opens.delete(client);
  else opens.set(client, now);
}

function isWriteShared({ readers, writers }: File): boolean {
  return writers.size > 0 && new Set([...readers.keys(), ...writers.keys()]).size > 1;
}

function close(file: File, client: number, isWriting: boolean): void {
  count(isWriting ? file.writers : file.readers, client, -1);
  if (file.readers.size + file.writers.size === 0) file.isShared = false;
}
