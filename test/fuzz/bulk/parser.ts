/** A parser of bytes from outside, as the bulk runs use it: the source of its inputs and their allowed results. */

export interface Parser {
  /** At least one input for a seed; most are well-formed, some nearly so. */
  corpus(seed: number): readonly Uint8Array[];
  /** Tokens of the format, which are inserted into inputs at random places. */
  readonly tokens: readonly Uint8Array[];
  /** Corrects checksums, so that the code behind them is reached; applied to every second input. */
  mend?(bytes: Uint8Array): Uint8Array;
  /** Parses an input and checks the result. Returns whether it was accepted. The bytes stay unchanged until it ends. */
  check(bytes: Uint8Array): boolean | Promise<boolean>;
  /** Whether bytes from outside may be refused with this error. */
  allows(error: unknown): boolean;
  close?(): void | Promise<void>;
}

export interface ParserRow {
  readonly name: string;
  /** The share of the inputs of a run. Parsers that use the disk are slow and get less. */
  readonly weight: number;
  /** The number of inputs from one corpus, which are one piece of work. */
  readonly era: number;
  readonly open: () => Parser | Promise<Parser>;
}

/** The era of parsers that work in memory. */
export const ERA = 40_000;

export const text = (...words: readonly string[]): Uint8Array[] =>
  words.map((word) => new Uint8Array(Buffer.from(word)));

export const bytes = (...words: readonly string[]): Uint8Array[] =>
  words.map((word) => new Uint8Array(Buffer.from(word.replaceAll(' ', ''), 'hex')));

/** Tokens of JSON, ordinary and hostile ones. */
export const JSON_TOKENS = text(
  ...['{', '}', '[', ']', ',', ':', '"', '""', '{}', '[]', 'null', 'true', 'false', '\\', '\n'],
  ...['0', '-0', '-1', '1.5', '1e999', '-1e999', '1e-400', '9007199254740993', '4294967296'],
  ...['"__proto__":', '"constructor":', '"toString":', '"length":', '"then":', '"code":'],
  ...['\\ud800', '\\u0000', '"\\ud800"', '\u202e', '\ufeff', '\u2028', '"a/b"', '".."', '"."'],
);
