/** The data folder of a server without the server: contents are put, and files that have them, as a server leaves it behind. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blake3 } from '@noble/hashes/blake3.js';
import { MemoryLog } from '../../app/lab/simulator/process/memory-log.ts';
import { World } from '../../app/lab/simulator/world.ts';
import { PackedContentStore } from '../../server/adapters/content-packs/content-packs.ts';
import { SqliteMetaStore } from '../../server/adapters/meta-sqlite/sqlite-meta-store.ts';
import { dataFolder, makeDataFolder, type DataFolder } from '../../server/data-folder.ts';
import { writeIdentity } from '../../server/identity-file.ts';
import { NativeHost } from '../../shared/transport/native-host.ts';
import { wallTime } from '../../shared/model/time.ts';
import type { Digest } from '../../shared/model/vnode.ts';
import { present } from '../../shared/util/assert.ts';
import { fidOf, FIRST, MetaScript, ROOT } from '../conformance/meta-script.ts';

const DAY_MS = 86_400_000;

/** A data folder with contents and files in it. */
export class DataFolderBench {
  /** The folder above the data folder, with space for others. */
  readonly root = mkdtempSync(join(tmpdir(), 'godwit-data-'));
  readonly folder: DataFolder = dataFolder(join(this.root, 'data'));
  #meta: SqliteMetaStore | null = null;
  #script: MetaScript | null = null;
  #store: PackedContentStore | null = null;
  #lastVnode = 1;

  static async open(server = 'f'.repeat(64)): Promise<DataFolderBench> {
    const bench = new DataFolderBench();
    makeDataFolder(bench.folder);
    const identity = { certificatePem: 'c', privateKeyPem: 'k', fingerprint: server };
    writeIdentity(bench.folder, identity, new NativeHost());
    const meta = new SqliteMetaStore(bench.folder.database);
    bench.#meta = meta;
    await meta.open(FIRST);
    bench.#script = await MetaScript.on(meta);
    await bench.openStore();
    return bench;
  }

  get store(): PackedContentStore {
    return present(this.#store, 'it is open');
  }

  /** Opens the store so that contents count as put some days ago. A pack ends when it exceeds `packBytes`. */
  async openStore(daysAgo = 0, packBytes?: number): Promise<void> {
    await this.closeStore();
    const wall = (): number => Date.now() - daysAgo * DAY_MS;
    const log = new MemoryLog(new World(1), 'server');
    const more = packBytes === undefined ? {} : { packBytes };
    this.#store = await PackedContentStore.open(this.folder.path, { log, wall, ...more });
  }

  async closeStore(): Promise<void> {
    await this.#store?.close();
    this.#store = null;
  }

  async put(bytes: Uint8Array): Promise<Digest> {
    const digest = Buffer.from(blake3(bytes)).toString('hex') as Digest;
    const path = join(this.folder.spool, 'spooled');
    writeFileSync(path, bytes);
    await this.store.put(path, digest);
    return digest;
  }

  /** Makes a file with this digest, stored some days ago. Returns its vnode number. */
  async name(digest: Digest, vnode = ++this.#lastVnode, daysAgo = 0): Promise<number> {
    const script = present(this.#script, 'it is open');
    const fid = fidOf(vnode);
    if (script.vnodes.get(fid) === undefined)
      await script.create(fid, ROOT, `file-${vnode}`).flush();
    script.store(fid, 1);
    const { status, entries } = present(script.vnodes.get(fid), 'it is there');
    const row = { status: { ...status, digest }, entries };
    script.vnodes.set(fid, row);
    const when = wallTime(Date.now() - daysAgo * DAY_MS);
    const writes = script.pending.splice(0).map((write) => {
      if (write.kind === 'log') return { ...write, when };
      return write.kind === 'vnode' && write.row.status.fid === fid ? { ...write, row } : write;
    });
    const content = { kind: 'content', digest, size: 1 } as const;
    await present(this.#meta, 'it is open').commit([...writes, content]);
    return vnode;
  }

  /** A new file with these contents. */
  async save(bytes: Uint8Array): Promise<Digest> {
    const digest = await this.put(bytes);
    await this.name(digest);
    return digest;
  }

  /** Flips one bit of the contents with this digest. */
  async spoil(digest: Digest): Promise<void> {
    const { path, offset } = present(await this.store.locate(digest), 'it is there');
    spoilAt(path, offset + 1);
  }

  async close(): Promise<void> {
    await this.closeStore();
    await this.#meta?.close();
    rmSync(this.root, { recursive: true });
  }
}

/** Flips a bit of a file. */
export function spoilAt(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}
