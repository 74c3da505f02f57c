/**
 * Counts what programs and the folder look at, by how it was answered: from what is here, or with the help of the server.
 *
 * Each call that looks counts once, as it ends: as the most that it had to wait for. An absent name of a folder whose listing is here was
 * answered from here. A call that is taken back counts nothing. All counts lie in one array.
 */
import type { ErrorCode } from '../../../shared/wire/error-codes.ts';
import type { Call } from '../events.ts';
import type { WaitKey } from './wait-key.ts';

/** What is looked at. `status`: attributes of one file or folder; `obtain`: contents that the folder puts in place. */
export const LOOKS = ['open', 'status', 'name', 'listing', 'obtain'] as const;
/** For whom: a program that asks the daemon, or the folder and the daemon itself. */
export const LOOKERS = ['program', 'folder'] as const;
/** `asked`: the server was asked for names or attributes; `fetched`: contents came from it; `in-vain`: it was away, and what was needed is not here. */
export const LOOK_ENDS = ['here', 'asked', 'fetched', 'in-vain'] as const;
export type LookEnd = (typeof LOOK_ENDS)[number];

/** How many numbers there are. */
export const LOOK_VALUES = LOOKERS.length * LOOKS.length * LOOK_ENDS.length;

/** The most that a call has waited for: a place in LOOK_ENDS. */
export type WaitedFor = 0 | 1 | 2;

/** What the core knows of a call that waits. */
interface Looking {
  readonly what: Call;
  readonly byProgram: boolean;
  waitedFor: WaitedFor;
}

export interface LookCount {
  readonly by: (typeof LOOKERS)[number];
  readonly of: (typeof LOOKS)[number];
  readonly end: LookEnd;
  readonly count: number;
}

/** Reads what was counted, or the difference of two such arrays, zeros included. */
export function lookCounts(values: Float64Array): LookCount[] {
  return LOOKERS.flatMap((by, b) =>
    LOOKS.flatMap((of, o) =>
      LOOK_ENDS.map((end, e) => {
        return { by, of, end, count: values[placeOf(b, o, e)] ?? 0 };
      }),
    ),
  );
}

/** Counts looks by their ends. */
export class LookCounts {
  /** Only to be read. */
  readonly values = new Float64Array(LOOK_VALUES);

  /** The call was answered, or refused with a code. A refusal is an answer, too, unless the server is wanted for one and away. */
  ended({ what, byProgram, waitedFor }: Looking, code: ErrorCode | null): void {
    const look = lookOf(what);
    if (look < 0) return;
    const end = code === 'not-connected' ? LOOK_ENDS.length - 1 : waitedFor;
    const place = placeOf(byProgram ? 0 : 1, look, end);
    this.values[place] = (this.values[place] ?? 0) + 1;
  }
}

/** Notes what a call has to wait for. Waits for the log, for checks and for room on the disk are none for the server. */
export function noteWait(call: Looking, keys: readonly WaitKey[]): void {
  for (const { kind } of keys) {
    const level = waitedFor(kind);
    if (level > call.waitedFor) call.waitedFor = level;
  }
}

function waitedFor(kind: WaitKey['kind']): WaitedFor {
  switch (kind) {
    case 'contents':
    case 'version':
    case 'obtain':
      return 2;
    case 'status':
    case 'directory':
    case 'lookup':
    case 'name':
    case 'session':
    case 'volumes':
      return 1;
    default:
      return 0;
  }
}

/** A place in LOOKS; -1: the call does more than look. */
function lookOf(what: Call): number {
  switch (what.op) {
    case 'open':
      return what.how.mode === 'write' && what.how.truncate ? -1 : 0;
    case 'getattr':
      return 1;
    case 'lookup':
      return 2;
    case 'readdir':
      return 3;
    case 'obtain':
      return 4;
    default:
      return -1;
  }
}

const placeOf = (by: number, look: number, end: number): number =>
  (by * LOOKS.length + look) * LOOK_ENDS.length + end;
