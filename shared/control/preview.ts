/** The beginning of a file, for a person who is to choose between two versions. */
export interface FilePreview {
  /** From the root of the volume, with a slash before it. */
  readonly path: string;
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly modified: number;
  /** Null: it is no text in UTF-8, or it is long and not here, and is not fetched for this. */
  readonly text: string | null;
  /** There is more of it. */
  readonly isCut: boolean;
}
