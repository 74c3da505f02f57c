/**
 * What a recording hands over: records of the operations of the daemon's front ends, told in parts. What is in a record is the affair of
 * who records and who reads.
 *
 * The one who records says how many records arrived, and is given those that follow; so a part that was lost on the way is told again.
 * Where it does not keep up, a record `gap` says how many operations are missing.
 */

export interface RecordedPart<Record extends object = object> {
  /** Names it in the next call. */
  readonly recording: number;
  /** The number of the first of `records`, from 0. */
  readonly first: number;
  readonly records: readonly Record[];
}
