/** The Delta port in the addon (`native/src/delta/`). */
import type { Delta, MadeContent, Piece } from '../ports/delta.ts';
import { GodwitError, type ErrorCode } from '../wire/error-codes.ts';
import { native } from './binding.ts';
import type { NativeDigest } from './binding.ts';

/** Errors outside the contract (an unreadable path, a file in the way) stay errors of the system. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  DAMAGED: 'damaged-delta',
  ENOENT: 'not-found',
  ENOTDIR: 'not-found',
  ENOSPC: 'disk-full',
  EDQUOT: 'disk-full',
  EIO: 'disk-failing',
  EROFS: 'disk-failing',
};

/**
 * The delta port in the native addon: chunk lists, deltas and their application, off the JavaScript
 * thread.
 */
export class NativeDelta implements Delta {
  async list({ path, offset, length }: Piece, like: Uint8Array | null): Promise<Uint8Array> {
    const answer = await native.deltaList(path, offset, length, like);
    check(answer);
    return answer.list;
  }

  async make(
    base: Uint8Array,
    { path, offset, length }: Piece,
    out: string,
  ): Promise<{ readonly delta: MadeContent | null; readonly list: Uint8Array }> {
    const answer = await native.deltaMake(base, path, offset, length, out);
    check(answer);
    const delta = answer.delta === undefined ? null : made(answer.delta);
    return { delta, list: answer.list };
  }

  async apply(base: Piece, delta: string, out: string, most: number): Promise<MadeContent> {
    const { path, offset, length } = base;
    return made(await native.deltaApply(path, offset, length, delta, out, most));
  }

  async join(begun: string, rest: string): Promise<MadeContent> {
    return made(await native.deltaJoin(begun, rest));
  }
}

function made(answer: NativeDigest): MadeContent {
  check(answer);
  return { digest: answer.digest, length: answer.length };
}

function check({ code, message }: { readonly code?: string; readonly message: string }): void {
  if (code === undefined) return;
  const ours = CODES[code];
  throw ours === undefined
    ? Object.assign(new Error(message), { code })
    : new GodwitError(ours, message);
}
