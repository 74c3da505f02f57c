/**
 * Where a replay happens: a server and laptops with a line between, and a clock. There are two: real processes over the relay, and the
 * production core and runtime in a simulated world.
 *
 * Contract
 * 1. `now` and `wait` are of one clock, which only goes forward; in a simulation it is the world's.
 * 2. A laptop is connected when it is handed out, and stays until `close`. The calls of one laptop may run side by side.
 * 3. `change` applies edits to the local contents at a path that the laptop's port has handed out for writing: the bytes they write are the
 *    same for the same stamp, and have nothing in common with those of another.
 * 4. Errors are those of the ports beneath (GodwitError). After `close` nothing of it is left, on this machine or in it.
 */
import type { Fid } from '../../../../shared/model/fid.ts';
import type { ConsistencyChange } from '../../../../shared/model/consistency.ts';
import type { PriorityClass } from '../../../../shared/model/priority-class.ts';
import type { Scheduling } from '../../../../shared/model/scheduling.ts';
import type { WritebackPolicy } from '../../../../shared/model/writeback.ts';
import type { RateStep } from '../../shaper/conditions.ts';
import type { FileSystem } from '../../../../shared/ports/file-system.ts';
import type { LocalTexts } from '../../../../shared/group/group-files.ts';
import type { Baseline } from './baseline.ts';
import type { CallSums } from '../../../../shared/metrics/call-meter.ts';

/** Something done to local contents, in order. */
export type Edit =
  | { readonly kind: 'write'; readonly offset: number; readonly length: number }
  /** To this size: what is more is dropped, what is missing is zeros. */
  | { readonly kind: 'truncate'; readonly size: number };

export interface LinkProfile {
  /** Both ways alike, bytes with headers a second; the first step is at 0, when the replay begins. */
  readonly rate: readonly RateStep[];
  readonly roundTripMs: number;
  /** What waits before the line at most, in time at its rate. */
  readonly queueMs: number;
}

export interface LaptopSettings {
  readonly policy: WritebackPolicy;
  readonly consistency?: ConsistencyChange;
  /** Whether it looks ahead by file groups; left out: as it does for everybody. */
  readonly prefetch?: boolean;
  /** How long a store waits for another write of its file; left out: as it does for everybody. */
  readonly delayMs?: number;
  /** The most that its cache keeps; left out: as it does for everybody. */
  readonly cacheBytes?: number;
  /** Null: at the server, with no line between. */
  readonly line: LinkProfile | null;
}

export interface WorldSettings {
  /** Of the server and of all laptops. */
  readonly scheduling: Scheduling;
  /** Left out: none. Only a simulated world has one. */
  readonly baseline?: Baseline;
}

/** Bytes that have crossed a line, with headers. */
export interface Crossed {
  readonly up: number;
  readonly down: number;
  /** Null: nobody counts them there. */
  readonly packets: { readonly up: PacketCount; readonly down: PacketCount } | null;
}

export interface PacketCount {
  /** That have crossed it. */
  readonly crossed: number;
  /** That the queue before it had no room for. */
  readonly dropped: number;
}

/** What the machine of a run takes for what no line is needed for, milliseconds. Other work on it is in all of them. */
export interface MachineCosts {
  /** A program's call to its daemon, there and back; and the same of each second from the beginning on. */
  readonly callMs: number;
  readonly calls: readonly number[];
  /** A part of a file that is written by itself, and not synced. */
  readonly editMs: number;
  /** Some bytes written to a file and synced. */
  readonly syncMs: number;
  /** Each MiB more of them. */
  readonly writeMsPerMiB: number;
}

export interface CostsMeter {
  /** What it was on average. Rejects where it could not be measured. */
  end(): Promise<MachineCosts>;
}

export type ClassSums = Readonly<Record<PriorityClass, CallSums>>;

export interface ReplayLaptop {
  readonly name: string;
  readonly fs: FileSystem;
  /** Of the volume. */
  readonly root: Fid;
  /** The local contents at paths that its port has handed out. */
  readonly texts: LocalTexts;
  change(path: string, edits: readonly Edit[], stamp: number): Promise<void>;
  /** The bytes of contents for this path that wait to be committed, of the last of them; null: there are none. */
  holds(path: string): Promise<number | null>;
  /** Resolves when everything of it is committed. */
  flush(): Promise<void>;
  /** What its calls have come to since it began. */
  calls(): Promise<ClassSums>;
  crossed(): Crossed;
  /** Measured from now on, with nothing sent over the line; null: there is no machine. */
  measure(): CostsMeter | null;
  /** The steps of its line's rate count from now on; another line where one is given. */
  begin(line?: LinkProfile): void;
  /** Its daemon ends in good order and begins anew: its promises are gone, its cache is not. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export interface ReplayWorld {
  /** Milliseconds. */
  now(): number;
  wait(ms: number): Promise<void>;
  laptop(name: string, settings: LaptopSettings): Promise<ReplayLaptop>;
  /** While no laptop is there: the server knows its files, and nothing any more of who has used them. */
  forget(): Promise<void>;
  /** Carries work out that waits for this world. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Never fails. */
  close(): Promise<void>;
}
