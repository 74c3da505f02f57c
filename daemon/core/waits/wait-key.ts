/**
 * What a call waits for, and what is tried again after a delay: both by one key, so that the end of a delay wakes who waits for it. A room
 * makes the keys of what it knows.
 */
import type { Fid, VolumeId } from '../../../shared/model/fid.ts';
import type { UpdateSeq } from '../../../shared/model/update.ts';
import type { DataVersion, Digest } from '../../../shared/model/vnode.ts';

/** Contents that are being fetched: the present ones, or those of a version; `obtain`: for a front end, these and no others. */
export type FetchKey =
  | { readonly kind: 'contents'; readonly fid: Fid }
  | {
      readonly kind: 'version' | 'obtain';
      readonly fid: Fid;
      readonly version: DataVersion;
      readonly digest: Digest;
    };

export type WaitKey =
  | FetchKey
  /** A session began; the server named its volumes; it reported how far they are. */
  | { readonly kind: 'session' | 'volumes' | 'time' }
  /** Something was answered, or is not waited for any more; and the time until a write may begin. */
  | { readonly kind: 'log' | 'dirty-limit' }
  /** The server has the message about what a close wrote. */
  | { readonly kind: 'told' }
  | { readonly kind: 'status' | 'directory' | 'name'; readonly fid: Fid }
  /** The way down from a directory (sharing/lookup.ts). */
  | { readonly kind: 'lookup'; readonly dir: Fid; readonly names: readonly string[] }
  /** The close of a file is durable. */
  | { readonly kind: 'settled'; readonly fid: Fid }
  | { readonly kind: 'feed' | 'catch-up' | 'blocks'; readonly volume: VolumeId }
  /** Contents were looked at. */
  | { readonly kind: 'check'; readonly name: string }
  /** Messages that failed are sent again. */
  | { readonly kind: 'batch' | 'store' | 'announce' | 'lock' }
  /** A store whose contents could not be read; one that a quota holds back. */
  | { readonly kind: 'source' | 'held-back'; readonly seq: UpdateSeq }
  /** Stores wait for the delay that a person has set. */
  | { readonly kind: 'writeback-delay' }
  | { readonly kind: 'prefetch-scan' | 'prefetch-guess' | 'pins' };

/** The same text for the same key, and for no other. */
export function textOf(key: WaitKey): string {
  switch (key.kind) {
    case 'contents':
    case 'status':
    case 'directory':
    case 'name':
    case 'settled':
      return `${key.kind}:${key.fid}`;
    case 'lookup':
      return `lookup:${key.dir}/${key.names.join('/')}`;
    case 'version':
    case 'obtain':
      return `${key.kind}:${key.fid}@${key.version}:${key.digest}`;
    case 'feed':
    case 'catch-up':
    case 'blocks':
      return `${key.kind}:${key.volume}`;
    case 'check':
      return `check:${key.name}`;
    case 'source':
    case 'held-back':
      return `${key.kind}:${key.seq}`;
    default:
      return key.kind;
  }
}
