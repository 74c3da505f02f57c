/** Why a call ends, as its two sides see it. */
import { PEER_SOURCE_FAILED, PEER_SPOOL_FAILED } from '../../../../shared/ports/transport.ts';
import type { AbortReason } from '../../../../shared/ports/transport.ts';

/** What an abort here is over there. */
export function toldToPeer(reason: AbortReason, code: number): readonly [AbortReason, number] {
  if (reason === 'too-large' || reason === 'protocol') return [reason, 0];
  if (reason === 'source') return ['peer', PEER_SOURCE_FAILED];
  if (reason === 'spool') return ['peer', PEER_SPOOL_FAILED];
  return ['peer', code];
}
