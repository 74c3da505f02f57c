/**
 * The user's side of a simulated laptop: the disk that the synced folder is on, the programs that work there, and each life of the real folder engine,
 * beside the daemon of the cluster. The daemon's stores stay in memory (daemon-disk.ts).
 */
import { openFolderTree } from '../../../../daemon/adapters/mounted/folder-tree.ts';
import type { FolderFrontEnd } from '../../../../daemon/adapters/folder/folder-options.ts';
import type { Disk } from '../../../../daemon/adapters/folder/disk/disk.ts';
import type { Fid, VolumeId } from '../../../../shared/model/fid.ts';
import type { Digest } from '../../../../shared/model/vnode.ts';
import type { VolumesSeen } from '../../../../shared/ports/feed.ts';
import type { Log } from '../../../../shared/ports/log.ts';
import type { Timers } from '../../../../shared/ports/clock.ts';
import { milliseconds, seconds } from '../../../../shared/model/time.ts';
import type { LocalCopies, LocalCopy } from '../../../../shared/ports/file-store.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import { anyOrder, Pace } from '../cluster/latency.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import { STORE } from '../cluster/laptop-process.ts';
import type { LaptopFolder, OpeningFolder } from '../cluster/laptop-folder.ts';
import type { MemoryDisk } from '../disk/memory-disk.ts';
import { readFile } from '../posix/program-calls.ts';
import type { ProgramCalls } from '../posix/program-calls.ts';
import { portOf, type ProcessLife } from '../process/life.ts';
import type { World } from '../world.ts';
import { idOf } from './outside-files.ts';
import { filesIn, hasOthers, isSameFile, namesIn } from './trees.ts';
import { UnsyncedKept } from './check/unsynced-kept.ts';
import { daemonDisk } from './daemon-disk.ts';
import { Hand } from './hand.ts';
import type { Ledger } from './ledger.ts';
import { MachineTroubles } from './machine-troubles.ts';
import { MemoryRecords, RECORDS_LOST } from './memory-records.ts';
import type { ProgramKind } from './programs/program.ts';
import type { UserDisk } from './user-disk.ts';
import { WorkingPrograms } from './working-programs.ts';

export interface FolderMachineParts {
  readonly world: World;
  readonly client: ClientNode;
  readonly disk: UserDisk;
  readonly ledger: Ledger;
  readonly random: SeededRandom;
  /** Calls with a promise take up to so long. */
  readonly diskMs: number;
  /** Between two steps of a program. */
  readonly paceMs: number;
  /** How often another program comes between two calls of the daemon. */
  readonly betweenChance: number;
  /** Bounds of the engine that are not the usual ones. */
  readonly limits?: Readonly<Record<string, number>> | undefined;
  readonly longChance?: number | undefined;
  /** Other volumes are mounted in the folder; left out: none is. */
  readonly hasMounts?: boolean;
  /** Hears of what must not be. */
  readonly find: (checker: string, text: string) => void;
}

const AGAIN_AFTER = seconds(5);
/** Calls that are noted in the trace: they change something. */
const CHANGES = new Set([
  ...['rename', 'renameExchange', 'renameNoReplace', 'link', 'symlink', 'unlink', 'remove', 'move'],
  ...['drop', 'copyFile', 'makeDirectory', 'makeEmpty', 'removeDirectory', 'removeTree', 'save'],
  ...['setMode', 'setMtime', 'readParts', 'digestFile'],
]);
/** What is said where the folder can not be looked at for a while, or another is in its place. */
const AWAY = 'the synced folder is not where it was';

/** Keeps the folder of one laptop with the real engine, on a simulated disk. */
export class FolderMachine implements LaptopFolder {
  readonly programs: WorkingPrograms;
  readonly troubles: MachineTroubles;
  readonly observer: ProgramCalls;
  readonly unsynced: UnsyncedKept;
  readonly #parts: FolderMachineParts;
  readonly #between: SeededRandom;
  /** Of each volume that is kept in the folder, by its root. */
  readonly #records = new Map<Fid, MemoryRecords>();
  #folder: FolderFrontEnd | null = null;
  readonly #hooks = {
    before: (call = 'save', given: readonly unknown[] = []) => this.#before(call, given),
    after: () => this.#after(),
  };
  #calls = 0;
  #lives = 0;
  /** Starts of the machine. */
  #boots = 1;
  readonly #spoiled = new Set<Digest>();
  /** Calls of the daemon until it dies; null: it does not. */
  #crash: { left: number; readonly crashed: () => void } | null = null;
  #begun = 0;
  #given = 0;

  constructor(parts: FolderMachineParts) {
    this.#parts = parts;
    const { world, random, client, paceMs, disk } = parts;
    this.#between = random.fork('between');
    this.observer = disk.observer;
    this.troubles = new MachineTroubles({ disk, ledger: parts.ledger, laptop: client.name });
    this.programs = new WorkingPrograms({
      ...{ time: client.machine, random: random.fork('programs'), paceMs },
      note: (line) => world.note(`${client.name}: ${line}`),
      fault: (error) => world.fault(error),
    });
    this.unsynced = new UnsyncedKept({
      ...{ name: client.name, root: disk.root, find: parts.find },
      saidOf: (path) => this.saidOf(path),
    });
  }

  get name(): string {
    return this.#parts.client.name;
  }

  get client(): ClientNode {
    return this.#parts.client;
  }

  get root(): string {
    return this.#parts.disk.root;
  }

  get outside(): string {
    return this.#parts.disk.outside;
  }

  /** Null: it is not open. */
  get folder(): FolderFrontEnd | null {
    return this.#folder;
  }

  /** Of all daemons so far, on this disk. */
  get calls(): number {
    return this.#calls;
  }

  /** The daemon dies at that call of its disk from now, if it gets there. */
  crashAtCall(nth: number, crashed: () => void): void {
    this.#crash = { left: nth, crashed };
  }

  /** It does not. */
  crashAtNoCall(): void {
    this.#crash = null;
  }

  /** A loss of power may have left these bytes in a file, and nothing that tells so. */
  isSpoiled(digest: Digest | null): boolean {
    return digest !== null && this.#spoiled.has(digest);
  }

  /** The daemon says that what is at this path is not synced, and why; or a folder that it is in. */
  mayLeaveOut(path: string): boolean {
    return this.saidOf(path).length > 0 || this.isLeftOut(path);
  }

  /**
   * Codes of what the status lists of a path, and of the folders that it is in. What could not be moved is listed at its new name, and what is
   * attached to a file at one of its names.
   */
  saidOf(path: string): string[] {
    const above = pathsTo(path);
    const errors = this.#folder?.status().errors ?? [];
    return errors.flatMap(({ code, path: told, message }) => {
      // What a disk can't do is said once, of all that is on it.
      const isOfAll = told === null && code === 'disk-limits';
      const isOfFile = code === 'attributes-left' && told !== null && this.#isSame(told, path);
      const isSaid =
        isOfAll ||
        isOfFile ||
        above.some((at) => at === told || message.includes(`it is still “${at}”`));
      return isSaid ? [code] : [];
    });
  }

  #isSame(one: string, other: string): boolean {
    return isSameFile(this.observer, `${this.root}/${one}`, `${this.root}/${other}`);
  }

  /** By a rule, or as what it is. */
  isLeftOut(path: string): boolean {
    const folder = this.#folder;
    if (folder === null) return false;
    const told = new Set(folder.status().errors.map((error) => error.path));
    return pathsTo(path).some(
      (above) => !told.has(above) && (folder.leftOut?.(above.split('/')) ?? null) !== null,
    );
  }

  /** A folder has things in it that no folder syncs: pipes, or names that are no text. */
  holdsOthers(path: string): boolean {
    return hasOthers(this.observer, `${this.root}/${path}`);
  }

  /** As the disk keeps a time of what is at a path. */
  keptTime(path: string, time: bigint): bigint {
    return this.#parts.disk.keptTime(`${this.root}/${path}`, time);
  }

  /** Digests of what could be kept under no name. */
  lost(): Digest[] {
    const { client } = this.#parts;
    const own = this.#rooms().flatMap((room) => {
      return [...filesIn(this.observer, `${room}/lost+found`).values()];
    });
    return [
      ...client.lost().map((path) => client.disk.digest(path)),
      ...own.map(({ digest }) => digest),
    ];
  }

  /** Digests of replaced files that are kept for late writers. */
  late(): Digest[] {
    const kept = this.#rooms().flatMap((room) => [
      ...filesIn(this.observer, `${room}/late`).values(),
    ]);
    return kept.map(({ digest }) => digest);
  }

  /** The engine's own directories: one on each disk that the folder lies on. */
  #rooms(): string[] {
    const { inner } = this.#parts.disk;
    const names = inner === null ? [] : namesIn(this.observer, inner);
    const others = names.filter((name) => name.startsWith('.godwit-'));
    const mounted = this.mounted().flatMap(({ path }) => {
      const at = `${this.root}/${path}`;
      const own = namesIn(this.observer, at).filter((name) => name.startsWith('.godwit-'));
      return own.map((name) => `${at}/${name}`);
    });
    return [`${this.root}/.godwit`, ...others.map((name) => `${inner}/${name}`), ...mounted];
  }

  /** Volumes that are kept in the folder beside its own, and where. */
  mounted(): Array<{ readonly volume: VolumeId; readonly path: string }> {
    const all = this.#folder?.mounted?.() ?? [];
    return all.map(({ volume, path }) => ({ volume, path: path.join('/') }));
  }

  /** Files of the engine's own that are there still: of rooms that are to be empty. */
  leftOver(): string[] {
    const rooms = this.#rooms().flatMap((own) =>
      ['tmp', 'late', 'parked'].map((room) => `${own}/${room}`),
    );
    const left = rooms.flatMap((room) => [...filesIn(this.observer, room).keys()]);
    return left.map((path) => path.slice(this.root.length + 1));
  }

  /** What is in the folder and beside it, by path. */
  files(): ReturnType<typeof filesIn> {
    const outside = filesIn(this.observer, this.outside);
    return new Map([...filesIn(this.observer, this.root), ...outside]);
  }

  /**
   * After a loss of power files are in states in which no program left them. What a program of this laptop wrote and did not sync may be lost by that,
   * or be there with other bytes or these, with all its times as they were: nobody can tell. What the daemon brought here must be as it was.
   */
  lostPower(before: ReturnType<FolderMachine['files']>): void {
    const { ledger, client } = this.#parts;
    const by = { laptop: client.name, program: 'a loss of power' };
    const after = this.files();
    for (const path of after.keys()) ledger.saw(readFile(this.observer, path), by);
    const there = new Set([...after.values()].map(({ digest }) => digest));
    for (const [path, { digest, stats }] of before) {
      if ((ledger.of(digest)?.laptop ?? client.name) !== client.name) continue;
      const now = after.get(path);
      const at = { laptop: client.name, path: path.slice(this.root.length + 1) };
      if (!there.has(digest) && now === undefined) ledger.missing(digest, at);
      else if (!there.has(digest)) ledger.lostPower(digest, client.name);
      if (now === undefined) continue;
      if (now.digest !== digest || now.stats.ctime !== stats.ctime) this.#spoiled.add(now.digest);
    }
    ledger.forgetOrder();
    const outside = [...filesIn(this.observer, this.outside)];
    ledger.outside.are(
      this.name,
      new Map(outside.map(([path, { digest, stats }]) => [path, { id: idOf(stats), digest }])),
    );
  }

  /** A program begins to work. */
  begin(kind: ProgramKind, seed: number): void {
    const { disk, ledger, random, find, longChance, hasMounts = false } = this.#parts;
    this.#begun += 1;
    const name = `${kind.name} ${this.#begun}`;
    const calls = disk.process(kind.who ?? 'person');
    const hand = new Hand({
      ...{ calls, observer: this.observer, root: this.root, outside: this.outside, ledger },
      ...{ laptop: this.name, program: name, random: random.fork(`program ${seed}`) },
      torn: (text) => find('nothing is torn', text),
      note: (line) => this.#parts.world.note(`${this.name}: ${name} ${line}`),
      quietly: (act) => disk.quietly(calls, act),
      longChance,
      hasMounts,
    });
    this.programs.begin(name, kind.run(hand), () => calls.end());
  }

  open(opening: OpeningFolder): void {
    const { runtime, life } = opening;
    this.#lives += 1;
    this.#folder = null;
    life.atEnd(() => (this.#folder = null));
    const attempt = (): void => {
      const opened = this.#open(opening);
      runtime.expect(opened);
      opened.catch((error: unknown) => {
        if (life.over || runtime.isClosing) return;
        if (!(error instanceof GodwitError)) this.#parts.world.fault(error);
        opening.log.warn('the folder can not be opened', { why: String(error) });
        runtime.timers.start(AGAIN_AFTER, attempt);
      });
    };
    attempt();
  }

  losePower(): void {
    this.#boots += 1;
    this.programs.stop();
    this.#parts.disk.losePower();
  }

  setAside(): void {
    for (const records of this.#records.values()) records.setAside();
  }

  /** The next daemon finds its records damaged. */
  loseRecords(): void {
    for (const records of this.#records.values()) records.lose();
  }

  async #open(opening: OpeningFolder): Promise<void> {
    const { runtime, life, log } = opening;
    const { client } = this.#parts;
    const { feed, clock, timers } = runtime;
    const volumes = await runtime.fileSystem.volumes();
    const volume = volumes.find(({ id }) => id === client.volume);
    if (volume === undefined) throw new GodwitError('no-such-volume', 'not seen yet');
    if (life.over) return;
    const { disk, random, limits } = this.#parts;
    const frontEnd = await openFolderTree({
      ...{ root: this.root, dataDir: this.#parts.disk.data, volume, deviceName: () => client.name },
      boot: `${this.#boots}`,
      ...(limits === undefined ? {} : { limits }),
      diskRoom: () => disk.room(),
      fileSystem: portOf(runtime.fileSystem, 'folder calls', life),
      feed: portOf(feed, 'folder feed', life),
      volumes: portOf<VolumesSeen>(feed, 'folder volumes', life),
      ...{
        clock,
        timers: asOfNode(timers),
        log: this.#heard(log, life),
        random: random.fork(`engine ${this.#lives}`),
      },
      disk: this.#disk(opening),
      ...{ letOthersRun: () => this.#turn(life), mounts: disk.disks },
      askMount: (path) => disk.askMount(path),
      openRecords: (root) => this.#recordsOf(root).open(root, life, this.#hooks),
      dropRecords: (root) => void this.#records.delete(root),
    });
    if (life.over) return;
    this.#folder = frontEnd;
    runtime.attach(frontEnd, this.#copies(frontEnd, opening.stores));
  }

  #recordsOf(root: Fid): MemoryRecords {
    const records = this.#records.get(root) ?? new MemoryRecords();
    this.#records.set(root, records);
    return records;
  }

  #disk({ life, stores }: OpeningFolder): Disk {
    const { disk, random, client, diskMs } = this.#parts;
    const running = disk.daemon(() => !life.over);
    life.atEnd(() => running.end());
    return daemonDisk({
      disk: this.unsynced.watched(running.disk, running.calls),
      ...{ calls: running.calls, life, stores, storePaths: [`${STORE}/`] },
      later: anyOrder({
        ...{ time: client.machine, random: random.fork('latency'), pace: new Pace(diskMs) },
        label: `${client.name} folder disk`,
      }),
      ...this.#hooks,
    });
  }

  /** What else is ready goes first. */
  #turn(life: ProcessLife): Promise<void> {
    const { machine, name } = this.#parts.client;
    return new Promise((resolve) => {
      machine.soon(`${name} goes on`, () => (life.over ? undefined : resolve()));
    });
  }

  /** An error that the engine calls its own is one. */
  #heard(log: Log, life: ProcessLife): Log {
    const { find } = this.#parts;
    return {
      debug: (message, fields) => log.debug(message, fields),
      info: (message, fields) => log.info(message, fields),
      warn: (message, fields) => log.warn(message, fields),
      with: (fields) => this.#heard(log.with(fields), life),
      error: (message, fields) => {
        // What a dead process still says nobody hears.
        if (life.over) return;
        log.error(message, fields);
        // The root of a mounted volume goes with its mount point.
        const mayBeAway = this.troubles.any || this.#parts.hasMounts === true;
        if ((message === AWAY && mayBeAway) || message === RECORDS_LOST) return;
        find('the folder meets no error of its own', `${message}: ${String(fields?.['error'])}`);
      },
    };
  }

  #before(call: string, given: readonly unknown[]): void {
    const { betweenChance, world } = this.#parts;
    this.#calls += 1;
    if (CHANGES.has(call)) {
      const paths = given.filter((each) => typeof each === 'string').join(' -> ');
      world.note(`${this.name} daemon: ${call} ${paths.replaceAll(this.root, '')}`);
    }
    this.troubles.called();
    if (this.#between.chance(betweenChance)) this.programs.comeBetween();
  }

  #after(): void {
    const crash = this.#crash;
    if (crash === null) return;
    crash.left -= 1;
    if (crash.left > 0) return;
    this.#crash = null;
    this.#parts.client.crash();
    crash.crashed();
  }

  /** Copies for the daemon's stores: from the user's disk to theirs. */
  #copies(frontEnd: FolderFrontEnd, stores: MemoryDisk): LocalCopies {
    const put = (path: string): string => {
      const bytes = readFile(this.observer, path);
      this.observer.unlink(path);
      this.#given += 1;
      const to = `${STORE}/copies/copy-${this.#given}`;
      stores.write(to, bytes);
      return to;
    };
    return {
      copyOf: async (fid, version, digest) => {
        const path = await frontEnd.copyOf(fid, version, digest);
        return path === null ? null : put(path);
      },
      anyCopyOf: async (fid): Promise<LocalCopy | null> => {
        const copy = await frontEnd.anyCopyOf(fid);
        return copy === null ? null : { ...copy, path: put(copy.path) };
      },
    };
  }
}

/** It, and the folders that it is in. */
function pathsTo(path: string): string[] {
  const names = path.split('/');
  return names.map((_, depth) => names.slice(0, depth + 1).join('/'));
}

/** No timer of Node rings sooner than in a millisecond: what waits for the wall clock to go on would spin else. */
function asOfNode(timers: Timers): Timers {
  return { start: (delay, run) => timers.start(milliseconds(Math.max(1, delay)), run) };
}
