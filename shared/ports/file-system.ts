/**
 * The file-system port: how front ends (folder, mount) and programs (over the control socket) reach the core.
 *
 * Contract
 * 1. Vnodes are named by fid; contents by a local path that the port hands out with a handle.
 * 2. What a call returns is the *view*: the server's state as cached, with our queued updates over it (rule P5).
 *    An answer is given from the cache only under a usable promise, or while the server is away.
 * 3. A mutating call resolves when its update is in the log (promise 1), not when it is committed. For front ends it is durable then; for
 *    programs it is recorded: it survives the end of the daemon, and a loss of power some moments later, before which it is not sent to others.
 *    Updates enter the log in the order of the calls.
 * 4. `open` for reading resolves when the contents are here whole: a demand fetch where they are not. The path may
 *    be read until `close`; its bytes never change meanwhile. `open` for writing gives a private file, empty
 *    (`truncate`) or with the present contents; others see nothing before `close`.
 * 5. `close` of a changed file appends one store, unless the volume's quota has no room for it (`over-quota`); where it is refused the handle stays, to be closed again or abandoned. `abandon` drops
 *    what was written. Handles end with the process.
 * 6. A file made by `create` has no contents for others until its first store (rule W2).
 * 7. A front end that reports what has *already happened* on a disk passes `observed`, with what it had seen there: then
 *    nothing is refused for what the cache knows to be newer; the server decides, and the loser of a conflict is kept
 *    (C1-C3). Observed calls are never refused but for a fid that is not known (`not-found`), and for 9.
 * 8. `version` in the attributes of a file with queued stores is the one it will have when they are committed.
 * 9. A name or attribute that no server would take is refused at the call (`bad-name`, `bad-attribute`).
 * 10. A front end may give a note with what it has observed. It is kept with the update, in the same step: after a crash both are there,
 *    or neither is. The feed port gives the notes back.
 * 11. A mount point is an empty directory that refuses entries (`no-right`), and goes only by an `rmdir` that says so (`not-empty`). To a program, names
 *    lead across it: `lookup` and `readdir` give the root of its volume, where that is shown. A walk has to end at the second crossing of a volume.
 *    Nothing is moved or linked from one volume to another (`other-volume`).
 * 12. To a program, the root of a volume has one more name, unless something of its own is called so: `.snapshots`, a folder with one for each snapshot. No
 *    listing shows it, so that no walk goes into the past by itself. Nothing in it changes, and nothing can be changed there (`no-right`). Fids in it
 *    are of this run of the daemon.
 * Errors: GodwitError `not-found`, `exists`, `not-a-directory`, `is-a-directory`, `not-empty`, `bad-name`,
 * `bad-attribute`, `bad-handle`,
 * `cycle`, `no-right`, `not-connected`, `no-contents`, `version-gone`, `damaged-contents`, `disk-full`,
 * `disk-failing`, `no-such-volume`, `other-volume`, `over-quota`.
 */
import type { Fid, VolumeId } from '../model/fid.ts';
import type { VolumeInfo } from '../model/change.ts';
import type { DataVersion, Digest, Mtime, VnodeStatus, Xattr } from '../model/vnode.ts';

export type Handle = number;

export type SyncState =
  | 'committed' // as the server has it
  | 'queued' // we have an update that is not committed
  | 'conflict'; // it lost, and its copy is on the way

export interface Attributes extends VnodeStatus {
  /** The contents are here. */
  readonly cached: boolean;
  readonly sync: SyncState;
  /** Another device has something newer of it, which has not got to the server (rule S4); left out: not that anybody knows. */
  readonly behind?: true;
  /** It, or a folder that it is in, is pinned: its contents are always here. Absent: it is not. */
  readonly pinned?: true;
  /** It, or a folder that it is in, is not kept on this disk (rule X1). Absent: it is. */
  readonly excluded?: true;
  /** Looked up by its name it was a mount point (M2); left out: it was none, or names are not followed across them. */
  readonly mounted?: Mounted;
}

/** A mount point on the way to a vnode. Where its volume is shown, the attributes are those of that volume's root. */
export interface Mounted {
  /** Its own vnode, which its directory names. */
  readonly at: Fid;
  /** The name of the volume that is shown; null: nothing is. */
  readonly volume: string | null;
  /** Why nothing is shown; null: something is. */
  readonly why: string | null;
}

export interface OpenFile {
  readonly handle: Handle;
  /** Absolute path of the contents. */
  readonly path: string;
  readonly attributes: Attributes;
}

export interface NamedAttributes {
  readonly name: string;
  readonly attributes: Attributes;
}

/** What a front end wants to know again of a call after a crash. */
export interface CallNote {
  /** The front end's own; later calls have higher ones. */
  readonly id: number;
  readonly text: string;
}

export interface MakeOptions {
  readonly mode: number;
  readonly mtime?: Mtime;
  readonly xattrs?: readonly Xattr[];
  /** Modification time that the directory takes; now, where it is left out. */
  readonly at?: Mtime;
  readonly observed?: boolean;
  readonly note?: CallNote;
  /** The front end gave this name to a conflict copy of its own making, beside what has that other name (rule C4). */
  readonly copyOf?: string;
  /** A directory that shows this volume, which the device sees (rule M2). */
  readonly mounts?: VolumeId;
}

/** A vnode as a front end has it on its disk. */
export interface SeenVersion {
  readonly fid: Fid;
  readonly base: DataVersion;
  /** Of the contents there, where it knows: after a conflict two stores may have the number. */
  readonly digest?: Digest | null;
}

export interface ChangeOptions {
  readonly at?: Mtime;
  /** What was seen on the disk before it happened (a rename's: of the target it replaced). */
  readonly observed?: SeenVersion | null;
  readonly note?: CallNote;
}

export interface RemoveOptions extends ChangeOptions {
  /** Of rmdir: what goes is a mount point, which goes in no other way. */
  readonly unmounts?: boolean;
  /** Only this vnode as it was then: `not-found` where something else has the name by now, `exists` where it was written since. */
  readonly only?: { readonly fid: Fid; readonly version: DataVersion };
  /** With `observed`: on the disk the file has other names still, so what a conflict has made of it is not removed with this one. */
  readonly hasOtherNames?: boolean;
}

export interface RenameOptions extends ChangeOptions {
  readonly moved?: Fid;
  /** As for what is made. */
  readonly copyOf?: string;
  /** `exists` if anything has the new name; also later, when the server has another device's there (C1). */
  readonly noReplace?: boolean;
  /**
   * Only if the new name is this vnode's, as it was then: `not-found` where nothing or something else has the name by now, `exists` where it was
   * written since. Also later: where the server has another version of it, or not the one that is renamed, that stays (C1).
   */
  readonly only?: RemoveOptions['only'];
}

/** Exactly one version of a file that the server has or had. */
export interface VersionName {
  readonly fid: Fid;
  readonly version: DataVersion;
  readonly digest: Digest;
}

export interface Place {
  readonly dir: Fid;
  readonly name: string;
}

export interface Changed {
  readonly mtime?: Mtime;
  readonly digest?: Digest;
  readonly size?: number;
  readonly bytes?: Uint8Array;
  readonly note?: CallNote;
}

/** What an `open` is for. */
export type OpenHow =
  | {
      readonly mode: 'read';
      /** These contents, of this file or one that has ended, in the place of the present ones (`version-gone` where they are not kept). */
      readonly from?: VersionName;
    }
  | {
      readonly mode: 'write';
      readonly truncate: boolean;
      /** With `truncate`: no file is at the path. The caller puts one there, of its own, before `close`. */
      readonly bare?: boolean;
      /** Observed writes: the version they were made over. */
      readonly base?: DataVersion;
      /** Its place for the caller; absent: its place in the view. It has this name if others have removed it. */
      readonly place?: Place;
      /** Observed writes: of the contents they were made over, where the front end knows. */
      readonly digest?: Digest | null;
      /** The private file begins with these contents, of this file or another (`version-gone` where they are not kept). */
      readonly from?: VersionName;
    };

export interface AttributeChange {
  readonly mode?: number;
  readonly mtime?: Mtime;
  readonly xattrs?: readonly Xattr[];
  readonly note?: CallNote;
}

export interface FileSystem {
  volumes(): Promise<VolumeInfo[]>;
  /** `onwards`: names that the caller will look up next, each below the one before; all is asked for at once then. */
  lookup(dir: Fid, name: string, onwards?: readonly string[]): Promise<Attributes>;
  getattr(fid: Fid): Promise<Attributes>;
  /** In code-unit order of names. */
  readdir(dir: Fid): Promise<NamedAttributes[]>;
  create(dir: Fid, name: string, options: MakeOptions): Promise<Attributes>;
  /** `create`, and `open` to write what is made, in one call; what refuses either refuses this. */
  createOpen(dir: Fid, name: string, options: MakeOptions): Promise<OpenFile>;
  mkdir(dir: Fid, name: string, options: MakeOptions): Promise<Attributes>;
  symlink(
    dir: Fid,
    name: string,
    target: string,
    options: Omit<MakeOptions, 'mode' | 'xattrs'>,
  ): Promise<Attributes>;
  link(fid: Fid, place: Place, options?: ChangeOptions): Promise<Attributes>;
  /** Removes a name of a file or symlink. `observed.fid` is what was removed. */
  remove(place: Place, options?: RemoveOptions): Promise<void>;
  rmdir(place: Place, options?: RemoveOptions): Promise<void>;
  /**
   * Moves a name; over an existing file (or empty directory) it replaces it. For an observed rename `moved` is the
   * vnode that was seen to move, and `options.observed` what it replaced, or null.
   */
  rename(from: Place, to: Place, options?: RenameOptions): Promise<void>;
  setattr(fid: Fid, change: AttributeChange): Promise<Attributes>;
  open(fid: Fid, how: OpenHow): Promise<OpenFile>;
  /**
   * `changed` null for a handle opened to read. `digest`: where the caller knows it (it is then believed). `bytes`: short contents
   * of a `bare` one, which then has no file at its path.
   */
  close(handle: Handle, changed: Changed | null): Promise<Attributes>;
  abandon(handle: Handle): Promise<void>;
  /**
   * Resolves when every update logged before the call is answered by the server (committed, or turned into a
   * conflict copy that is committed), and everything the server then had is known here. Rejects `timed-out`.
   */
  flush(volume: VolumeId, timeoutMs: number | null): Promise<void>;
}
