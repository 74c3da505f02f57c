/** The contents that a version has in the content store; null: none, or empty ones. */
import { EMPTY_DIGEST, type VnodeStatus } from '../../shared/model/vnode.ts';
import type { KnownContent } from './events.ts';

export function contentOf({ digest, size }: VnodeStatus): KnownContent | null {
  return digest === null || digest === EMPTY_DIGEST ? null : { digest, length: size };
}
