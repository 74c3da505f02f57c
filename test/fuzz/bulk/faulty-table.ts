/** Parsers with faults for the tests of the bulk runs: a byte of the input selects the fault. */
import type { Parser, ParserRow } from './parser.ts';

const [THROWS, HANGS, DIES, REFUSES] = [0xf1, 0xf2, 0xf3, 0xf4];

function faulty(byte: number, fault: () => void): Parser {
  return {
    corpus: () => [Uint8Array.from([1, 2, 3, 4]), Uint8Array.from([5, 6])],
    tokens: [Uint8Array.of(byte)],
    allows: (error) => error instanceof RangeError,
    check: (bytes) => {
      if (bytes.includes(REFUSES)) throw new RangeError('as it may be');
      if (bytes.includes(byte)) fault();
      return true;
    },
  };
}

const row = (name: string, byte: number, fault: () => void): ParserRow => ({
  ...{ name, weight: 1, era: 100, open: () => faulty(byte, fault) },
});

const WITHOUT_PROCESSOR_MS = 20;

/** A parser that waits without using the processor, as on a busy machine. */
export const STARVED: ParserRow = {
  ...row('gets no processor', 0, () => undefined),
  open: () => ({
    ...faulty(0, () => undefined),
    check: () => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WITHOUT_PROCESSOR_MS);
      return true;
    },
  }),
};

export const TABLE: readonly ParserRow[] = [
  row('throws', THROWS, () => {
    throw new TypeError(`not so ${Math.PI}`);
  }),
  row('hangs', HANGS, () => {
    for (;;);
  }),
  row('dies', DIES, () => process.kill(process.pid, 'SIGKILL')),
  row('is fine', REFUSES, () => undefined),
  STARVED,
];
