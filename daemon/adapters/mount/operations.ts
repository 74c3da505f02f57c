/** What the mount's addon tells: operations of programs, as they stand in its log, and questions. */
import type { Fid } from '../../../shared/model/fid.ts';
import type { Attributes } from '../../../shared/ports/file-system.ts';
import {
  dataVersion,
  type DataVersion,
  type Digest,
  type VnodeStatus,
  type Xattr,
} from '../../../shared/model/vnode.ts';
import type { NativeStatus } from './native-mount.ts';

interface Numbered {
  readonly seq: number;
}

/** What names a vnode: its fid, or `L` with the number of the operation that made it. */
export type Key = string;

interface InDirectory extends Numbered {
  readonly dir: Key;
  readonly name: string;
  readonly key: Key;
}

interface OverVersion {
  /** Its version counts a store of this mount: the core has given that a number of its own. */
  readonly own?: true;
}

interface Ending extends OverVersion {
  /** The vnode that loses the name has no other one. */
  readonly last?: true;
}

export type Operation =
  | (InDirectory & {
      readonly op: 'create' | 'mkdir';
      readonly mode: number;
      readonly mtime: string;
    })
  | (InDirectory & { readonly op: 'symlink'; readonly target: string; readonly mtime: string })
  | (InDirectory & { readonly op: 'link'; readonly at: string })
  | (InDirectory & {
      readonly op: 'remove';
      readonly version: number;
      readonly at: string;
    } & Ending)
  | (InDirectory & { readonly op: 'rmdir'; readonly at: string })
  | (InDirectory &
      Ending & {
        readonly op: 'rename';
        readonly toDir: Key;
        readonly toName: string;
        readonly at: string;
        /** What it replaced. */
        readonly over?: Key;
        readonly version?: number;
      })
  | (Numbered & {
      readonly op: 'setattr';
      readonly key: Key;
      readonly mode?: number;
      readonly mtime?: string;
      /** Names with `user.`, values in hex. */
      readonly xattrs?: ReadonlyArray<readonly [string, string]>;
    })
  | Contents;

/** `writing`: this file is about to be written. `store`: it was, and is the contents from now on. */
export type Contents = Numbered &
  OverVersion & {
    readonly op: 'writing' | 'store';
    readonly key: Key;
    readonly path: string;
    /** The version that it was made over. */
    readonly base: number;
    readonly size: number;
    readonly mtime: string;
    readonly dir?: Key;
    readonly name?: string;
  };

export interface Question {
  readonly ask: number;
  readonly what: 'list' | 'open';
  readonly key: Key;
}

export function isQuestion(line: Operation | Question): line is Question {
  return 'ask' in line;
}

type Stored = Pick<VnodeStatus, 'version' | 'digest'>;

const USER = 'user.';

/** Attributes as the addon takes them, without what shown-volumes.ts knows of mount points. */
export function nativeStatus(status: Attributes | VnodeStatus): NativeStatus {
  const { fid, kind, mode, mtime, size, version, links, target } = status;
  return {
    ...{ key: fid, kind, mode, mtime, size, version, links },
    ...(kind === 'symlink' && target !== null ? { target } : {}),
    xattrs: status.xattrs.map(({ name, value }) => ({
      name: USER + name,
      value: Buffer.from(value, 'base64'),
    })),
  };
}

/** Extended attributes of an operation, as the port takes them. */
export function portXattrs(given: ReadonlyArray<readonly [string, string]>): Xattr[] {
  return given
    .map(([name, hex]) => ({
      name: name.slice(USER.length),
      value: Buffer.from(hex, 'hex').toString('base64'),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The fids of what operations have made, by the keys that they gave it, and the versions that the core gave what they stored. */
export class KnownKeys {
  readonly #fids = new Map<Key, Fid>();
  readonly #stored = new Map<Fid, Stored>();

  learn(key: Key, fid: Fid): void {
    this.#fids.set(key, fid);
  }

  stored(fid: Fid, { version, digest }: Stored): void {
    this.#stored.set(fid, { version, digest });
  }

  /** What was there when an operation was done over `version`. The addon counts each store of its own; the core may have made one of two. */
  seen(fid: Fid, version: number, isOwn = false): { base: DataVersion; digest: Digest | null } {
    const stored = isOwn ? this.#stored.get(fid) : undefined;
    if (stored === undefined) return { base: dataVersion(version), digest: null };
    return { base: stored.version, digest: stored.digest };
  }

  ended(fid: Fid): void {
    this.#stored.delete(fid);
  }

  /** Null: what made it was refused, so there is nothing. */
  fidOf(key: Key): Fid | null {
    return key.startsWith('L') ? (this.#fids.get(key) ?? null) : (key as Fid);
  }
}
