/** The text and severity of each coded error (error-codes.ts). */
export interface ErrorEntry {
  /** `transient`: trying again later may do; `permanent`: this request will never do; `fatal`: the program can't go on. */
  readonly severity: 'transient' | 'permanent' | 'fatal';
  /** One line for people, without the particulars. */
  readonly summary: string;
  /** What a person can do. */
  readonly remedy: string;
}

/** One row of the error table: severity, what happened, what the user can do. */
export const entry = (
  severity: ErrorEntry['severity'],
  summary: string,
  remedy: string,
): ErrorEntry => ({
  severity,
  summary,
  remedy,
});

/** Of a volume that was removed. */
export const BRING_BACK =
  'nothing is deleted here, and what was not sent is kept: who runs the server can bring it back with `godwit server volume restore NAME`';
