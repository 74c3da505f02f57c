/** A server that refuses this laptop is not away: who waits for it in vain is told of that, and of what to do. */
import { GodwitError, type ErrorCode } from '../wire/error-codes.ts';
import type { StatusSnapshot } from './snapshot.ts';

/** Errors of the connection that only a person ends. */
export const OF_SESSION: ReadonlySet<string> = new Set<ErrorCode>([
  ...(['device-revoked', 'not-paired', 'incarnation-reused'] as const),
  ...(['wrong-fingerprint', 'protocol-version', 'server-behind'] as const),
]);

/** What the server refuses this laptop for, instead of `not-connected`; any other error as it is. */
export function withRefusal(error: unknown, status: () => Pick<StatusSnapshot, 'errors'>): unknown {
  if (!(error instanceof GodwitError) || error.code !== 'not-connected') return error;
  const refusal = status().errors.find(({ code }) => OF_SESSION.has(code));
  if (refusal === undefined) return error;
  return new GodwitError(refusal.code as ErrorCode, refusal.message, refusal.remedy);
}
