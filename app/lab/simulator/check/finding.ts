/** Something that must not be: what a checker reports. */
export interface Finding {
  readonly checker: string;
  readonly text: string;
}
