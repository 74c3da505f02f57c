/** How a call ends or waits. An attempt returns one of these and changes nothing unless it is `done`. */
import type { ErrorCode } from '../../../shared/wire/error-codes.ts';
import type { WaitKey } from './wait-key.ts';

export type Attempt =
  | { readonly kind: 'done'; readonly value: unknown }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly message: string }
  | { readonly kind: 'wait'; readonly keys: readonly WaitKey[] }
  /** The answer comes when work that was begun (on files) has ended. */
  | { readonly kind: 'working' };

export const done = (value: unknown): Attempt => ({ kind: 'done', value });

/** Ends a call with an error code and a message for people. */
export const refused = (code: ErrorCode, message: string): Attempt => ({
  kind: 'refused',
  code,
  message,
});
export const waitFor = (...keys: WaitKey[]): Attempt => ({ kind: 'wait', keys });
export const WORKING: Attempt = { kind: 'working' };
