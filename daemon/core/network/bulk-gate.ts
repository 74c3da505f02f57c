/**
 * Whether background contents may move on this network: the one decision, of data alone.
 *
 * Background contents are stores (but urgent ones) and what a folder brings in without being asked. Metadata, demand fetches and what a
 * person asked for do not ask here, nor does anything while a person waits for `flush --now`.
 *
 * Invariants
 * 1. Where nothing is ruled, everything moves; but nothing before it is known which network this is, where somebody will tell.
 * 2. On a network whose budget of the day is used up, or that a person has ruled out, nothing is begun, and what runs is stopped.
 * 3. Trickling, over any long time no more moves than the rate: what moves is charged, what was charged too much is paid back before
 *    more begins, and nothing is saved up beyond one slice.
 */
import { TRICKLE_SLICE, TRICKLE_SLICE_SECONDS } from '../../limits.ts';
import type { NetworkPolicy } from './network-policy.ts';

export type BulkDecision =
  | { readonly kind: 'free' }
  /** So many bytes a second. */
  | { readonly kind: 'trickle'; readonly rate: number }
  | { readonly kind: 'wait'; readonly why: 'budget' | 'ruled-out' | 'untold' };

const FREE: BulkDecision = { kind: 'free' };

/** `used`: bytes of today on this network. */
export function decideBulk(policy: NetworkPolicy | null, used: number): BulkDecision {
  if (policy === null) return FREE;
  if (policy.pause) return { kind: 'wait', why: 'ruled-out' };
  if (policy.budget !== null && used >= policy.budget) return { kind: 'wait', why: 'budget' };
  if (policy.trickle === null) return FREE;
  return policy.trickle === 0
    ? { kind: 'wait', why: 'ruled-out' }
    : { kind: 'trickle', rate: policy.trickle };
}

/** What may be saved up, and what a large content moves at one go. */
export function sliceOf(rate: number): number {
  return Math.max(TRICKLE_SLICE, rate * TRICKLE_SLICE_SECONDS);
}

/** The credit `ms` later. */
export function refilled(credit: number, rate: number, ms: number): number {
  return Math.min(credit + (rate * Math.max(0, ms)) / 1000, sliceOf(rate));
}

/** The credit with which a content of this size begins. */
export function creditFor(size: number, rate: number): number {
  return Math.min(size, sliceOf(rate));
}

/** In how many milliseconds the credit is there. */
export function waitFor(needed: number, credit: number, rate: number): number {
  return Math.max(1, Math.ceil(((needed - credit) * 1000) / rate));
}
