/**
 * Reads what `strace -f -ttt -e trace=file,desc` writes, with `-o` or without, also with `-y`, `-T`, and with more calls traced.
 *
 * A call that others have interrupted happened when it was resumed: then its result was there. What a descriptor is that was open
 * before the trace began is not known, unless `-y` says it; calls on it are counted as of no file.
 */
import type { BadLines } from '../bad-lines.ts';
import { linesOf, type Chunks } from '../decode-text.ts';
import type { TraceRecord } from '../record.ts';
import { MAX_LIVE_PROCESSES } from '../trace-limits.ts';
import { PATH_CALLS, refusedBy } from './strace-calls.ts';
import { DESCRIPTOR_CALLS } from './strace-descriptor-calls.ts';
import {
  attachedProcess,
  isChatter,
  joinedCall,
  parseStraceLine,
  type Call,
  type StraceLine,
} from './strace-line.ts';
import type { Process } from './strace-processes.ts';
import { descriptorOf } from './strace-text.ts';
import { StraceWorld, type StraceCounts } from './strace-world.ts';

/** Lines of different threads may stand in another order than they happened. */
const MOST_DISORDER_US = 1e6;
const FORKS: ReadonlySet<string> = new Set(['clone', 'clone3', 'fork', 'vfork', '__clone2']);

/** Whether the beginning of a file looks like one. Times of another kind are recognised by its first line. */
export const looksLikeStrace = (text: string): boolean =>
  text
    .split('\n')
    .some((line) => /^(?:\[pid +\d+\] +|\d+ +)?(?:[\d:.]+ +)?\w+\(.*(?:= |<unfinished)/.test(line));

export interface StraceOptions {
  /** The directory in which it was started: relative paths begin there. */
  readonly cwd?: string;
  readonly counts?: StraceCounts;
}

/**
 * Reads the records of a log of strace. Throws GodwitError `bad-trace` at a bad line unless these
 * are skipped.
 */
export async function* readStrace(
  chunks: Chunks,
  bad: BadLines,
  { cwd = '/', counts = { noFiles: 0 } }: StraceOptions = {},
): AsyncGenerator<TraceRecord> {
  const reader = new LineReader(cwd, counts, bad);
  for await (const { number, text } of linesOf(chunks, bad)) {
    const fault = reader.read(text);
    if (fault !== null) bad.add(number, fault);
    yield* reader.world.take();
  }
  reader.world.endsAll();
  yield* reader.world.take();
}

class LineReader {
  readonly world: StraceWorld;
  /** The first halves of calls, by process. */
  readonly #begun = new Map<Process, string>();
  #began: number | null = null;
  #last = 0;

  constructor(cwd: string, counts: StraceCounts, bad: BadLines) {
    this.world = new StraceWorld(cwd, counts, bad);
  }

  /** null, or what was expected of the line. */
  read(text: string): string | null {
    const attached = attachedProcess(text);
    if (attached !== null) this.world.processes.attached(attached);
    if (attached !== null || isChatter(text)) return null;
    const line = parseStraceLine(text);
    if (typeof line === 'string') return line;
    const at = line.us - (this.#began ?? line.us);
    if (at < this.#last - MOST_DISORDER_US) return 'expected lines in the order of their times';
    const process = this.world.processes.of(line.pid, usedBy(line));
    if (process === null) return `expected ${MAX_LIVE_PROCESSES} processes at once at most`;
    this.#began ??= line.us;
    this.#last = Math.max(this.#last, at);
    this.world.now(this.#last);
    return this.#event(process, line);
  }

  #event(process: Process, { event }: StraceLine): string | null {
    switch (event.kind) {
      case 'nothing':
        return null;
      case 'ended':
        this.#begun.delete(process);
        this.world.ends(process);
        return null;
      case 'begun':
        this.#begun.set(process, event.text);
        return null;
      case 'call':
        return this.#call(process, event.call);
      case 'resumed': {
        const begun = this.#begun.get(process);
        this.#begun.delete(process);
        // It had begun before the trace did.
        if (begun === undefined) return null;
        if (!begun.startsWith(`${event.name}(`)) return `expected the beginning of ${event.name}`;
        const call = joinedCall(begun, event.text);
        return typeof call === 'string' ? call : this.#call(process, call);
      }
    }
  }

  #call(process: Process, call: Call): null {
    // The kernel restarts the call, which then has another line.
    if (call.error?.startsWith('ERESTART') === true) return null;
    if (FORKS.has(call.name)) {
      if (refusedBy(call) === false && call.result !== null) {
        this.world.processes.forked(process, call.result, call.text);
      }
      this.world.noFile();
      return null;
    }
    const table = Object.hasOwn(PATH_CALLS, call.name) ? PATH_CALLS : DESCRIPTOR_CALLS;
    const handler = Object.hasOwn(table, call.name) ? table[call.name] : undefined;
    if (handler === undefined) this.world.noFile();
    else handler(this.world, process, call);
    return null;
  }
}

/** The descriptor that a call uses. */
function usedBy({ event }: StraceLine): number | null {
  const first =
    event.kind === 'call'
      ? event.call.args[0]
      : event.kind === 'begun'
        ? /\((\d+)/.exec(event.text)?.[1]
        : undefined;
  return descriptorOf(first)?.fd ?? null;
}
