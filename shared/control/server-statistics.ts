/** What a running server tells its administrator of itself: `godwit server top`. Counters began with the server's process. */
import type { CallStats } from './stats.ts';

/** The socket of a running server in its data folder. Its owner and root alone can open it. */
export const SERVER_SOCKET = 'control.sock';

/** `home`: somebody's home, which nobody else may see; `shared`: several people may see it; `single`: no home, and one person may see it, or nobody. */
export type VolumeKind = 'home' | 'shared' | 'single';
export const VOLUME_KINDS: readonly VolumeKind[] = ['home', 'shared', 'single'];

/** A device that is connected. Bytes are of its connection. */
export interface DeviceStatistics {
  readonly id: number;
  readonly name: string;
  readonly user: string;
  /** Calls of it that have no answer yet. */
  readonly openCalls: number;
  readonly sentBytes: number;
  readonly receivedBytes: number;
  /** How long ago somebody used it, milliseconds; null: not in the last quarter of an hour. */
  readonly usedMs: number | null;
}

export interface VolumeStatistics {
  readonly id: number;
  readonly name: string;
  readonly kind: VolumeKind;
  readonly head: number;
  readonly usedBytes: number;
  /** Calls that were answered, and the milliseconds they took; those that wait for changes are not among them. */
  readonly calls: number;
  readonly ms: number;
}

/** Who has used volumes of a kind in the last quarter of an hour; null: of any. */
export interface ActiveStatistics {
  readonly kind: VolumeKind | null;
  readonly users: number;
  readonly devices: number;
}

export interface ServerStatistics {
  readonly software: string;
  /** Milliseconds of a clock that goes forward: the difference of two answers is the time between them. */
  readonly atMs: number;
  /** How long the process runs, milliseconds. */
  readonly uptimeMs: number;
  readonly cpuMs: number;
  readonly memoryBytes: number;
  readonly diskFreeBytes: number;
  readonly takesContents: boolean;
  readonly connections: number;
  readonly sessions: number;
  /** What waits: calls without an answer, stores under way, updates for others, breaks for their acknowledgement. */
  readonly openCalls: number;
  readonly receivingStores: number;
  readonly waitingUpdates: number;
  readonly unacknowledgedBreaks: number;
  readonly sentBytes: number;
  readonly receivedBytes: number;
  readonly stepsMs: readonly number[];
  readonly calls: readonly CallStats[];
  readonly active: readonly ActiveStatistics[];
  readonly devices: readonly DeviceStatistics[];
  readonly volumes: readonly VolumeStatistics[];
}
