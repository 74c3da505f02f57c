/**
 * The whole state of a client: the states of its rooms, put together. What is durable is in those that take an Outbox; the rest begins
 * empty at each start.
 */
import type { UpdateNonce } from '../../shared/model/update.ts';
import type { PriorityClass } from '../../shared/model/priority-class.ts';
import { milliseconds, type Duration } from '../../shared/model/time.ts';
import type { Fid } from '../../shared/model/fid.ts';
import type { ErrorCode } from '../../shared/wire/error-codes.ts';
import { CacheState } from './cache/cache-state.ts';
import { CallsState } from './calls/calls-state.ts';
import { ConflictState } from './conflict/conflict-state.ts';
import { Outbox, type AnyRpc, type FileTask } from './effects.ts';
import type { Now, RequestId } from './events.ts';
import { LockState } from './lock/lock-state.ts';
import { QueueState } from './log/queue-state.ts';
import { Spared } from './log/spared.ts';
import { UpdateLog } from './log/update-log.ts';
import { Meta } from './meta.ts';
import { NamesState } from './names/names-state.ts';
import { Networks } from './network/networks.ts';
import { LimitsTold } from './network/limits-told.ts';
import { PrefetchState } from './prefetch/prefetch-state.ts';
import { QuotaState } from './quota/quota-state.ts';
import { RecoveryState } from './recovery/recovery-state.ts';
import { KnownDevices } from './names/device-list.ts';
import { Session } from './session/session.ts';
import { SharingState } from './sharing/sharing-state.ts';
import { Delays } from './waits/delays.ts';
import { LookCounts } from './waits/look-counts.ts';
import { Requests, type About, type Purpose } from './waits/requests.ts';
import { Tasks, type TaskPurpose } from './waits/tasks.ts';
import { WaitingCalls } from './waits/waiting-calls.ts';

export interface ClientConfig {
  /** As the settings have it at the start. */
  readonly deviceName: string;
  readonly software: string;
  /** The fingerprint of our key; left out: it is always the same. */
  readonly identity?: string;
  /** The name of updates logged in this run (UpdateNonce); left out: they have none. */
  readonly updateName?: UpdateNonce;
  /** Where the data folder is: other words for each copy of it, and after each start of the machine. Left out: not known. */
  readonly place?: string;
  /** `folder`: a front end follows each volume with a whole replica. */
  readonly frontEnd: 'folder' | 'none';
  /** To be redeemed at the first Hello. A secret. */
  readonly invitation: { readonly id: string; readonly secret: string } | null;
  readonly notConnectedWait: Duration;
  /** The most bytes of the file cache, where nobody has said otherwise. */
  readonly cacheBytes: number;
  /** Statuses that are kept of volumes that no front end follows; left out: MOST_STATUSES. */
  readonly mostStatuses?: number;
  /** Bytes of queued contents from which on writes wait, where nobody has said otherwise; left out: there is no limit. */
  readonly dirtyBytes?: number;
  /** Somebody will tell which network there is: until then nothing moves in the background. */
  readonly watchesNetwork?: boolean;
  /** Somebody may have contents in place (LocalCopies). */
  readonly localCopies: boolean;
  /** Left out: nothing. */
  readonly without?: WithoutParts;
}

/** What an experiment leaves out, to show what it is worth: it is handed in at the start, and no setting of a person's. */
export interface WithoutParts {
  /** No promise is believed where something is used: the server is asked, as by a client without callbacks. */
  readonly promises?: boolean;
  /** Nothing is read ahead: what comes before it is asked for is of file groups, or pinned. */
  readonly readAhead?: boolean;
}

/** Puts the parts of the client's state together, and sends requests and answers for them. */
export class ClientState {
  readonly config: ClientConfig;
  /** What people see of this laptop (names/device-name.ts). */
  deviceName: string;
  readonly out = new Outbox();
  readonly meta = new Meta(this.out);
  readonly session: Session;
  readonly names = new NamesState(this.out);
  readonly cache = new CacheState(this.out);
  readonly log = new UpdateLog(this.out);
  readonly queue = new QueueState(this.log);
  readonly sharing = new SharingState();
  readonly conflict = new ConflictState(this.out);
  readonly recovery = new RecoveryState();
  readonly networks: Networks;
  readonly limits = new LimitsTold();
  readonly locks = new LockState();
  readonly devices = new KnownDevices();
  readonly prefetch = new PrefetchState();
  readonly quota = new QuotaState();
  readonly calls = new CallsState(this.out);
  readonly waiting = new WaitingCalls();
  readonly looks = new LookCounts();
  readonly spared = new Spared();
  readonly delays = new Delays();
  readonly requests: Requests;
  readonly tasks = new Tasks(this.out);
  now: Now;
  /** Grows with each step: what was computed of the state holds until it is another one. */
  edition = 0;
  /** Something that a person sees has changed. */
  changed = true;

  constructor(config: ClientConfig, now: Now) {
    this.config = config;
    this.deviceName = config.deviceName;
    this.log.name = config.updateName ?? null;
    this.now = now;
    this.session = new Session(now.at);
    this.requests = new Requests(this.out, this.sharing.promises, now.at);
    this.networks = new Networks(this.out, now.at, config.watchesNetwork !== true);
  }

  get leaseMs(): Duration {
    return milliseconds(Number(this.meta.get('lease-ms') ?? 30_000));
  }

  /** A promise makes what is cached of a vnode the present one. */
  isPromised(fid: Fid): boolean {
    return this.sharing.promises.usable(fid) && !this.names.attributes.lacksOthers(fid);
  }

  isAway(): boolean {
    return this.session.isAway(this.now.at);
  }

  send(message: AnyRpc, priorityClass: PriorityClass, purpose: Purpose, about?: About): RequestId {
    return this.requests.send(message, priorityClass, purpose, this.now.at, about);
  }

  runTask(work: FileTask, purpose: TaskPurpose): void {
    this.tasks.run(this.requests.nextSerial(), work, purpose);
  }

  answer(call: number, value: unknown, file: string | null = null): void {
    this.#countLook(call, null);
    this.ended(call);
    this.out.emit({ kind: 'answer', call, value, ...(file === null ? {} : { file }) });
  }

  refuse(call: number, code: ErrorCode, message: string, remedy?: string): void {
    this.#countLook(call, code);
    this.ended(call);
    const other = remedy === undefined ? {} : { remedy };
    this.out.emit({ kind: 'refuse', call, code, message, ...other });
  }

  #countLook(call: number, code: ErrorCode | null): void {
    const waiting = this.waiting.get(call);
    if (waiting !== undefined) this.looks.ended(waiting, code);
  }

  /** Nobody waits for the call any more. */
  ended(call: number): void {
    this.waiting.end(call);
    this.queue.flushes.end(call);
    this.prefetch.noted.delete(call);
    this.calls.ended(call);
    this.sharing.toldCloses.end(call);
  }
}
