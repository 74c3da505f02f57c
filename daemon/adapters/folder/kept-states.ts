/** What parts of the folder remember over restarts beside the records: a few texts, each by a key of its own. */
export interface KeptStates {
  /** null: nothing is kept by that key. */
  state(key: string): string | null;
  /** Throws `disk-full` and `disk-failing`. */
  setState(key: string, value: string): void;
}
