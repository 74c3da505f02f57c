/** The mount's addon (native/), which is built apart from the other one: only who mounts needs it. */
import { createRequire } from 'node:module';
import { MOUNT_ADDON } from '../../../shared/system/fuse.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';

export interface NativeStatus {
  /** A fid, or what an operation of the log calls it. */
  readonly key: string;
  readonly kind: string;
  readonly mode: number;
  readonly mtime: string;
  readonly size: number;
  readonly version: number;
  readonly links: number;
  readonly target?: string;
  /** It stands at this mount point; its own key: nothing is shown there. */
  readonly mount?: string;
  readonly xattrs: ReadonlyArray<{ readonly name: string; readonly value: Uint8Array }>;
}

export interface NativeEntry {
  readonly name: string;
  readonly status: NativeStatus;
}

export interface NativeMountOptions {
  readonly path: string;
  readonly spool: string;
  readonly log: string;
  readonly root: NativeStatus;
  readonly seq: number;
  readonly firstFile: number;
  /** The volume of the root. */
  readonly readOnly: boolean;
  readonly allowOther: boolean;
  readonly autoUnmount: boolean;
  readonly patienceMs: number;
}

/** Numbers of mounts that are closed are ignored. `seq` is always the last operation of the log that an answer includes. */
export interface NativeMount {
  /** Throws where it can not be mounted. */
  mountOpen(options: NativeMountOptions, wake: () => void): number;
  /** Lines of JSON: see operations.ts. */
  mountTake(mount: number): string[];
  mountAnswerList(
    mount: number,
    ask: number,
    errno: number,
    entries: readonly NativeEntry[],
    seq: number,
  ): void;
  /** `presentMs`: for so long the contents at `path` are the present ones, if `mountBroken` is not called before; 0: that is not known. */
  mountAnswerOpen(
    mount: number,
    ask: number,
    errno: number,
    path: string | null,
    status: NativeStatus | null,
    seq: number,
    presentMs: number,
  ): void;
  mountBroken(mount: number): void;
  /** Of a volume of which nothing is said everything may be changed. `none`: it may not be seen any more. */
  mountRights(mount: number, volume: number, rights: 'write' | 'read' | 'none'): void;
  mountName(
    mount: number,
    dir: string,
    name: string,
    status: NativeStatus | null,
    seq: number,
  ): void;
  mountListing(mount: number, dir: string, entries: readonly NativeEntry[], seq: number): void;
  mountStatus(mount: number, status: NativeStatus, seq: number, own: boolean): void;
  mountIdentified(mount: number, key: string, fid: string): void;
  mountImported(mount: number, seq: number): void;
  mountStored(mount: number, key: string, seq: number): void;
  mountKnows(mount: number, fid: string, listed: boolean): boolean;
  mountSettle(mount: number): number;
  mountRotate(mount: number, seq: number): boolean;
  mountClose(mount: number): void;

  /** A table without the kernel, for tests. */
  tableOpen(root: NativeStatus, seq: number): number;
  tableDo(table: number, op: string, args: readonly string[]): number;
  tableTake(table: number): string[];
  tableListed(table: number, dir: string, entries: readonly NativeEntry[], seq: number): void;
  tableName(
    table: number,
    dir: string,
    name: string,
    status: NativeStatus | null,
    seq: number,
  ): void;
  tableRights(table: number, volume: number, rights: 'write' | 'read' | 'none'): void;
  tableIdentified(table: number, key: string, fid: string): void;
  tableDump(table: number): string[];
  tableClose(table: number): void;
}

/** Loads the addon of the mount. Throws GodwitError `folder-unusable` where it is not built. */
export function loadMount(): NativeMount {
  try {
    return createRequire(import.meta.url)(MOUNT_ADDON) as NativeMount;
  } catch {
    throw new GodwitError(
      'folder-unusable',
      'the part of Godwit that mounts is not built',
      'run `node build/mount-native.mjs` in the clone, or use `--front-end folder`',
    );
  }
}
