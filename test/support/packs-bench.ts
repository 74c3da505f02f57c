/** A packed content store on a folder of its own, which tests open again and again, and whose disk calls they can fail. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { digestOf } from '../../app/lab/simulator/disk/content-digest.ts';
import { MemoryLog } from '../../app/lab/simulator/process/memory-log.ts';
import { World } from '../../app/lab/simulator/world.ts';
import {
  PackedContentStore,
  type PackOptions,
} from '../../server/adapters/content-packs/content-packs.ts';
import type { Digest } from '../../shared/model/vnode.ts';
import { FaultyPackFiles } from './faulty-pack-files.ts';

/** A packed store with its folder. */
export class PacksBench {
  readonly folder = mkdtempSync(join(tmpdir(), 'godwit-packs-'));
  readonly log = new MemoryLog(new World(1), 'server');
  files = new FaultyPackFiles();
  now = 1000;
  readonly #opened: PackedContentStore[] = [];
  #spooled = 0;

  /** Opens the store as the next process does, with faultless `files`. */
  async open(options: Partial<PackOptions> = {}): Promise<PackedContentStore> {
    this.files = new FaultyPackFiles();
    return this.openOn(this.files, options);
  }

  async openOn(
    files: FaultyPackFiles,
    options: Partial<PackOptions> = {},
  ): Promise<PackedContentStore> {
    const wall = (): number => this.now;
    const store = await PackedContentStore.open(this.folder, {
      ...{ log: this.log, wall, files },
      ...options,
    });
    this.#opened.push(store);
    return store;
  }

  spool(bytes: Uint8Array): string {
    const path = join(this.folder, `spool-${this.#spooled++}`);
    writeFileSync(path, bytes);
    return path;
  }

  async put(
    store: PackedContentStore,
    bytes: Uint8Array,
    digest = digestOf(bytes),
  ): Promise<Digest> {
    await store.put(this.spool(bytes), digest);
    return digest;
  }

  async read(store: PackedContentStore, digest: Digest): Promise<Buffer | null> {
    const found = await store.locate(digest);
    if (found === null) return null;
    return readFileSync(found.path).subarray(found.offset, found.offset + found.length);
  }

  async end(): Promise<void> {
    for (const store of this.#opened) await store.close().catch(() => undefined);
    rmSync(this.folder, { recursive: true });
  }
}
