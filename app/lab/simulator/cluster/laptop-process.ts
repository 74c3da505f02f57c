/**
 * One life of a laptop's daemon: the production runtime on ports in memory, all of which end with that life. What outlives it is
 * the laptop's (client-node.ts) and is only lent.
 */
import type { FreeDiskSpace } from '../../../../shared/model/cache.ts';
import type { PriorityClass } from '../../../../shared/model/priority-class.ts';
import type { Identity, Transport, TransportHandler } from '../../../../shared/ports/transport.ts';
import type { Later } from '../clock/later.ts';
import { watchedRequests } from '../check/watched-requests.ts';
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import { MAX_HEADER_BYTES } from '../../../../shared/wire/limits.ts';
import type { WithoutParts } from '../../../../daemon/core/state.ts';
import { DaemonRuntime } from '../../../../daemon/runtime/daemon-runtime.ts';
import type { TransferLimits } from '../../../../daemon/runtime/transfers/transfer-limits.ts';
import type { PartialPorts } from '../../../../daemon/runtime/transfers/transfers.ts';
import type { Machine } from '../clock/machine.ts';
import { VirtualTimers, type VirtualClock } from '../clock/virtual-clock.ts';
import { LabelledDisk } from '../disk/labelled-disk.ts';
import type { MemoryDisk, StoreDisk } from '../disk/memory-disk.ts';
import { MemoryTransport } from '../net/memory-transport.ts';
import type { Sending } from '../net/send-queue.ts';
import type { MemoryNetwork } from '../net/memory-network.ts';
import type { CrashPoints } from '../process/crash-points.ts';
import { portOf, whileAlive, type ProcessLife } from '../process/life.ts';
import type { MemoryLog } from '../process/memory-log.ts';
import type { MemoryChunkLists } from '../store/memory-chunk-lists.ts';
import type { MemoryClientStore } from '../store/memory-client-store.ts';
import { MemoryDelta } from '../store/memory-delta.ts';
import { MemoryFileStore } from '../store/memory-file-store.ts';
import { MemoryTransferFiles } from '../store/memory-transfer-files.ts';
import { anyOrder, type Latency } from './latency.ts';
import { SERVER_HOST, SERVER_PORT, type Invitation } from './server-node.ts';

const SPOOL = '/spool';
export const STORE = '/store';
const TRANSFERS = '/transfers';

/** What the daemon asks of its ports and may die at. */
const DATABASE_STEPS = new Set(['recorded', 'load', 'record', 'commit']);
const FILES_STEPS = new Set([
  'adopt',
  'stage',
  'copyIn',
  'seal',
  'finish',
  'sync',
  'check',
  'take',
  'copyOut',
  'handOver',
  'remove',
  'discard',
  'lose',
  'list',
]);

const TRANSFER_STEPS = new Set([
  'get',
  'put',
  'forget',
  'list',
  'make',
  'apply',
  'join',
  'keep',
  'parts',
]);

/** So few that walks of a short story go beyond it. */
const FEW_STATUSES = 8;

export interface ProcessSettings {
  readonly name: string;
  readonly serverFingerprint: string;
  readonly frontEnd: 'folder' | 'none';
  /** Left out: as a person's daemon has it. */
  readonly cacheBytes?: number;
  /** How large its disk looks to it; left out: nobody looks. */
  readonly diskBytes?: number;
  /** From what length on contents move in part; null: they move whole. */
  readonly partial: TransferLimits | null;
  /** How what it sends is ordered; left out: as usual. */
  readonly sending?: Sending;
  /** What an experiment leaves out; left out: nothing. */
  readonly without?: WithoutParts;
  /** Stands around its link; left out: nothing does. */
  readonly around?: (makeLink: MakeTransport) => MakeTransport;
}

type MakeTransport = (handler: TransportHandler) => Transport;

/** What the laptop lends. */
export interface LaptopParts {
  readonly settings: ProcessSettings;
  readonly network: MemoryNetwork;
  readonly machine: Machine;
  readonly clock: VirtualClock;
  readonly random: SeededRandom;
  readonly disk: MemoryDisk;
  readonly clientStore: MemoryClientStore;
  readonly chunkLists: MemoryChunkLists;
  readonly crashPoints: CrashPoints;
  readonly log: MemoryLog;
  /** How large its disk looks now. */
  readonly diskBytes: () => number | undefined;
  /** How long the files take to answer. */
  readonly latency: Latency;
  /** Hears of each request that is handed to the link. */
  readonly sending: (priorityClass: PriorityClass) => void;
}

/** What is so at this start. */
export interface StartOptions {
  readonly life: ProcessLife;
  readonly identity: Identity;
  /** Of the machine. */
  readonly starts: number;
  readonly invitation: Invitation | null;
  readonly deviceName: string;
  readonly renamed: (name: string) => void;
  readonly paired: () => void;
  readonly setAside: () => void;
  readonly fatal: (error: unknown) => void;
}

/** Starts the production daemon on simulated ports that end with this process. */
export class LaptopProcess {
  readonly #lent: LaptopParts;
  readonly #now: StartOptions;
  readonly #timers: VirtualTimers;
  #link: MemoryTransport | null = null;

  constructor(lent: LaptopParts, now: StartOptions) {
    this.#lent = lent;
    this.#now = now;
    const { disk, machine, settings } = lent;
    for (const path of disk.list(SPOOL)) disk.remove(path);
    const timers = new VirtualTimers(machine, settings.name);
    this.#timers = timers;
    now.life.atEnd(() => timers.stop());
  }

  get openCalls(): number {
    return this.#link?.openCalls ?? 0;
  }

  get timersWaiting(): number {
    return this.#timers.waiting;
  }

  start(): Promise<DaemonRuntime> {
    const { settings, clock, random, clientStore, crashPoints, log, latency } = this.#lent;
    const { life, identity, starts, invitation, deviceName } = this.#now;
    const { paired, renamed, setAside, fatal } = this.#now;
    const { serverFingerprint: fingerprint, frontEnd, name, cacheBytes } = settings;
    const { around = (makeLink) => makeLink } = settings;
    const delay = whileAlive(life, anyOrder(latency));
    const disk = new LabelledDisk(this.#lent.disk, crashPoints, life);
    const fileStore = new MemoryFileStore({ disk, folder: STORE, delay });
    const database = crashPoints.witness('database', DATABASE_STEPS);
    const files = crashPoints.witness('files', FILES_STEPS);
    return DaemonRuntime.start(
      {
        makeTransport: around((handler) => this.#makeTransport(handler)),
        clock,
        timers: this.#timers,
        random,
        clientStore: portOf(clientStore, 'database', life, { witness: database }),
        fileStore: portOf(fileStore, 'files', life, { witness: files }),
        log,
        ...freeSpaceOf(this.#lent.disk, this.#lent.diskBytes),
        ...this.#partial(disk, delay),
      },
      {
        server: { host: SERVER_HOST, port: SERVER_PORT, fingerprint },
        deviceName,
        identity: identity.fingerprint,
        place: `${name}, started ${starts} times`,
        software: 'godwitd in a simulation',
        pid: 1,
        frontEnd,
        folder: frontEnd === 'folder' ? '/folder' : null,
        invitation,
        // A laptop with little room keeps few names, too.
        ...(settings.without === undefined ? {} : { without: settings.without }),
        ...(cacheBytes === undefined ? {} : { cacheBytes, mostStatuses: FEW_STATUSES }),
      },
      { paired, renamed, setAside, fatal },
    );
  }

  #makeTransport(handler: TransportHandler): Transport {
    const { settings, network, disk, machine } = this.#lent;
    const { life, identity } = this.#now;
    const link = new MemoryTransport(network, {
      host: settings.name,
      disk,
      identity,
      spool: SPOOL,
      maxHeaderBytes: MAX_HEADER_BYTES,
      machine,
      partialFrom: 1,
      ...(settings.sending === undefined ? {} : { sending: settings.sending }),
      handler,
    });
    life.atEnd(() => link.kill());
    this.#link = link;
    return watchedRequests(link, this.#lent.sending);
  }

  #partial(disk: StoreDisk, delay: Later): { partial?: PartialPorts } {
    const { settings, crashPoints, chunkLists } = this.#lent;
    const { life } = this.#now;
    const { partial: limits } = settings;
    if (limits === null) return {};
    const witness = crashPoints.witness('transfers', TRANSFER_STEPS);
    const files = new MemoryTransferFiles({ disk, folder: TRANSFERS, delay });
    const delta = new MemoryDelta({ disk, delay });
    return {
      partial: {
        delta: portOf(delta, 'transfers', life, { witness }),
        chunkLists: portOf(chunkLists, 'transfers', life, { witness }),
        files: portOf(files, 'transfers', life, { witness }),
        limits,
      },
    };
  }
}

function freeSpaceOf(
  disk: MemoryDisk,
  bytes: () => number | undefined,
): { readonly diskRoom?: () => FreeDiskSpace } {
  if (bytes() === undefined) return {};
  // A write that goes over is not stopped here, as it would be by a real disk: less than nothing is free then.
  return {
    diskRoom: () => {
      const total = bytes() ?? 0;
      return { total, free: total - disk.usedBytes };
    },
  };
}
