/**
 * The lost part of a history as updates (rule I1): what makes of the volume `then` (as the restored server has it) the volume
 * `now` (as far as this device knew it). Pure.
 *
 * - Contents and attributes first, then directories from the top down, then names, then what was removed. So nothing is
 *   taken away before what came in its place is there.
 * - A name that something else still has is freed by moving that aside; a file that was replaced is replaced in one step.
 * - What was removed is removed again, if the server still has the version of `then` (else the update wins, C3), and
 *   only where all of the volume is known: what is out of sight may have moved.
 * - What has no name here gets one under the root (nameless.ts).
 * - Contents that are not here (`has`) are not offered: a file is never made empty for want of them.
 */
import { isMountPoint, mountedVolume } from '../../../shared/model/mount-point.ts';
import { compareNames } from '../../../shared/model/names.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import type { Update } from '../../../shared/model/update.ts';
import { dataVersion, type Mtime, type VnodeStatus } from '../../../shared/model/vnode.ts';
import type { Place } from '../../../shared/ports/file-system.ts';
import { nameless, type NamelessInput } from './nameless.ts';
import { entriesOf, recoveredName } from './tree.ts';

/** `then` is changed on the way: what is left of it after the updates. */
export interface LostPartInput extends NamelessInput {
  readonly root: Fid;
  /** The log has something newer of it. */
  readonly isQueued: (fid: Fid) => boolean;
}

export interface LostPart {
  readonly updates: readonly Update[];
  /** Files known by name only: their contents are nowhere here. */
  readonly unavailable: readonly VnodeStatus[];
}

/**
 * Computes the updates that turn `then` into `now`, and the files whose contents are not available.
 */
export function lostPart(input: LostPartInput): LostPart {
  const offer = new Offer(input);
  offer.changes();
  offer.names();
  offer.removals();
  return offer;
}

class Offer {
  readonly updates: Update[] = [];
  readonly unavailable: VnodeStatus[] = [];
  readonly #in: LostPartInput;
  readonly #places = new Map<Fid, Map<string, Place>>();
  readonly #directories: Fid[];
  /** All of the volume is known here. */
  readonly #isWhole: boolean;
  readonly #wanted = new Set<Fid>();
  readonly #recovered: readonly VnodeStatus[];

  constructor(input: LostPartInput) {
    this.#in = input;
    for (const [dir, names] of input.then.entries) {
      for (const [name, fid] of names) this.#placesOf(fid).set(`${dir}/${name}`, { dir, name });
    }
    const { found, isWhole } = this.#walk([input.root]);
    const { recovered, outOfSight } = nameless(input, this.#under(found));
    this.#recovered = recovered;
    this.#isWhole = isWhole && recovered.length + outOfSight.length === 0;
    const tops = recovered.filter(({ kind }) => kind === 'directory').map(({ fid }) => fid);
    this.#directories = this.#walk([input.root, ...outOfSight, ...tops]).found;
    for (const { fid } of recovered) this.#wanted.add(fid);
    for (const dir of this.#directories) {
      for (const fid of input.now.entries.get(dir)?.values() ?? []) this.#wanted.add(fid);
    }
  }

  /** What both have, and has changed. */
  changes(): void {
    const { then, now, has } = this.#in;
    for (const fid of [...now.statuses.keys()].sort(compareNames)) {
      const [before, after] = [then.statuses.get(fid), now.statuses.get(fid)];
      if (before === undefined || after === undefined || before.kind !== after.kind) continue;
      const isFile = after.kind === 'file';
      const isStored = isFile && after.digest !== null && after.digest !== before.digest;
      if (isStored && !has(after)) {
        if (!this.#in.isQueued(fid)) this.unavailable.push(after);
        continue;
      }
      if (isStored) this.#store(after, before.version);
      this.#attributes(before, after, isFile && !isStored);
    }
  }

  #attributes(before: VnodeStatus, after: VnodeStatus, withTime: boolean): void {
    const { fid } = after;
    const mode = after.kind !== 'symlink' && before.mode !== after.mode ? after.mode : null;
    const mtime = withTime && before.mtime !== after.mtime ? after.mtime : null;
    const isSame = JSON.stringify(before.xattrs) === JSON.stringify(after.xattrs);
    const xattrs = isSame ? null : after.xattrs;
    if (mode === null && mtime === null && xattrs === null) return;
    this.updates.push({ op: 'setattr', fid, mode, mtime, xattrs });
  }

  /** Directories from the top down, then everything else. */
  names(): void {
    for (const isDirectory of [true, false]) {
      for (const status of this.#recovered) {
        if ((status.kind === 'directory') !== isDirectory) continue;
        this.#place({ dir: this.#in.root, name: recoveredName(status.fid) }, status);
      }
      for (const dir of this.#directories) {
        for (const [name, fid] of sorted(this.#in.now.entries.get(dir))) {
          const status = this.#statusOf(fid);
          if (status === undefined || (status.kind === 'directory') !== isDirectory) continue;
          if (entriesOf(this.#in.then, dir).get(name) === fid) continue;
          this.#place({ dir, name }, status);
        }
      }
    }
  }

  #place(to: Place, status: VnodeStatus): void {
    const { then, has, isQueued } = this.#in;
    const { fid } = status;
    const isThere = then.statuses.has(fid);
    const isFile = status.kind === 'file';
    if (!isThere && isFile && status.digest !== null && !has(status) && !isQueued(fid)) {
      this.unavailable.push(status);
      return;
    }
    const over = this.#replaceable(to, status);
    if (isThere) {
      const from = this.#spare(fid);
      if (from !== null) return this.#move(fid, from, to, over);
      if (status.kind === 'directory') return;
      this.#vacate(to);
      return this.#name({ op: 'link', fid, ...to, at: this.#timeOf(to.dir) }, to);
    }
    if (over === null) {
      this.#vacate(to);
      this.#make(status, to);
      return;
    }
    const beside = this.#free(to);
    this.#make(status, beside);
    this.#move(fid, beside, to, over);
  }

  #make(status: VnodeStatus, to: Place): void {
    const { fid, kind, mode, mtime, xattrs, target } = status;
    const at = this.#timeOf(to.dir);
    if (kind === 'symlink') {
      this.#name({ op: 'symlink', fid, ...to, target: target ?? '', mtime, at }, to);
    } else {
      const about = { fid, ...to, mode, mtime, xattrs, at };
      const mounts = mountedVolume(status);
      const shows = mounts === null ? {} : { mounts };
      const isDirectory = kind === 'directory';
      this.#name(
        isDirectory ? { op: 'mkdir', ...about, ...shows } : { op: 'create', ...about },
        to,
      );
    }
    this.#in.then.statuses.set(fid, { ...status, version: dataVersion(0), digest: null });
    if (kind === 'file' && status.digest !== null && this.#in.has(status)) {
      this.#store(status, dataVersion(0));
    }
  }

  #store(status: VnodeStatus, base: VnodeStatus['version']): void {
    const { fid, size, digest, mtime } = status;
    if (digest === null) return;
    this.updates.push({ op: 'store', fid, base, size, digest, mtime });
    const version = dataVersion(base + 1);
    const before = this.#in.then.statuses.get(fid) ?? status;
    this.#in.then.statuses.set(fid, { ...before, digest, size, mtime, version });
  }

  #name(update: Update, to: Place): void {
    this.updates.push(update);
    entriesOf(this.#in.then, to.dir).set(to.name, update.fid);
    this.#placesOf(update.fid).set(`${to.dir}/${to.name}`, to);
  }

  #move(fid: Fid, from: Place, to: Place, over: VnodeStatus | null): void {
    if (over === null) this.#vacate(to);
    else this.#placesOf(over.fid).delete(`${to.dir}/${to.name}`);
    this.#unname(fid, from);
    this.#name(
      {
        op: 'rename',
        fid,
        fromDir: from.dir,
        fromName: from.name,
        toDir: to.dir,
        toName: to.name,
        over: over === null ? null : { fid: over.fid, base: over.version },
        at: this.#timeOf(to.dir),
      },
      to,
    );
  }

  #unname(fid: Fid, { dir, name }: Place): void {
    entriesOf(this.#in.then, dir).delete(name);
    this.#placesOf(fid).delete(`${dir}/${name}`);
  }

  /** Moves the vnode that has this name to a free name, until it gets its final name or is removed. */
  #vacate(place: Place): void {
    const holder = entriesOf(this.#in.then, place.dir).get(place.name);
    if (holder !== undefined) this.#move(holder, place, this.#free(place), null);
  }

  /** What has this name, if it is a file that was replaced by this one. */
  #replaceable({ dir, name }: Place, by: VnodeStatus): VnodeStatus | null {
    const holder = entriesOf(this.#in.then, dir).get(name);
    if (holder === undefined || !this.#isWhole || this.#wanted.has(holder)) return null;
    const status = this.#in.then.statuses.get(holder);
    if (status === undefined || status.kind === 'directory') return null;
    return by.kind === 'directory' ? null : status;
  }

  /** A name the vnode has, and is not to have. */
  #spare(fid: Fid): Place | null {
    const { now } = this.#in;
    for (const place of this.#placesOf(fid).values()) {
      const known = now.entries.get(place.dir);
      if (known === undefined ? this.#isWhole : known.get(place.name) !== fid) return place;
    }
    return null;
  }

  #free({ dir, name }: Place): Place {
    const taken = (wanted: string): boolean =>
      entriesOf(this.#in.then, dir).has(wanted) ||
      (this.#in.now.entries.get(dir)?.has(wanted) ?? false);
    const stem = [...name].slice(0, 40).join('');
    for (let i = 1; ; i++) {
      const wanted = `.${stem}.restored-${i}`;
      if (!taken(wanted)) return { dir, name: wanted };
    }
  }

  /** What the volume had, and was removed. What is in a directory goes before it. */
  removals(): void {
    if (!this.#isWhole) return;
    const { now, then, root } = this.#in;
    const kept = new Set(this.unavailable.map(({ fid }) => fid));
    const clear = (dir: Fid): void => {
      for (const [name, fid] of sorted(then.entries.get(dir))) {
        const status = then.statuses.get(fid);
        const isDirectory = status?.kind === 'directory';
        if (isDirectory) clear(fid);
        const wanted = now.entries.get(dir)?.get(name);
        if (status === undefined || wanted === fid) continue;
        if (wanted !== undefined && kept.has(wanted)) continue;
        const at = this.#timeOf(dir);
        this.#unname(fid, { dir, name });
        const goes = isMountPoint(status) ? ({ unmounts: true } as const) : {};
        if (isDirectory) this.updates.push({ op: 'rmdir', fid, dir, name, at, ...goes });
        else this.updates.push({ op: 'remove', fid, dir, name, base: status.version, at });
      }
    };
    clear(root);
  }

  #timeOf(dir: Fid): Mtime {
    const { now, then } = this.#in;
    return (now.statuses.get(dir) ?? then.statuses.get(dir))?.mtime ?? ('0' as Mtime);
  }

  #placesOf(fid: Fid): Map<string, Place> {
    const known = this.#places.get(fid);
    if (known !== undefined) return known;
    const fresh = new Map<string, Place>();
    this.#places.set(fid, fresh);
    return fresh;
  }

  /** What nobody here knows to have changed is as it was. */
  #statusOf(fid: Fid): VnodeStatus | undefined {
    return this.#in.now.statuses.get(fid) ?? this.#in.then.statuses.get(fid);
  }

  #under(directories: readonly Fid[]): Set<Fid> {
    const { root, now, then } = this.#in;
    const names = directories.map((dir) => now.entries.get(dir) ?? then.entries.get(dir));
    return new Set([root, ...names.flatMap((entries) => [...(entries?.values() ?? [])])]);
  }

  /** The directories of `now`, from these down; also those under one that is not known, where it was. */
  #walk(from: readonly Fid[]): { found: Fid[]; isWhole: boolean } {
    const { now, then } = this.#in;
    const found = new Set(from);
    let isWhole = true;
    for (const dir of found) {
      isWhole &&= now.entries.has(dir);
      for (const [, fid] of sorted(now.entries.get(dir) ?? then.entries.get(dir))) {
        const status = this.#statusOf(fid);
        isWhole &&= status !== undefined;
        if (status?.kind === 'directory') found.add(fid);
      }
    }
    return { found: [...found], isWhole };
  }
}

function sorted(names: ReadonlyMap<string, Fid> | undefined): Array<[string, Fid]> {
  return [...(names ?? [])].sort(([a], [b]) => compareNames(a, b));
}
