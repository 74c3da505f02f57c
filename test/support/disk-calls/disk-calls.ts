/**
 * Disk calls of real processes, counted by label and made to fail: the test's side of disk-calls.c, which says what a label and a
 * fault are. One DiskCalls is shared by all processes of a program, those that come after a crash included.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Classes } from './labels.ts';

const SOURCE = join(import.meta.dirname, 'disk-calls.c');
const FLAGS = ['-std=gnu17', '-O2', '-Wall', '-Wextra', '-Werror', '-shared', '-fPIC'];
/** As in disk-calls.c. */
const LABEL_BYTES = 56;
const SLOTS = 512;
export const MOST_FAULTS = 16;
const NUMBER_BYTES = 8;
const SLOT_BYTES = 2 * NUMBER_BYTES + LABEL_BYTES;
const SLOTS_AT = MOST_FAULTS * NUMBER_BYTES;

const CRASHES = ['before', 'after', 'torn'] as const;
export const FAILURES = ['EIO', 'ENOSPC', 'EROFS', 'short'] as const;
export type FaultKind = (typeof CRASHES)[number] | (typeof FAILURES)[number];

export interface DiskFault {
  readonly label: string;
  readonly kind: FaultKind;
  /** The first call that the fault affects, counted from 1; `times` says how many follow. */
  readonly from: number;
  readonly times: number;
}

export function isCrash({ kind }: DiskFault): boolean {
  return CRASHES.some((crash) => crash === kind);
}

/** Builds the library into a folder, with the compiler that the native addon needs as well. */
export function buildDiskCalls(folder: string): string {
  const library = join(folder, 'disk-calls.so');
  const built = spawnSync('cc', [...FLAGS, '-o', library, SOURCE, '-ldl'], { encoding: 'utf8' });
  if (built.status !== 0) throw new Error(`disk-calls.c: ${built.stderr ?? built.error?.message}`);
  return library;
}

/** The counters and faults of one program. */
export class DiskCalls {
  readonly #table: string;
  readonly faults: readonly DiskFault[];
  /** The environment that makes a process count its disk calls. */
  readonly env: NodeJS.ProcessEnv;

  constructor(library: string, table: string, classes: Classes, faults: readonly DiskFault[] = []) {
    this.#table = table;
    this.faults = faults;
    writeFileSync(table, Buffer.alloc(SLOTS_AT + SLOTS * SLOT_BYTES));
    this.env = {
      LD_PRELOAD: library,
      DISK_CALLS_TABLE: table,
      DISK_CALLS_CLASSES: classes.map((line) => line.join('\t')).join('\n'),
      DISK_CALLS_FAULTS: faults.map(textOf).join('\n'),
      // Calls that go into a ring of the kernel go around libc.
      UV_USE_IO_URING: '0',
    };
  }

  /** How many calls each fault has affected. */
  fired(): number[] {
    const table = readFileSync(this.#table);
    return this.faults.map((_, index) => numberAt(table, index * NUMBER_BYTES));
  }

  /** How often each label was seen, in the order of labels. */
  counts(): Map<string, number> {
    const table = readFileSync(this.#table);
    const counts: Array<[string, number]> = [];
    for (let at = SLOTS_AT; at < table.length; at += SLOT_BYTES) {
      const text = table.subarray(at + 2 * NUMBER_BYTES, at + SLOT_BYTES).toString('latin1');
      if (text[0] !== '\0') {
        counts.push([text.slice(0, text.indexOf('\0')), numberAt(table, at + NUMBER_BYTES)]);
      }
    }
    return new Map(counts.sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

function textOf({ label, kind, from, times }: DiskFault): string {
  return [label, kind, from, times].join('\t');
}

function numberAt(table: Buffer, at: number): number {
  return Number(table.readBigUInt64LE(at));
}
