/** Files that were used together, as `godwit group suggest` shows them. */
export interface SuggestedGroup {
  /** Name of the volume. */
  readonly volume: string;
  readonly files: ReadonlyArray<{
    readonly fid: string;
    /** In the volume; null: it is not known here. */
    readonly path: string | null;
  }>;
  readonly times: number;
}
