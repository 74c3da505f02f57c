/** What a parser of bytes from outside is to the bulk runs: where its inputs come from, and what may come of them. */

export interface Parser {
  /** Well-formed inputs, and some that are nearly so, others for each seed; there is at least one. */
  corpus(seed: number): readonly Uint8Array[];
  /** What the format is made of: put into inputs at random places. */
  readonly tokens: readonly Uint8Array[];
  /** Makes sums right again, so that what stands behind them is reached; done to every second input. */
  mend?(bytes: Uint8Array): Uint8Array;
  /** Parses it, and holds what came of it against what must be. Gives whether it was taken. The bytes are its own until it ends. */
  check(bytes: Uint8Array): boolean | Promise<boolean>;
  /** Whether bytes from outside may be refused with this error. */
  allows(error: unknown): boolean;
  close?(): void | Promise<void>;
}

export interface ParserRow {
  readonly name: string;
  /** Of the inputs of a run, beside the others. What has to go to the disk is slow, and has less. */
  readonly weight: number;
  /** So many inputs are drawn from one corpus, and are one piece of work. */
  readonly era: number;
  readonly open: () => Parser | Promise<Parser>;
}

/** For what is done in memory. */
export const ERA = 40_000;

export const text = (...words: readonly string[]): Uint8Array[] =>
  words.map((word) => new Uint8Array(Buffer.from(word)));

export const bytes = (...words: readonly string[]): Uint8Array[] =>
  words.map((word) => new Uint8Array(Buffer.from(word.replaceAll(' ', ''), 'hex')));

/** What JSON is made of, and what is hostile in it. */
export const JSON_TOKENS = text(
  ...['{', '}', '[', ']', ',', ':', '"', '""', '{}', '[]', 'null', 'true', 'false', '\\', '\n'],
  ...['0', '-0', '-1', '1.5', '1e999', '-1e999', '1e-400', '9007199254740993', '4294967296'],
  ...['"__proto__":', '"constructor":', '"toString":', '"length":', '"then":', '"code":'],
  ...['\\ud800', '\\u0000', '"\\ud800"', '\u202e', '\ufeff', '\u2028', '"a/b"', '".."', '"."'],
);
