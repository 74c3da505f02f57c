/** How a call ends or waits. An attempt returns one of these and changes nothing unless it is `done`. */
import type { ErrorCode } from '../../../shared/wire/error-codes.ts';
import type { WaitKey } from './wait-key.ts';

export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  /** In place of the remedy of the code. */
  readonly remedy?: string;
}

export type Attempt =
  | { readonly kind: 'done'; readonly value: unknown }
  | ({ readonly kind: 'refused' } & Refusal)
  | { readonly kind: 'wait'; readonly keys: readonly WaitKey[] }
  /** The answer comes when work that was begun (on files) has ended. */
  | { readonly kind: 'working' };

export const done = (value: unknown): Attempt => ({ kind: 'done', value });

/** Ends a call with an error code and a message for people. `remedy`: in place of that of the code. */
export const refused = (code: ErrorCode, message: string, remedy?: string): Attempt => ({
  ...{ kind: 'refused', code, message },
  ...(remedy === undefined ? {} : { remedy }),
});
export const waitFor = (...keys: WaitKey[]): Attempt => ({ kind: 'wait', keys });
export const WORKING: Attempt = { kind: 'working' };
