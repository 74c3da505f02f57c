/**
 * The synced folder with all that is mounted in it, as one front end: what is asked of the whole is asked of each, and what is asked of a path or of a
 * vnode of the one that has it.
 */
import { dirname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { ExcludedHere } from '../../../shared/control/exclusions.ts';
import type {
  ErrorStatus,
  UnstoredStatus,
  WaitingStatus,
} from '../../../shared/control/snapshot.ts';
import { volumeOf, type Fid, type VolumeId } from '../../../shared/model/fid.ts';
import type { CommitNumber, DataVersion, Digest } from '../../../shared/model/vnode.ts';
import type {
  KeptContents,
  MountedFrontEnd,
  VolumesSeen,
  WaitPolicy,
} from '../../../shared/ports/feed.ts';
import type { LocalCopy } from '../../../shared/ports/file-store.ts';
import { SystemRandom } from '../../../shared/system/system-random.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import type { Disk } from '../folder/disk/disk.ts';
import { openFolder } from '../folder/folder-front-end.ts';
import type { FolderFrontEnd, FolderOptions } from '../folder/folder-options.ts';
import type { Hindrance } from '../folder/hindrance.ts';
import type { MountPointHere, StandsFor } from '../folder/records/mount-points.ts';
import { handOver } from './hand-over.ts';
import { MountedVolumes, type Engine } from './mounted-volumes.ts';
import { TreeContents } from './tree-contents.ts';

export interface FolderTreeOptions extends FolderOptions {
  readonly volumes: VolumesSeen;
}

type Path = readonly string[];

/** Opens the folder of a volume, with those of the volumes that are mounted in it. Throws as `openFolder`. */
export async function openFolderTree(options: FolderTreeOptions): Promise<FolderFrontEnd> {
  const { volumes, ...given } = options;
  const random = given.random ?? new SystemRandom();
  const mounted = new MountedVolumes({
    ...{ options: given, volumes, openFolder, hex: (bytes) => random.hex(bytes) },
    letOthersRun: given.letOthersRun ?? (() => setImmediate()),
  });
  const top = await openFolder({
    ...given,
    keeper: mounted,
    otherBytes: () => mounted.bytesBut(given.volume.id),
    onChange: () => {
      mounted.lookSoon();
      given.onChange?.();
    },
  });
  mounted.begin(top);
  return new FolderTree(top, mounted, given.disk);
}

class FolderTree implements FolderFrontEnd {
  readonly contents: KeptContents;
  readonly #top: FolderFrontEnd;
  readonly #mounted: MountedVolumes;
  readonly #disk: Disk;

  constructor(top: FolderFrontEnd, mounted: MountedVolumes, disk: Disk) {
    this.#top = top;
    this.#mounted = mounted;
    this.#disk = disk;
    this.contents = new TreeContents(() => this.#all());
  }

  get volume(): VolumeId {
    return this.#top.volume;
  }

  get token(): string {
    return this.#top.token;
  }

  get hasBegun(): boolean {
    return this.#top.hasBegun;
  }

  get isAway(): boolean {
    return this.#top.isAway;
  }

  mountPoints(): readonly MountPointHere[] {
    return this.#top.mountPoints();
  }

  hindrance(path: Path): Promise<Hindrance | null> {
    const { frontEnd, rest } = this.#at(path);
    return frontEnd.hindrance(rest);
  }

  hasInode(inode: string): boolean {
    return this.#all().some((frontEnd) => frontEnd.hasInode(inode));
  }

  standsFor(fid: Fid, inode: string): StandsFor {
    return this.#top.standsFor(fid, inode);
  }

  get awaitsOthers(): boolean {
    return this.#top.awaitsOthers;
  }

  heard(): Promise<void> {
    return this.#top.heard();
  }

  givesUp(mountPoint: Fid): Promise<void> {
    return this.#top.givesUp(mountPoint);
  }

  lookAgain(): void {
    for (const frontEnd of this.#all()) frontEnd.lookAgain();
  }

  excluded(): ExcludedHere[] {
    const all = this.#top.excluded();
    for (const { frontEnd, path: at } of this.#mounted.open()) {
      for (const each of frontEnd.excluded()) {
        const path = each.path === null ? null : [...at, ...each.path];
        const staying = each.staying.map((row) => under(at, row));
        const around = all.findIndex((other) => path !== null && isUnder(path, other.path));
        const outer = all[around];
        if (outer === undefined) all.push({ ...each, path, staying });
        // It leaves with what it is in.
        else if (each.path?.length === 0) {
          const left = outer.left + each.left;
          all[around] = { ...outer, left, staying: [...outer.staying, ...staying] };
        } else all.push({ ...each, path, staying });
      }
    }
    return all;
  }

  /** What is mounted leaves before its mount point does. */
  async looked(): Promise<void> {
    for (const engine of this.#mounted.open().toReversed()) {
      await whileOpen(engine, engine.frontEnd.looked?.() ?? Promise.resolve());
    }
    await this.#top.looked?.();
    await this.#mounted.look();
    await this.#top.looked?.();
  }

  isOut(dir: Fid): boolean {
    return this.#ofFid(dir)?.isOut(dir) ?? false;
  }

  get isBare(): boolean {
    return this.#top.isBare;
  }

  mounted(): ReadonlyArray<Pick<Engine, 'volume' | 'path'>> {
    return this.#mounted.open().map(({ volume, path }) => ({ volume, path }));
  }

  of(volume: VolumeId): MountedFrontEnd | null {
    if (volume === this.#top.volume) return this;
    const engine = this.#mounted.of(volume);
    if (engine === null) return null;
    const { frontEnd } = engine;
    return {
      reached: async (commit, how) => {
        await whileOpen(engine, frontEnd.reached(commit, how));
      },
      leftOut: (path) => frontEnd.leftOut?.(path) ?? null,
    };
  }

  /** What is opened meanwhile is looked at as well. */
  async scan(): Promise<void> {
    await this.#top.scan();
    const seen = new Set<Engine>();
    for (;;) {
      await this.#mounted.look();
      const next = this.#mounted.open().find((engine) => !seen.has(engine));
      if (next === undefined) return;
      seen.add(next);
      await whileOpen(next, next.frontEnd.scan());
    }
  }

  async reached(commit: CommitNumber, how?: WaitPolicy): Promise<void> {
    await this.#top.reached(commit, how);
    await this.#mounted.look();
  }

  async handOver(path: Path, volume: VolumeId | null): Promise<void> {
    // What was done before is known and logged where it was done.
    await this.scan();
    await handOver(this.#mounted.all(), { path, volume }, this.#disk);
    if (volume !== null) await this.scan();
  }

  unsettled(): { paths: number; commits: number } {
    const all = this.#all().map((frontEnd) => frontEnd.unsettled());
    const paths = all.reduce((sum, each) => sum + each.paths, Number(this.#mounted.isBusy));
    return { paths, commits: all.reduce((sum, { commits }) => sum + commits, 0) };
  }

  waiting(): WaitingStatus[] {
    const busy = { path: null, reason: 'a mounted volume is being put in place or taken away' };
    const inner = this.#mounted
      .open()
      .flatMap(({ frontEnd, path }) => frontEnd.waiting().map((row) => under(path, row)));
    return [...this.#top.waiting(), ...inner, ...(this.#mounted.isBusy ? [busy] : [])];
  }

  leftOut(path: Path): string | null {
    const { frontEnd, rest } = this.#at(path);
    return frontEnd.leftOut?.(rest) ?? null;
  }

  unstored(): UnstoredStatus | null {
    const inner = this.#mounted.open().flatMap(({ frontEnd, path }) => {
      const found = frontEnd.unstored?.() ?? null;
      return found === null ? [] : [under(path, found)];
    });
    const all = [this.#top.unstored?.() ?? null, ...inner].filter((each) => each !== null);
    const [first] = all;
    if (first === undefined) return null;
    return { ...first, files: all.reduce((sum, { files }) => sum + files, 0) };
  }

  unlogged(): GodwitError | null {
    const own = this.#top.unlogged();
    if (own !== null) return own;
    for (const { frontEnd, path } of this.#mounted.open()) {
      const error = frontEnd.unlogged();
      if (error === null) continue;
      return new GodwitError(error.code, `/${path.join('/')}: ${error.message}`, error.remedy);
    }
    return null;
  }

  status(): { errors: ErrorStatus[] } {
    const inner = this.#mounted
      .open()
      .flatMap(({ frontEnd, path }) => frontEnd.status().errors.map((row) => under(path, row)));
    const mounted = this.#mounted.errors();
    const aside = this.#aside(new Set(mounted.map(({ path }) => path)));
    return { errors: [...this.#top.status().errors, ...inner, ...mounted, ...aside] };
  }

  aside(): readonly string[] {
    return this.#mounted.all().flatMap((engine) => asideIn(engine));
  }

  /** What lies in our directories, without what is `listed` by itself. */
  #aside(listed: ReadonlySet<string | null>): ErrorStatus[] {
    return this.#mounted.all().flatMap((engine): ErrorStatus[] => {
      const found = asideIn(engine).filter((at) => !listed.has(at));
      const [first] = found;
      if (first === undefined) return [];
      const count = found.length === 1 ? '1 file' : `${found.length} files`;
      const message = `${count} could stay nowhere in the folder: unsynced, and kept there`;
      const remedy = 'take out what you need, and remove the rest';
      return [{ code: 'put-aside', message, remedy, path: dirname(first) }];
    });
  }

  heldRemovals(): number {
    return this.#all().reduce((sum, frontEnd) => sum + frontEnd.heldRemovals(), 0);
  }

  confirmRemovals(path: Path | null = null): Promise<number> {
    return this.#toldOf(path, (frontEnd, at) => frontEnd.confirmRemovals(at));
  }

  rejectRemovals(path: Path | null = null): Promise<number> {
    return this.#toldOf(path, (frontEnd, at) => frontEnd.rejectRemovals(at));
  }

  copyOf(fid: Fid, version: DataVersion, digest: Digest): Promise<string | null> {
    return this.#ofFid(fid)?.copyOf(fid, version, digest) ?? Promise.resolve(null);
  }

  anyCopyOf(fid: Fid): Promise<LocalCopy | null> {
    return this.#ofFid(fid)?.anyCopyOf(fid) ?? Promise.resolve(null);
  }

  async close(): Promise<void> {
    await this.#mounted.close();
    await this.#top.close();
  }

  #all(): FolderFrontEnd[] {
    return [this.#top, ...this.#mounted.open().map(({ frontEnd }) => frontEnd)];
  }

  #ofFid(fid: Fid): FolderFrontEnd | null {
    const volume = volumeOf(fid);
    return volume === this.#top.volume ? this.#top : (this.#mounted.of(volume)?.frontEnd ?? null);
  }

  /** The innermost folder that a path lies in, and the path there. */
  #at(path: Path): { frontEnd: FolderFrontEnd; rest: Path } {
    const around = this.#mounted
      .open()
      .filter(({ path: at }) => isIn(path, at))
      .at(-1);
    if (around === undefined) return { frontEnd: this.#top, rest: path };
    return { frontEnd: around.frontEnd, rest: path.slice(around.path.length) };
  }

  /** Of a path it is told to those that it lies in or that lie beneath it. */
  async #toldOf(
    path: Path | null,
    tell: (frontEnd: FolderFrontEnd, path: Path | null) => Promise<number>,
  ): Promise<number> {
    let count = 0;
    for (const engine of this.#mounted.open()) {
      const rest = path === null || isIn(engine.path, path) ? null : path.slice(engine.path.length);
      if (path !== null && rest !== null && !isIn(path, engine.path)) continue;
      count += (await whileOpen(engine, tell(engine.frontEnd, rest))) ?? 0;
    }
    return count + (await tell(this.#top, path));
  }
}

/** The path itself, or beneath it. */
const isIn = (path: Path, above: Path): boolean => above.every((name, i) => path[i] === name);

const isUnder = (path: Path, above: Path | null): boolean => above !== null && isIn(path, above);

/** With its path below the root of the whole. */
function under<R extends { readonly path: string | null }>(above: Path, row: R): R {
  const at = above.join('/');
  return { ...row, path: row.path === null || row.path === '' ? at : `${at}/${row.path}` };
}

const asideIn = ({ frontEnd, path }: Engine): string[] =>
  frontEnd.aside().map((at) => [...path, at].join('/'));

/** undefined: the folder was closed meanwhile. */
function whileOpen<T>({ left }: Engine, work: Promise<T>): Promise<T | undefined> {
  return Promise.race([work, left]);
}
