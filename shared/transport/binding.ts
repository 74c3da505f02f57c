/**
 * Loads the native addon, the only file that does, and gives its functions types.
 *
 * The addon is built by `build/native.mjs`; here it is only looked for. Handles are integers; an unknown handle
 * any more is ignored on the other side.
 */
import { createRequire } from 'node:module';
import type { StrangerLimits } from '../ports/transport.ts';

export interface NativeEndpointOptions {
  readonly certificatePem: string;
  readonly privateKeyPem: string;
  readonly spool: string;
  readonly maxHeaderBytes: number;
  /** The shortest part of a content that is handed over. */
  readonly partialFrom: number;
  /** One class for all, and turns within it. */
  readonly uniform: boolean;
  readonly strangers?: StrangerLimits;
  /** Test only: connect without presenting a certificate. */
  readonly anonymous: boolean;
}

/** Some of the events since the last batch, of each connection its share, in the layout that `transport-events.ts` reads. */
export interface NativeBatch {
  readonly numbers: Float64Array;
  readonly bytes: Uint8Array;
  /** More events are queued, and no wake-up comes for them. */
  readonly more: boolean;
}

export interface NativeListening {
  readonly host: string;
  readonly port: number;
  /** A code of TransportError where listening failed. */
  readonly code?: string;
  readonly message: string;
}

export interface NativeXattr {
  readonly name: string;
  readonly value: Uint8Array;
  readonly isText: boolean;
}

export interface NativeDigest {
  readonly digest: string;
  readonly length: number;
  /** An errno's name where it failed. */
  readonly code?: string;
  readonly message: string;
}

export interface NativeParts {
  readonly bytes: Uint8Array;
  readonly digests: readonly string[];
  /** An errno's name where it failed. */
  readonly code?: string;
  readonly message: string;
}

export interface NativeMade {
  readonly list: Uint8Array;
  /** Left out: none was made. */
  readonly delta?: NativeDigest;
  /** `DAMAGED`, or an errno's name, where it failed. */
  readonly code?: string;
  readonly message: string;
}

export interface NativeBinding {
  generateIdentity(commonName: string): {
    certificatePem: string;
    privateKeyPem: string;
    fingerprint: string;
  };

  endpointOpen(options: NativeEndpointOptions, wake: () => void): number;
  /** Of one connection, whose turn it is. `spent`: milliseconds that what was taken last has cost. */
  endpointTake(endpoint: number, spent: number): NativeBatch;
  endpointListen(endpoint: number, host: string, port: number): Promise<NativeListening>;
  /** 0: the endpoint is shut down, or the pin is no fingerprint. */
  endpointConnect(endpoint: number, host: string, port: number, pin: string): number;
  /** Negative: the connection had ended; no event comes for the call of that id. */
  endpointRequest(
    endpoint: number,
    connection: number,
    urgency: number,
    header: Uint8Array,
    path: string | null,
    offset: number,
    length: number,
  ): number;
  endpointReply(
    endpoint: number,
    call: number,
    header: Uint8Array,
    path: string | null,
    offset: number,
    length: number,
  ): void;
  endpointSetClass(endpoint: number, call: number, urgency: number): void;
  endpointAbort(endpoint: number, call: number, code: number): void;
  endpointRebind(endpoint: number, connection: number): void;
  endpointAdmit(endpoint: number, connection: number): void;
  /** 0: no limit. */
  endpointLimit(endpoint: number, connection: number, bytesPerSecond: number): void;
  endpointCloseConnection(endpoint: number, connection: number): void;
  endpointShutDown(endpoint: number): void;
  endpointForget(endpoint: number): void;

  hostBootTimeMs(): number;
  hostSetMtime(path: string, nanoseconds: bigint): void;
  hostSetMode(path: string, mode: number): void;
  hostKeepUnsynced(from: string, to: string): string[];
  hostInherit(directory: string, file: string): void;
  hostOpenBeneath(root: string, path: string, directory: boolean): number;
  hostRenameNoReplace(from: string, to: string): void;
  hostRenameExchange(a: string, b: string): void;
  hostReflink(from: string, to: string): void;
  hostListXattrs(path: string): NativeXattr[];
  hostSetXattr(path: string, name: string, value: Uint8Array): void;
  hostRemoveXattr(path: string, name: string): void;
  hostPeerCredentials(fd: number): { pid: number; uid: number; gid: number };
  /** A descriptor that holds the lock, or -1. */
  hostLockFile(path: string): number;
  hostUnlockFile(fd: number): void;
  /** Null: unknown. */
  hostIsBeingWritten(path: string): boolean | null;
  hostSyncDirectory(path: string): void;
  /** The digest is empty, here and in the next three. */
  hostSyncPath(path: string): Promise<NativeDigest>;
  hostSyncData(fd: number): Promise<NativeDigest>;
  hostSyncPaths(paths: readonly string[]): Promise<NativeDigest[]>;
  hostJoinFiles(
    from: readonly string[],
    lengths: readonly number[],
    to: string,
  ): Promise<NativeDigest>;
  hostReadParts(path: string, lengths: readonly number[]): Promise<NativeParts>;
  hostDigestFile(path: string): Promise<NativeDigest>;
  hostDigestPart(path: string, offset: number, length: number): Promise<NativeDigest>;
  hostCopyFile(from: string, to: string, sync: boolean, spare: boolean): Promise<NativeDigest>;

  watchesOpen(wake: () => void): number;
  watchesAdd(watches: number, path: string, follow: boolean): number;
  watchesRemove(watches: number, watch: number): void;
  /** Whole events as inotify(7) has them. */
  watchesTake(watches: number, most: number): Uint8Array;
  watchesClose(watches: number): void;

  deltaList(
    path: string,
    offset: number,
    length: number,
    like: Uint8Array | null,
  ): Promise<NativeMade>;
  deltaMake(
    base: Uint8Array,
    path: string,
    offset: number,
    length: number,
    out: string,
  ): Promise<NativeMade>;
  deltaApply(
    path: string,
    offset: number,
    length: number,
    delta: string,
    out: string,
    most: number,
  ): Promise<NativeDigest>;
  deltaJoin(begun: string, rest: string): Promise<NativeDigest>;
}

/** Where the addon for this machine lies, relative to this file. */
export const ADDON_PATH = `./native/godwit.${process.platform}-${process.arch}.node`;

/**
 * The addon has no TLS of its own: it takes that of OpenSSL in Node (native/tls/node_tls.c). In another Node nothing of the product works, and
 * whoever started it there reads one line.
 */
function checkTls(): void {
  const [major, minor] = process.versions.openssl.split('.').map(Number);
  if (major === 3 && minor !== undefined && minor >= 5) return;
  process.stderr.write(
    `godwit: this needs a Node with OpenSSL 3.5 or a later 3.x, and ${process.version} has ` +
      `${process.versions.openssl}; start it by \`godwit\`, which finds the Node that comes with it\n`,
  );
  process.exit(1);
}

function load(): NativeBinding {
  checkTls();
  try {
    return createRequire(import.meta.url)(ADDON_PATH) as NativeBinding;
  } catch (error) {
    throw new Error(`The native addon is not built: run \`node build/native.mjs\`.`, {
      cause: error,
    });
  }
}

export const native: NativeBinding = load();
