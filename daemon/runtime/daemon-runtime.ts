/**
 * A running daemon without the world: the core, its loop, and the ports it fulfils (FileSystem, Feed, ControlledDaemon).
 *
 * All of the world comes in through ports, so the simulator runs this unchanged.
 */
import type { CacheChange, CacheSettings } from '../../shared/model/cache.ts';
import type { FolderUse } from '../../shared/control/cache.ts';
import type { DaemonDiskUse } from '../../shared/control/disk.ts';
import type {
  FetchReport,
  PathQueue,
  QueueRequest,
  QueueOrder,
  QueueOutcome,
  QueueReport,
} from '../../shared/control/queue.ts';
import type { SuggestedGroup } from '../../shared/control/groups.ts';
import type { WritebackChange, WritebackSettings } from '../../shared/model/writeback.ts';
import type { FoundConflict } from '../../shared/control/resolution.ts';
import type { SharingOf, SharingReport } from '../../shared/control/sharing.ts';
import type { ErrorStatus, StatusSnapshot } from '../../shared/control/snapshot.ts';
import type { Clock, Timers } from '../../shared/ports/clock.ts';
import type { ControlledDaemon, VolumePath } from '../../shared/ports/controlled.ts';
import type { LocalCopies } from '../../shared/ports/file-store.ts';
import type { NetworkFacts, NetworkRule } from '../../shared/model/network.ts';
import type { NetworkList } from '../../shared/control/network.ts';
import type { ConsistencyChange, ConsistencySettings } from '../../shared/model/consistency.ts';
import type { Fid, VolumeId } from '../../shared/model/fid.ts';
import { formatHostPort, type HostPort } from '../../shared/model/host-port.ts';
import type { SharingOrder } from '../../shared/model/sharing.ts';
import type { LimitsChange, TransferLimits } from '../../shared/model/transfer-limits.ts';
import { UPDATE_NAME_DIGITS } from '../../shared/model/update.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { Client } from '../core/client.ts';
import type { Effect } from '../core/effects.ts';
import type { ClientState } from '../core/state.ts';
import { CLOSE_WAIT } from '../limits.ts';
import { AttachedFrontEnd } from './attached-front-end.ts';
import { CoreAccessKeeper } from './core-access-keeper.ts';
import { CoreCacheKeeper } from './cache-keeper.ts';
import { CallBroker } from './call-broker.ts';
import { CoreFeed } from './core-feed.ts';
import { CoreFileSystem } from './core-file-system.ts';
import { CoreHistory } from './core-history.ts';
import { loadRows } from './damaged-rows.ts';
import { DiskWatch, diskFull } from './disk-watch.ts';
import { EventLoop } from './event-loop.ts';
import { Flushes } from './flushes.ts';
import { FileWorker } from './file-worker.ts';
import { CoreLockKeeper } from './core-lock-keeper.ts';
import { CorePastKeeper } from './history/past-keeper.ts';
import { RpcClient } from './rpc-client.ts';
import { programFiles, type SnapshotFiles } from './history/snapshot-files.ts';
import { Publisher, type Unnumbered } from './publisher.ts';
import { queueAt, queuePage } from './queue-page.ts';
import { clearOrphans, lostSaves, recoverRecords } from './recover-records.ts';
import {
  aboutProgram,
  clientConfig,
  type FrontEnd,
  type RuntimeConfig,
  type RuntimeEvents,
  type RuntimePorts,
} from './runtime-options.ts';
import { Transfers } from './transfers/transfers.ts';

/**
 * A running daemon behind ports: the core, its event loop, its transport and the calls it serves.
 */
export class DaemonRuntime implements ControlledDaemon {
  readonly fileSystem: CoreFileSystem;
  readonly programs: SnapshotFiles;
  readonly feed: CoreFeed;
  readonly history: CoreHistory;
  readonly past: CorePastKeeper;
  readonly access: CoreAccessKeeper;
  readonly cache: CoreCacheKeeper;
  readonly #ports: RuntimePorts;
  readonly #config: RuntimeConfig;
  readonly #events: RuntimeEvents;
  readonly #client: Client;
  readonly #loop: EventLoop;
  readonly #broker: CallBroker;
  readonly #driver: RpcClient;
  readonly #worker: FileWorker;
  readonly #transfers: Transfers | null;
  readonly #publisher: Publisher;
  readonly #flushes: Flushes;
  readonly #disk: DiskWatch;
  readonly #attached = new AttachedFrontEnd();
  #folder: string | null;
  #rootErrors: readonly ErrorStatus[] = [];
  /** Till the next start. */
  #lost: readonly ErrorStatus[] = [];
  #closing: Promise<void> | null = null;

  /** Loads what is durable, clears what a crash left, and begins to connect. */
  static async start(
    ports: RuntimePorts,
    config: RuntimeConfig,
    events: RuntimeEvents = {},
  ): Promise<DaemonRuntime> {
    const lost = await recoverRecords(ports);
    const { rows, notices } = await loadRows(ports, events);
    const updateName = ports.random.hex(UPDATE_NAME_DIGITS / 2);
    const client = new Client({ ...clientConfig(config), updateName }, rows, {
      at: ports.clock.now(),
      wall: ports.clock.wall(),
    });
    await clearOrphans(ports, client);
    const runtime = new DaemonRuntime(ports, config, events, client);
    runtime.#lost = [...notices, ...lostSaves(lost, client)];
    for (const { path, message } of runtime.#lost) ports.log.error(message, { path });
    runtime.#loop.post({ kind: 'start' });
    runtime.#disk.look();
    return runtime;
  }

  private constructor(
    ports: RuntimePorts,
    config: RuntimeConfig,
    events: RuntimeEvents,
    client: Client,
  ) {
    this.#ports = ports;
    this.#config = config;
    this.#folder = config.folder;
    this.#events = events;
    this.#client = client;
    const { clock, timers, random, fileStore, log } = ports;
    this.#loop = new EventLoop({
      client,
      store: ports.clientStore,
      clock,
      timers,
      log,
      breathe: ports.breathe ?? (() => Promise.resolve()),
      carryOut: (effect) => this.#carryOut(effect),
      isEarly: (effect) => this.#isEarly(effect),
      contents: () => this.#worker,
      committed: (rows) => events.committed?.(rows),
      diskFull: () => this.#transfers?.diskFull(),
      gaveUp: () => this.#broker.close(),
      fatal: (error) => this.#fatal(error),
    });
    const post = this.#loop.post.bind(this.#loop);
    this.#broker = new CallBroker(post);
    this.#disk = new DiskWatch(ports, post, () => this.#transfers?.partBytes ?? 0);
    const { server } = config;
    const { makeTransport, partial } = ports;
    const localCopies = (): LocalCopies | null => this.#attached.localCopies;
    const transfers = partial && new Transfers({ ...partial, fileStore, localCopies, clock, log });
    this.#transfers = transfers ?? null;
    const about = { makeTransport, server, fileStore, random, clock, log, post };
    this.#driver = new RpcClient(transfers === undefined ? about : { ...about, transfers });
    const diskFull = (): void => transfers?.diskFull();
    const isEarly = (call: number): boolean => this.#broker.isEarly(call);
    this.#worker = new FileWorker({ fileStore, log, post, localCopies, diskFull, isEarly });
    const flush = (volume: VolumeId, timeoutMs: number | null): Promise<void> =>
      this.#flushes.volume(volume, timeoutMs);
    this.fileSystem = new CoreFileSystem(this.#broker, fileStore, flush, 'durable');
    this.feed = new CoreFeed(this.#broker, client, post, clock);
    this.history = new CoreHistory(this.#broker, client);
    this.programs = programFiles(this.#broker, fileStore, flush, this.history);
    this.access = new CoreAccessKeeper(this.#broker, this.fileSystem, this.#attached);
    this.past = new CorePastKeeper({
      ...{ fileSystem: this.fileSystem, history: this.history },
      flush: (timeoutMs) => this.flush(timeoutMs),
      orderQueue: (order) => this.orderQueue(order),
    });
    this.cache = new CoreCacheKeeper(
      this.fileSystem,
      this.#broker,
      client.reports,
      () => this.#attached.current,
    );
    this.#flushes = new Flushes({
      ...ports,
      broker: this.#broker,
      frontEnd: this.#attached,
      status: () => this.#publisher.now(),
      scan: () => this.scan(),
      volumes: () => this.fileSystem.volumes(),
      hurry: () => this.hurry(),
      disk: this.#disk,
    });
    this.#publisher = new Publisher(clock, timers, () => this.#status());
  }

  get clock(): Clock {
    return this.#ports.clock;
  }

  get timers(): Timers {
    return this.#ports.timers;
  }

  get isClosing(): boolean {
    return this.#closing !== null;
  }

  /** For those who look for leaks and count after us. Only to be read. */
  get inside(): ClientState {
    return this.#client.inside;
  }

  /** A front end is attached when `opening` resolves: until then, scans and flushes wait. */
  expect(opening: Promise<void>): void {
    this.#attached.expect(opening);
  }

  /** The front end is about to be closed, to be opened at another place: it is attached again when this resolves. */
  moves(opening: Promise<void>): void {
    this.#attached.leaves(opening);
  }

  /** Where the folder is now. */
  showsAt(folder: string): void {
    this.#folder = folder;
  }

  /** The folder is open: it is asked to scan, and waited for. */
  attach(frontEnd: FrontEnd, localCopies: LocalCopies | null = null): void {
    this.#attached.attach(frontEnd, localCopies);
  }

  /** Errors of the composition root, for the status; they replace its earlier ones. */
  report(errors: readonly ErrorStatus[]): void {
    this.#rootErrors = errors;
  }

  /** As the server said in the last Hello: the usual volume of this device, and names of volumes that were removed. */
  get told(): { readonly usual: VolumeId | null; readonly removed: readonly string[] } {
    return this.#client.reports.volumesTold();
  }

  snapshot(isNow = false): StatusSnapshot {
    return isNow ? this.#publisher.now() : this.#publisher.snapshot();
  }

  changed(revision: number, waitMs: number): Promise<void> {
    return this.#publisher.changed(revision, waitMs);
  }

  pause(): void {
    this.#loop.post({ kind: 'pause' });
  }

  resume(): void {
    this.#loop.post({ kind: 'resume' });
  }

  queue(question: QueueRequest): Promise<QueueReport> {
    return queuePage(this.#client.reports, this.#ports, question);
  }

  queueAt(volume: string, path: readonly string[]): Promise<PathQueue> {
    return queueAt(this.#client.reports, this.#ports, volume, path);
  }

  fetches(most: number): FetchReport {
    return this.#client.reports.fetches(most);
  }

  orderQueue(order: QueueOrder): Promise<QueueOutcome> {
    return this.#broker.call({ op: 'queue', order });
  }

  consistency(change: ConsistencyChange): Promise<ConsistencySettings> {
    return this.#broker.call({ op: 'consistency', change });
  }

  sharing(fid: Fid | null): SharingReport {
    return this.#client.reports.sharing(fid);
  }

  orderSharing(fid: Fid, order: SharingOrder | null): Promise<SharingOf> {
    return this.#broker.call({ op: 'sharing', fid, order });
  }

  writeback(change: WritebackChange): Promise<WritebackSettings> {
    return this.#broker.call({ op: 'writeback', change });
  }

  cacheSettings(change: CacheChange): Promise<CacheSettings> {
    return this.#broker.call({ op: 'cache-settings', change });
  }

  readonly limits = (change: LimitsChange): Promise<TransferLimits> =>
    this.#broker.call({ op: 'limits', change });

  suggestedGroups(): SuggestedGroup[] {
    return this.#client.reports.suggestedGroups();
  }

  hurry(): void {
    if (this.#client.hasDelayed()) this.#loop.post({ kind: 'hurry' });
  }

  /** The machine is on this network now; null: none, or unknown. `utcOffsetMs`: the local offset from UTC, milliseconds. */
  networkIs(facts: NetworkFacts | null, utcOffsetMs: number): void {
    this.#loop.post({ kind: 'network', facts, utcOffsetMs });
  }

  async renameDevice(name: string): Promise<void> {
    await this.#broker.call({ op: 'rename-device', name });
  }

  /** What this laptop is called. */
  get deviceName(): string {
    return this.#client.inside.deviceName;
  }

  /** Resolves when the rule is durable. Rejects `usage`, `not-found`. */
  async ruleNetwork(network: string, change: Partial<NetworkRule> | null): Promise<void> {
    await this.#broker.call({ op: 'network-rule', network, change });
  }

  acrossMounts = (at: VolumePath): VolumePath => this.#client.reports.acrossMounts(at);
  get locks(): CoreLockKeeper {
    return new CoreLockKeeper(this.#broker, this.#client.reports);
  }

  networks(): NetworkList {
    return this.#client.reports.networks();
  }

  async leftOut(volume: string, path: readonly string[]): Promise<string | null> {
    const known = (await this.fileSystem.volumes()).find(({ name }) => name === volume);
    return known === undefined ? null : this.#attached.leftOut(known.id, path);
  }

  async scan(): Promise<void> {
    await this.#attached.ask(async (frontEnd) => frontEnd?.scan());
  }

  /** `now`: also what its network holds back, until it is done or given up. */
  async flush(timeoutMs: number | null, now = false): Promise<void> {
    if (now) this.#loop.post({ kind: 'spend', begins: true });
    try {
      await this.#flushes.all(timeoutMs);
    } finally {
      if (now) this.#loop.post({ kind: 'spend', begins: false });
    }
  }

  confirmRemovals(path: readonly string[] | null = null): Promise<number> {
    return this.#attached.ask(async (frontEnd) => (await frontEnd?.confirmRemovals?.(path)) ?? 0);
  }

  rejectRemovals(path: readonly string[] | null = null): Promise<number> {
    return this.#attached.ask(async (frontEnd) => (await frontEnd?.rejectRemovals?.(path)) ?? 0);
  }

  async logLines(count: number): Promise<string[]> {
    return (await this.#events.logLines?.(count)) ?? [];
  }

  async diskUse(): Promise<DaemonDiskUse> {
    const use = await this.#events.diskUse?.(this.#client.queuedContents());
    if (use === undefined) throw new GodwitError('internal', 'nobody knows what is on the disk');
    const { folder } = this.#inFolder();
    return folder === undefined ? use : { ...use, folder: folder.here };
  }

  /** One that nobody has dealt with, as it is now; null: there is no such. */
  conflict(id: number): FoundConflict | null {
    return this.#client.reports.conflict(id);
  }

  dismissConflict(id: number): void {
    this.#loop.post({ kind: 'dismiss', conflict: id });
  }

  down(): void {
    this.#events.down?.();
  }

  /** The network changed: the connection moves to the address there is now. */
  networkChanged(): void {
    this.#driver.rebind();
  }

  /** The server is there from now on: what is under way is sent anew. */
  readdress(address: HostPort): void {
    this.#driver.readdress(address);
    this.#loop.post({ kind: 'readdress' });
  }

  /** Ends in good order: what was acknowledged is durable, the connection is closed, the files are closed. */
  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async #close(): Promise<void> {
    // A front end waits for what it has under way, but not for a server that is silent.
    this.#loop.ending();
    const patience = this.#ports.timers.start(CLOSE_WAIT, () => this.#broker.close());
    await this.#attached.current?.close();
    // What is left goes first thing when it is up again.
    this.hurry();
    patience.cancel();
    this.#broker.close();
    this.#publisher.close();
    this.#disk.close();
    this.#loop.post({ kind: 'ending' });
    await this.#loop.close();
    await this.#driver.shutdown();
    await this.#worker.settled();
    await this.#ports.clientStore.close();
  }

  /** What is done for a program on this machine. */
  #isEarly(effect: Effect): boolean {
    if (effect.kind === 'answer' || effect.kind === 'refuse') {
      return this.#broker.isEarly(effect.call);
    }
    return (
      effect.kind === 'file' && 'call' in effect.work && this.#broker.isEarly(effect.work.call)
    );
  }

  #carryOut(effect: Effect): void {
    this.feed.before(effect);
    switch (effect.kind) {
      case 'connect':
        return this.#driver.connect();
      case 'disconnect':
        return this.#driver.disconnect();
      case 'limit':
        return this.#driver.limit(effect.bytesPerSecond);
      case 'request':
        return this.#driver.send(effect);
      case 'stop':
        return this.#driver.stop(effect.request);
      case 'acknowledge':
        return this.#driver.acknowledge(effect.call, effect.told);
      case 'pulled':
        return this.#driver.answerPull(effect.call, effect.held);
      case 'raise':
        return this.#driver.raise(effect.request, effect.priorityClass);
      case 'answer':
        return this.#answer(effect.call, effect.value, effect.file ?? null);
      case 'refuse':
        return this.#broker.refuse(effect.call, effect.code, effect.message, effect.remedy);
      case 'file':
        return this.#worker.run(effect.task, effect.work);
      case 'woken':
        return this.feed.wake();
      case 'paired':
        return this.#events.paired?.();
      case 'renamed':
        return this.#events.renamed?.(effect.name);
      case 'volumes':
        this.feed.volumesHeard();
        return this.#events.volumes?.();
      case 'log':
        return this.#ports.log[effect.level](effect.message, effect.fields);
    }
  }

  #answer(call: number, value: unknown, file: string | null): void {
    if (this.#broker.answer(call, value) || file === null) return;
    this.#worker.run(0, { what: 'discard', spool: file });
  }

  #status(): Unnumbered {
    const { server } = this.#driver;
    const unsettled = this.#attached.unsettled();
    const errors = this.#attached.current?.status?.().errors ?? [];
    const full = this.#loop.isDiskFull ? [diskFull()] : [];
    const allErrors = [...full, ...this.#rootErrors, ...this.#lost, ...errors];
    const waiting = this.#attached.waiting();
    const report = this.#client.reports.status({ unsettled, waiting, errors: allErrors });
    const rates = this.#driver.traffic.rates(this.#ports.clock.now());
    return {
      ...aboutProgram(this.#config),
      server: { address: formatHostPort(server), fingerprint: server.fingerprint },
      folder: this.#folder,
      ...report,
      ...this.#attached.notHere(),
      cache: { ...report.cache, ...this.#inFolder() },
      link: { ...report.link, rates },
    };
  }

  #inFolder(): { folder?: FolderUse } {
    const folder = this.#attached.current?.contents?.use();
    return folder === undefined ? {} : { folder };
  }

  #fatal(error: unknown): void {
    const isBug = error instanceof Error && !(error instanceof GodwitError);
    const why = isBug ? (error.stack ?? error.message) : String(error);
    this.#ports.log.error('the daemon can not go on', { why });
    this.#broker.close();
    this.#events.fatal?.(error);
  }
}
