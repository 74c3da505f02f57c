/** What a daemon's runtime is given: its ports, its settings, and whom it tells. */
import { DEFAULT_CACHE, type FreeDiskSpace } from '../../shared/model/cache.ts';
import type { Duration } from '../../shared/model/time.ts';
import type { DaemonDiskUse } from '../../shared/control/disk.ts';
import type { ErrorStatus } from '../../shared/control/snapshot.ts';
import type { ClientStore } from '../../shared/ports/client-store.ts';
import type { Clock, Timers } from '../../shared/ports/clock.ts';
import type { ReplicaFrontEnd } from '../../shared/ports/feed.ts';
import type { FileStore } from '../../shared/ports/file-store.ts';
import type { Transport, TransportHandler } from '../../shared/ports/transport.ts';
import type { Log } from '../../shared/ports/log.ts';
import type { Scheduling } from '../../shared/model/scheduling.ts';
import type { Random } from '../../shared/ports/random.ts';
import type { ClientConfig } from '../core/state.ts';
import { NOT_CONNECTED_WAIT } from '../limits.ts';
import type { SetAside } from './damaged-rows.ts';
import type { ServerAddress } from './rpc-client.ts';
import type { PartialPorts } from './transfers/transfers.ts';

export interface RuntimePorts {
  readonly makeTransport: (handler: TransportHandler) => Transport;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly clientStore: ClientStore;
  readonly fileStore: FileStore;
  readonly log: Log;
  /** Left out: contents move whole. */
  readonly partial?: PartialPorts;
  /** The free space of the disk of the file store. Absent: it is not measured. Throws the disk's error. */
  readonly diskRoom?: () => FreeDiskSpace;
  /** Lets pending I/O events of the program run first, so that one transaction covers them. Absent: they have run. */
  readonly breathe?: () => Promise<void>;
}

export interface RuntimeConfig {
  readonly server: ServerAddress;
  readonly deviceName: string;
  /** The fingerprint of our key: with another one the data folder is another device. Left out: it never changes. */
  readonly identity?: string;
  /** See ClientConfig. */
  readonly place?: string;
  readonly software: string;
  /** The version that is installed by now, if another. Left out: nobody looks. */
  readonly installed?: () => string | null;
  readonly pid: number;
  readonly frontEnd: 'folder' | 'mount' | 'none';
  /** Told in the status; left out: a person said which. */
  readonly frontEndWhy?: string | undefined;
  readonly folder: string | null;
  /** Told in the status; left out: by priorities. */
  readonly scheduling?: Scheduling;
  readonly invitation: ClientConfig['invitation'];
  /** How long a call that needs the server waits for it. */
  readonly notConnectedWait?: Duration;
  readonly cacheBytes?: number;
  /** See ClientConfig. */
  readonly mostStatuses?: number;
  /** See ClientConfig. */
  readonly dirtyBytes?: number;
  /** A network monitor will call `networkIs`. */
  readonly watchesNetwork?: boolean;
  /** See ClientConfig. */
  readonly without?: ClientConfig['without'];
}

/** Callbacks of the composition root. */
export interface RuntimeEvents extends SetAside {
  /** The invitation was redeemed. */
  paired?(): void;
  /** What this laptop is called from now on. */
  renamed?(name: string): void;
  /** A session has begun: the server has said which volumes this device sees. */
  volumes?(): void;
  /** So many rows were made durable: a measure of the work that was done. */
  committed?(rows: number): void;
  /** Somebody asked the daemon to end. */
  down?(): void;
  /** A fault that it can't survive. */
  fatal?(error: unknown): void;
  /** The newest lines of the log. */
  logLines?(count: number): Promise<string[]>;
  /** What is taken of the disk; `queued`: names of contents that are to be sent. */
  diskUse?(queued: ReadonlySet<string>): Promise<DaemonDiskUse>;
}

export type FrontEnd = ReplicaFrontEnd & { status?(): { errors: ErrorStatus[] } };

/** What the status says of the program. */
export function aboutProgram(config: RuntimeConfig) {
  const { pid, software, installed, frontEnd, frontEndWhy, scheduling } = config;
  const other = installed?.() ?? null;
  return {
    ...{ pid, version: software, frontEnd },
    ...(frontEndWhy === undefined ? {} : { frontEndWhy }),
    ...(other === null ? {} : { installed: other }),
    ...(scheduling === undefined ? {} : { scheduling }),
  };
}

/** The configuration of the core: that of the runtime, with the defaults of absent settings. */
export function clientConfig(config: RuntimeConfig): ClientConfig {
  return {
    deviceName: config.deviceName,
    ...(config.identity === undefined ? {} : { identity: config.identity }),
    ...(config.place === undefined ? {} : { place: config.place }),
    software: config.software,
    // A mount keeps contents in the cache, as programs have them.
    frontEnd: config.frontEnd === 'folder' ? 'folder' : 'none',
    invitation: config.invitation,
    notConnectedWait: config.notConnectedWait ?? NOT_CONNECTED_WAIT,
    cacheBytes: config.cacheBytes ?? DEFAULT_CACHE.maximum,
    ...(config.mostStatuses === undefined ? {} : { mostStatuses: config.mostStatuses }),
    ...(config.dirtyBytes === undefined ? {} : { dirtyBytes: config.dirtyBytes }),
    localCopies: config.frontEnd === 'folder',
    watchesNetwork: config.watchesNetwork === true,
    ...(config.without === undefined ? {} : { without: config.without }),
  };
}
