/** What the control endpoint serves: a running daemon, and what its process adds to it. */
import type { ResolutionReport, SideToKeep } from '../../../shared/control/resolution.ts';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import type { StatsReport } from '../../../shared/control/stats.ts';
import type { WallTime } from '../../../shared/model/time.ts';
import type { ControlledDaemon } from '../../../shared/ports/controlled.ts';
import type { Recordings } from '../../../shared/ports/recordings.ts';

export interface Pauses {
  /** null: until `resume`. */
  pause(forMs: number | null): void;
  /** Until the machine is on another network. Throws `not-found` if the present network is unknown. */
  pauseUntilNetworkChanges(): void;
  resume(): void;
  /** When syncing goes on by itself. */
  readonly until: WallTime | null;
  /** It does when the machine is on another network. */
  readonly untilNetworkChanges: boolean;
  /** Grows with each change of it. */
  readonly edition: number;
  /** `changed` is called at each, until what this gives is called. */
  listen(changed: () => void): () => void;
}

export interface Resolver {
  resolve(id: number, keep: SideToKeep): Promise<ResolutionReport>;
}

/** What the daemon tells in figures. */
export interface MetricsService {
  /** Where they are served over HTTP; null: nowhere. */
  readonly url: string | null;
  readonly text: () => Promise<string>;
  /** What was counted in the last so many milliseconds; null: since the daemon began. */
  readonly stats: (sinceMs: number | null) => StatsReport;
}

/** Where the server answers, and where the folder is. */
export interface Places {
  /** The same server, at another address: it is durable when this returns. Throws `bad-address`, `disk-full`, `disk-failing`. */
  moveServer(address: string): void;
  /**
   * Moves the folder, or adopts it at the place to which a person has moved it; resolves when it is open there. Rejects `folder-unusable`, `folder-nested`,
   * `folder-moved`, `in-the-way`, `other-file-system`, `try-again`, `usage` ...
   */
  moveFolder(to: string): Promise<void>;
}

/** What is in the folder, shown by the desktop of this machine. */
export interface Desktop {
  /** Names from the root of the folder. Rejects `usage` without a folder, `no-contents`, `no-desktop`. */
  open(path: readonly string[], reveal: boolean): Promise<void>;
}

/** The page for a browser of this machine. */
export interface PageService {
  /** An address that opens it, once. */
  open(): Promise<string>;
}

export interface ControlServices {
  readonly daemon: ControlledDaemon;
  readonly metrics: MetricsService;
  readonly pauses: Pauses;
  readonly conflicts: Resolver;
  readonly recorder: Recordings;
  readonly page: PageService;
  readonly places: Places;
  readonly desktop: Desktop;
}

/** The daemon's snapshot, and until when it is paused: a change of either is a revision. */
export function snapshotOf({ daemon, pauses }: ControlServices, isNow = false): StatusSnapshot {
  const snapshot = daemon.snapshot(isNow);
  const pausedUntil = snapshot.paused ? endOf(pauses) : null;
  const isUntilThen = snapshot.paused && pauses.untilNetworkChanges;
  const revision = snapshot.revision + pauses.edition;
  return {
    ...snapshot,
    pausedUntil,
    ...(isUntilThen ? { pausedUntilNetworkChanges: true } : {}),
    revision,
  };
}

/** As ISO 8601; null: without an end. */
export function endOf({ until }: Pauses): string | null {
  return until === null ? null : new Date(until).toISOString();
}

/** Resolves at the next change away from `revision`, or after `waitMs`. */
export async function snapshotChanged(
  { daemon, pauses }: ControlServices,
  revision: number,
  waitMs: number,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = pauses.listen(resolve);
  try {
    await Promise.race([daemon.changed(revision - pauses.edition, waitMs), promise]);
  } finally {
    stop();
  }
}
