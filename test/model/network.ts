/**
 * The network: for each client and direction a queue for each priority class. First in, first out within a class, any
 * order between classes. A connection that is cut takes with it what was under way.
 */
import type { Content, Mark, Update } from './update.ts';

export const CLASSES = ['VALIDATE', 'FETCH', 'STORE_ATTR', 'STORE_FAST', 'STORE_DATA'] as const;
export type ClassIndex = 0 | 1 | 2 | 3 | 4;

export type Up =
  | { t: 'hello'; device: number; token: number; next: number }
  | { t: 'announce'; marks: Mark[] }
  | { t: 'ack'; x: string; upTo: number; pull: boolean; marks: Mark[] }
  | { t: 'ask'; x: string }
  | { t: 'update'; update: Update; overtakes: Mark[] };

export interface AnswerBody {
  status: 'committed' | 'conflict' | 'refused';
  before: number;
  after: number;
  grant: number;
  last: boolean;
}

/** `renews`: the lease counts from here. `behind`: how many breaks it must not outrun are still under way. */
export type Down =
  | {
      t: 'welcome';
      ok: boolean;
      epoch: number;
      fork: Record<string, number> | null;
      behind: number;
      renews: boolean;
    }
  | { t: 'break'; x: string; upTo: number; pull: boolean }
  | {
      t: 'reply';
      x: string;
      version: number;
      content: Content;
      grant: number;
      unshared: boolean;
      flagged: boolean;
      epoch: number;
      behind: number;
      renews: boolean;
    }
  | {
      t: 'answer';
      x: string;
      seq: number;
      uid: number;
      body: AnswerBody;
      epoch: number;
      behind: number;
      renews: boolean;
    };

export interface Lines {
  up: Up[][];
  down: Down[][];
}
export type Network = Lines[];

export function noLines(): Lines {
  return { up: CLASSES.map(() => []), down: CLASSES.map(() => []) };
}

export function classOf(update: Pick<Update, 'op'>, unshared: boolean): ClassIndex {
  if (update.op !== 'store' && update.op !== 'copy') return 2;
  return unshared ? 4 : 3;
}

/** The places in a queue from which a message may be taken. */
export function takeable(queue: readonly unknown[], unordered: boolean): number {
  return unordered ? queue.length : Math.min(1, queue.length);
}

/** Is a message of this client that tells of the update still on its way? */
export function travels(lines: Lines, seq: number, x: string): boolean {
  return lines.up.some((queue) =>
    queue.some((message) => {
      if (message.t === 'announce' || message.t === 'ack') return names(message.marks, seq, x);
      if (message.t !== 'update') return false;
      return message.update.seq === seq || names(message.overtakes, seq, x);
    }),
  );
}

function names(marks: readonly Mark[], seq: number, x: string): boolean {
  return marks.some((mark) => mark.seq === seq && mark.x === x);
}
