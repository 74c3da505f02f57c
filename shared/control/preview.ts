/** The beginning of a file, for a person who is to choose between two versions. */
export interface FilePreview {
  /** From the root of the volume, with a slash before it. */
  readonly path: string;
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly modified: number;
  /** Null: it is no text, or it is long and not here, and is not fetched for this; or it is a link. */
  readonly text: string | null;
  /** Where there is one: the text is not in UTF-8, and was read as this. An older daemon calls it no text. */
  readonly encoding?: 'windows-1252';
  /** Of a link: where it points, as it was made. An older daemon refuses links. */
  readonly target?: string;
  /** There is more of it. */
  readonly isCut: boolean;
}
