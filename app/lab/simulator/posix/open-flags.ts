/** Linux's numbers for how a file is opened, and Node's letters for them. The simulated kernel and the real one take the same. */
export const OPEN = {
  readOnly: 0,
  writeOnly: 0o1,
  readWrite: 0o2,
  create: 0o100,
  exclusive: 0o200,
  truncate: 0o1000,
  append: 0o2000,
  nonBlocking: 0o4000,
  synced: 0o4010000,
  directory: 0o200000,
  noFollow: 0o400000,
  /** O_PATH: stands for what is there; it needs no right to the contents. */
  path: 0o10000000,
  /** O_TMPFILE: a file without a name in a directory; it contains O_DIRECTORY. */
  temporary: 0o20200000,
} as const;

/** The bits that say whether it is opened to read, to write, or both. */
export const ACCESS_MODE = 0o3;

const { readOnly, writeOnly, readWrite, create, exclusive, truncate, append } = OPEN;

const LETTERS = {
  r: readOnly,
  'r+': readWrite,
  w: writeOnly | create | truncate,
  wx: writeOnly | create | truncate | exclusive,
  'w+': readWrite | create | truncate,
  'wx+': readWrite | create | truncate | exclusive,
  a: writeOnly | create | append,
  ax: writeOnly | create | append | exclusive,
  'a+': readWrite | create | append,
} as const;

/** Node's letters, or bits of `OPEN`. */
export type OpenFlags = keyof typeof LETTERS | number;

export function openBits(flags: OpenFlags): number {
  return typeof flags === 'number' ? flags : LETTERS[flags];
}
