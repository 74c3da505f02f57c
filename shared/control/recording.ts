/**
 * What a recording hands over: records of the operations of the daemon's front ends, in parts. What is in a record is defined by
 * who records and who reads.
 *
 * The recorder sends how many records have arrived, and gets those that follow; so a lost part is sent again.
 * Where it does not keep up, a record `gap` says how many operations are missing.
 */

export interface RecordedPart<Record extends object = object> {
  /** Names it in the next call. */
  readonly recording: number;
  /** The number of the first of `records`, from 0. */
  readonly first: number;
  readonly records: readonly Record[];
}
