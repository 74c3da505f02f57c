/**
 * The front end that mounts a volume (FUSE). An early state: see docs/internals/mount.md.
 *
 * The addon answers the kernel and logs what programs do; here its operations are taken up, its questions answered, and what others
 * change is pushed. Files are fetched when they are opened.
 */
import { constants as numbers } from 'node:os';
import type { ErrorStatus, WaitingStatus } from '../../../shared/control/snapshot.ts';
import { volumeOf, type Fid, type VolumeId } from '../../../shared/model/fid.ts';
import type { CommitNumber } from '../../../shared/model/vnode.ts';
import type { MountedFrontEnd, ReplicaFrontEnd } from '../../../shared/ports/feed.ts';
import type { Attributes, Place } from '../../../shared/ports/file-system.ts';
import { mayAllowOther } from '../../../shared/system/fuse.ts';
import { GodwitError, type ErrorCode } from '../../../shared/wire/error-codes.ts';
import { AskedOfCore } from './asked-of-core.ts';
import { Importer, type ImporterListener } from './importer.ts';
import { freeMountPoint, isPrivileged, unmount, usersOf } from './mount-point.ts';
import type { MountOptions } from './mount-options.ts';
import { loadMount, type NativeMount } from './native-mount.ts';
import { isQuestion, nativeStatus, type Operation, type Question } from './operations.ts';
import { ShownVolumes } from './shown-volumes.ts';
import { takeUpLeft, type TakenUp } from './take-up-left.ts';

/** How long a program waits for a file that is fetched, or a directory that is listed. */
const PATIENCE_MS = 60_000;

/** What calls of programs end with. */
const ERRNO: Partial<Record<ErrorCode, keyof typeof numbers.errno>> = {
  'not-found': 'ENOENT',
  'not-connected': 'ENETUNREACH',
  'no-contents': 'EAGAIN',
  'no-right': 'EACCES',
  'disk-full': 'ENOSPC',
  'not-a-directory': 'ENOTDIR',
  'is-a-directory': 'EISDIR',
};

export type MountFrontEnd = ReplicaFrontEnd & { status(): { errors: ErrorStatus[] } };

/** Rejects `folder-unusable` where nothing can be mounted at this path. A mount of ours there whose daemon is gone is detached. */
export async function refuseUnmountable(path: string): Promise<void> {
  loadMount();
  await freeMountPoint(path);
}

/** Mounts a volume. Rejects `folder-unusable`, and as the file-system port does. */
export async function openMount(options: MountOptions): Promise<MountFrontEnd> {
  const native = loadMount();
  await freeMountPoint(options.root);
  const { fileSystem, volume } = options;
  const left = await takeUpLeft(options);
  const root = await fileSystem.getattr(volume.root);
  const mount = new Mounted(options, native, left);
  mount.begin(root);
  return mount;
}

class Mounted implements MountFrontEnd {
  readonly #options: MountOptions;
  readonly #native: NativeMount;
  readonly #left: TakenUp;
  readonly #importer: Importer;
  readonly #asked = new AskedOfCore(() => this.#importer.imported);
  #mount = 0;
  #shown: ShownVolumes | null = null;
  #stopListening = (): void => undefined;

  constructor(options: MountOptions, native: NativeMount, left: TakenUp) {
    const { fileSystem, feed, timers, log } = options;
    this.#options = options;
    this.#native = native;
    this.#left = left;
    const told: ImporterListener = {
      imported: (op, attributes) => this.#imported(op, attributes),
      refused: (op) => void this.#refused(op),
      idle: (seq) => this.#idle(seq),
    };
    const { files, keys, seq } = left;
    this.#importer = new Importer({ fileSystem, feed, timers, log, files, keys, told }, seq);
  }

  get volume(): VolumeId {
    return this.#options.volume.id;
  }

  /** Throws where it can not be mounted. */
  begin(root: Attributes): void {
    const { root: path, volume, shown: fileSystem, feed, timers, log, at } = this.#options;
    const native = this.#native;
    const { files, seq } = this.#left;
    this.#mount = native.mountOpen(
      {
        ...{ path, spool: files.spool, log: files.log, seq, firstFile: seq + 1 },
        root: nativeStatus(root),
        readOnly: volume.rights === 'read',
        // As in a folder, the modes of files say who may do what.
        allowOther: isPrivileged(),
        autoUnmount: mayAllowOther(),
        patienceMs: PATIENCE_MS,
      },
      () => this.#take(),
    );
    files.begun();
    this.#stopListening = feed.onBroken(() => native.mountBroken(this.#mount));
    const about = { native, mount: this.#mount, volume: volume.id, fileSystem, feed, timers, log };
    this.#shown = new ShownVolumes({ ...about, asked: this.#asked, at });
    log.info('the volume is mounted', { path });
  }

  async scan(): Promise<void> {
    this.#native.mountSettle(this.#mount);
    this.#take();
    this.#importer.again();
    await this.#importer.settled();
  }

  unsettled(): { paths: number; commits: number } {
    return { paths: this.#importer.waiting, commits: 0 };
  }

  waiting(): WaitingStatus[] {
    const { waiting } = this.#importer;
    if (waiting === 0) return [];
    return [{ path: null, reason: `${waiting} operations in the mount are being logged` }];
  }

  async reached(commit: CommitNumber): Promise<void> {
    await this.#shown?.of(this.volume)?.reached(commit);
  }

  of(volume: VolumeId): MountedFrontEnd | null {
    return this.#shown?.of(volume) ?? null;
  }

  unlogged(): GodwitError | null {
    return this.#importer.failure;
  }

  status(): { errors: ErrorStatus[] } {
    return { errors: [...this.#left.errors, ...this.#importer.errors] };
  }

  async close(): Promise<void> {
    const { root, log } = this.#options;
    this.#native.mountSettle(this.#mount);
    this.#take();
    await this.#importer.settled();
    this.#shown?.close();
    this.#stopListening();
    this.#importer.close();
    const users = usersOf(root);
    if (users !== null) log.warn('the mount is taken from who uses it', { path: root, users });
    try {
      await unmount(root);
    } catch (error) {
      log.warn('the mount stays until its users are gone', { path: root, why: String(error) });
    }
    this.#native.mountClose(this.#mount);
    await this.#importer.ended();
    this.#left.files.close();
  }

  #take(): void {
    const lines = this.#native.mountTake(this.#mount);
    const operations: Operation[] = [];
    for (const line of lines) {
      const told = JSON.parse(line) as Operation | Question;
      if (isQuestion(told)) void this.#answer(told);
      else operations.push(told);
    }
    this.#importer.add(operations);
  }

  async #answer(question: Question): Promise<void> {
    const { ask, key, what } = question;
    const fid = key as Fid;
    await this.#asked.during(async (seq) => {
      try {
        await (what === 'list' ? this.#list(ask, fid, seq) : this.#open(ask, fid, seq));
      } catch (error) {
        const errno = numberOf(error);
        if (what === 'list') this.#native.mountAnswerList(this.#mount, ask, errno, [], seq);
        else this.#native.mountAnswerOpen(this.#mount, ask, errno, null, null, seq, 0);
      }
    });
  }

  async #list(ask: number, fid: Fid, seq: number): Promise<void> {
    const entries = (await this.#shown?.list(fid)) ?? [];
    this.#native.mountAnswerList(this.#mount, ask, 0, entries, seq);
    this.#shown?.listed(fid);
  }

  /** The addon has the file open when it is told of it: then it may go. */
  async #open(ask: number, fid: Fid, seq: number): Promise<void> {
    const { shown: fileSystem, feed } = this.#options;
    const { handle, path, attributes } = await fileSystem.open(fid, { mode: 'read' });
    const present = feed.presentFor(attributes.fid, attributes.version);
    const status = nativeStatus(attributes);
    this.#native.mountAnswerOpen(this.#mount, ask, 0, path, status, seq, Math.floor(present));
    await fileSystem.close(handle, null).catch(() => undefined);
  }

  #imported(op: Operation, attributes: Attributes | null): void {
    const native = this.#native;
    const isMade = op.op === 'create' || op.op === 'mkdir' || op.op === 'symlink';
    if (isMade && attributes !== null) native.mountIdentified(this.#mount, op.key, attributes.fid);
    native.mountImported(this.#mount, this.#asked.oldest());
    const { places, fid } = this.#touchedBy(op);
    for (const place of places) this.#shown?.of(volumeOf(place.dir))?.did([place], null);
    if (fid !== null) this.#shown?.of(volumeOf(fid))?.did([], fid);
    if (attributes === null) return;
    native.mountStatus(this.#mount, nativeStatus(attributes), op.seq, true);
    if (op.op === 'store') native.mountStored(this.#mount, attributes.fid, op.seq);
  }

  async #refused(op: Operation): Promise<void> {
    this.#native.mountImported(this.#mount, this.#asked.oldest());
    const { places, fid } = this.#touchedBy(op);
    for (const place of places) {
      const follower = this.#shown?.of(volumeOf(place.dir));
      await follower?.refreshName(place).catch(() => undefined);
    }
    if (fid === null) return;
    const follower = this.#shown?.of(volumeOf(fid));
    await follower?.refreshVnode(fid).catch(() => undefined);
  }

  #touchedBy(op: Operation): { places: Place[]; fid: Fid | null } {
    const { keys } = this.#left;
    const names: Array<[string | undefined, string | undefined]> = [];
    if ('name' in op) names.push([op.dir, op.name]);
    if (op.op === 'rename') names.push([op.toDir, op.toName]);
    const places = names.flatMap(([key, name]) => {
      const dir = key === undefined ? null : keys.fidOf(key);
      return dir === null || name === undefined ? [] : [{ dir, name }];
    });
    return { places, fid: keys.fidOf(op.key) };
  }

  #idle(seq: number): void {
    if (this.#native.mountRotate(this.#mount, seq)) this.#left.files.begun();
  }
}

function numberOf(error: unknown): number {
  const code = error instanceof GodwitError ? error.code : null;
  return numbers.errno[(code === null ? undefined : ERRNO[code]) ?? 'EIO'];
}
