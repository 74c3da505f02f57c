/** What a replay counts while it goes on. Times are milliseconds since it began. */
import type { TraceOperation } from '../../trace/record.ts';

export interface WaitSums {
  count: number;
  ms: number;
  longestMs: number;
}

export interface PulledOpen {
  /** Of the contents that were queued. */
  readonly bytes: number;
  readonly ms: number;
}

export interface ProcessTally {
  readonly name: string;
  readonly program: string;
  readonly laptop: string;
  steps: number;
  began: number | null;
  ended: number;
  /** What it waited for its operations, apart from thinking. */
  waitedMs: number;
  /** Opens whose contents were not here. */
  readonly fetched: WaitSums;
}

const noWaits = (): WaitSums => ({ count: 0, ms: 0, longestMs: 0 });

/** Counts the steps, waits and reads of a replay, by process and by operation. */
export class Tally {
  readonly processes: ProcessTally[];
  readonly operations = new Map<TraceOperation, WaitSums>();
  /** Opens to read: those whose contents were not here. */
  readonly misses = noWaits();
  hits = 0;
  stale = 0;
  /** Opens that showed less of another laptop's updates than an earlier read had implied. */
  disordered = 0;
  /** Opens of what another laptop had queued and not committed: how long they took. */
  readonly pulled: PulledOpen[] = [];
  /** How often a program got the error that the server is away; it tries again. */
  away = 0;
  /** They ended otherwise than in the trace. */
  unlike = 0;
  /** Of these the first, for people. */
  readonly firstUnlike: string[] = [];
  /** Nothing could be done for them: what they work on was never opened. */
  skipped = 0;
  done = 0;
  readBytes = 0;
  writtenBytes = 0;
  lastReadMs = 0;
  lastWriteMs = 0;

  constructor(processes: ReadonlyArray<Pick<ProcessTally, 'name' | 'program' | 'laptop'>>) {
    this.processes = processes.map(({ name, program, laptop }) => {
      return {
        name,
        program,
        laptop,
        steps: 0,
        began: null,
        ended: 0,
        waitedMs: 0,
        fetched: noWaits(),
      };
    });
  }

  step(process: number, op: TraceOperation, beganMs: number, endedMs: number): void {
    this.done += 1;
    const took = endedMs - beganMs;
    const sums = this.operations.get(op) ?? noWaits();
    this.operations.set(op, sums);
    note(sums, took);
    const tally = this.processes[process];
    if (tally === undefined) return;
    tally.began ??= beganMs;
    tally.ended = endedMs;
    tally.steps += 1;
    tally.waitedMs += took;
  }

  opened(process: number, isCached: boolean, tookMs: number): void {
    if (isCached) {
      this.hits += 1;
      return;
    }
    note(this.misses, tookMs);
    const tally = this.processes[process];
    if (tally !== undefined) note(tally.fetched, tookMs);
  }

  notAsThere(what: string): void {
    this.unlike += 1;
    if (this.firstUnlike.length < 5) this.firstUnlike.push(what);
  }
}

function note(sums: WaitSums, ms: number): void {
  sums.count += 1;
  sums.ms += ms;
  sums.longestMs = Math.max(sums.longestMs, ms);
}
