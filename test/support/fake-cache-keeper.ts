/** What a person wants to have of a fake volume, and not (CacheKeeper in shared/ports/controlled.ts). What a test sets is told instead. */
import type { CachePreview, CacheReport, CacheUse } from '../../shared/control/cache.ts';
import type { ExcludedHere, ExcludedReport, StayingFile } from '../../shared/control/exclusions.ts';
import {
  DEFAULT_CACHE,
  type CacheChange,
  type CacheSettings,
  type ContentsAct,
} from '../../shared/model/cache.ts';
import type { VnodeStatus } from '../../shared/model/vnode.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import type { CacheKeeper } from '../../shared/ports/controlled.ts';
import { settled } from './settled.ts';
import { directoryIn, namedVolume, statusAt, statusIn } from './fake-checks.ts';
import type { FakeVolume } from './fake-volume.ts';

/** The result for one file: bytes that came or went, `null` for nothing, or the reason of a failure. */
type Became = number | null | string;

/** The CacheKeeper of a fake volume. */
export class FakeCacheKeeper {
  /** The answer of `pin` and similar calls that a test sets; null computes it. */
  setReport: CacheReport | null = null;
  setUse: CacheUse | null = null;
  setPreview: CachePreview | null = null;
  settings: CacheSettings = DEFAULT_CACHE;
  /** What of excluded folders is on the disk still. */
  staying: readonly StayingFile[] = [];
  readonly #volume: FakeVolume;

  constructor(volume: FakeVolume) {
    this.#volume = volume;
  }

  use(): CacheUse {
    if (this.setUse !== null) return this.setUse;
    const { view, pinned, info } = this.#volume;
    const kept = { toSend: none(), open: none(), pinned: none(), ahead: none(), rest: none() };
    const all = none();
    for (const { status } of view.nodes.values()) {
      if (!this.#volume.has(status)) continue;
      for (const counted of [all, kept[this.#keptBy(status)]]) {
        counted.files += 1;
        counted.bytes += status.size;
      }
    }
    const first = [...pinned].map((fid) => ({
      ...{ volume: info.name, path: this.#volume.pathOf(fid) },
      isFolder: view.get(fid)?.kind === 'directory',
    }));
    const { settings } = this;
    return {
      ...all,
      ...{ kept, settings, limit: settings.maximum, reserve: settings.reserve, disk: null },
      pins: { total: first.length, first },
    };
  }

  /** The least bound that goes by nothing but sizes, in the order of names. */
  preview({ maximum = null }: CacheChange): CachePreview {
    if (this.setPreview !== null) return this.setPreview;
    const [here, goes] = [none(), none()];
    const all = [...this.#volume.view.nodes.values()].map(({ status }) => status);
    for (const { size } of all.filter((status) => this.#volume.has(status))) {
      here.files += 1;
      here.bytes += size;
    }
    for (const status of all) {
      if (maximum === null || here.bytes - goes.bytes <= maximum) break;
      if (!this.#volume.has(status) || this.#keptBy(status) !== 'rest') continue;
      goes.files += 1;
      goes.bytes += status.size;
    }
    return { here, goes, away: none() };
  }

  /** Throws `no-such-volume`, `not-found`, `not-a-directory`. */
  act(act: ContentsAct, volume: string, path: readonly string[]): CacheReport {
    if (this.setReport !== null) return this.setReport;
    namedVolume(volume);
    const top = statusAt(this.#volume.view, path);
    if (act === 'demand' && top.kind === 'directory') {
      throw new GodwitError('is-a-directory', `/${path.join('/')}: it is a folder`);
    }
    if (act === 'pin') this.#volume.pinned.add(top.fid);
    const report = { files: 0, bytes: 0, unchanged: 0, failed: 0 };
    const exceptions: Array<{ path: string; why: string }> = [];
    for (const status of this.#below(top)) {
      if (status.kind !== 'file' && act !== 'unpin') continue;
      const became = this.#one(act, status);
      if (became === null) report.unchanged += 1;
      else if (typeof became === 'string') {
        report.failed += 1;
        exceptions.push({ path: `/${this.#volume.pathOf(status.fid)}`, why: became });
      } else {
        report.files += 1;
        report.bytes += became;
      }
    }
    return { ...report, exceptions };
  }

  /** What it tells of excluded folders, as a daemon does. */
  readonly exclusions: Pick<CacheKeeper, 'exclude' | 'include' | 'excluded'> = {
    exclude: (volume, path) => settled(() => this.#exclude(volume, path)),
    include: (volume, path) => settled(() => this.#include(volume, path)),
    excluded: () => this.#excluded(),
  };

  #exclude(volume: string, path: readonly string[]): ExcludedHere {
    const { fid, kind } = this.#meant(volume, path);
    if (kind !== 'directory') throw new GodwitError('not-a-directory', `/${path.join('/')}`);
    if (this.#volume.isExcluded(fid)) throw new GodwitError('already-excluded');
    this.#volume.exclude(fid);
    return { fid, path, left: 0, staying: this.staying };
  }

  #include(volume: string, path: readonly string[]): ExcludedHere {
    const { fid } = this.#meant(volume, path);
    if (!this.#volume.excludes.has(fid)) throw new GodwitError('not-excluded');
    this.#volume.exclude(fid, false);
    return { fid, path, left: 0, staying: [] };
  }

  #excluded(): ExcludedReport {
    const folders = [...this.#volume.excludes].map((fid) => ({
      ...{ fid, path: this.#volume.pathOf(fid).split('/') },
      ...{ left: this.staying.length, staying: this.staying },
    }));
    return { folders };
  }

  #meant(volume: string, path: readonly string[]): VnodeStatus {
    namedVolume(volume);
    return statusAt(this.#volume.view, path);
  }

  #one(act: ContentsAct, status: VnodeStatus): Became {
    const { fid, size } = status;
    if (act === 'unpin') {
      if (this.#volume.pinned.delete(fid)) return 0;
      return this.#volume.isPinned(fid) ? 'a folder that it is in is pinned' : null;
    }
    if (act === 'evict') return this.#evict(status);
    if (this.#volume.has(status)) return act === 'pin' ? size : null;
    try {
      this.#volume.bring(status);
      return size;
    } catch (error) {
      if (error instanceof GodwitError) return error.message;
      throw error;
    }
  }

  #evict(status: VnodeStatus): Became {
    const { fid, size } = status;
    if (this.#volume.isPinned(fid)) return 'it is pinned';
    if (this.#volume.pendingVnode(fid)) return 'it is not on the server yet';
    if (this.#volume.isOpen(fid)) return 'it is in use';
    if (!this.#volume.has(status)) return null;
    this.#volume.evict(status);
    return size;
  }

  #keptBy({ fid }: VnodeStatus): 'toSend' | 'open' | 'pinned' | 'rest' {
    if (this.#volume.pendingVnode(fid)) return 'toSend';
    if (this.#volume.isOpen(fid)) return 'open';
    return this.#volume.isPinned(fid) ? 'pinned' : 'rest';
  }

  #below(top: VnodeStatus): VnodeStatus[] {
    if (top.kind !== 'directory') return [top];
    const { view } = this.#volume;
    const entries = [...directoryIn(view, top.fid).entries.values()];
    return [top, ...entries.flatMap((fid) => this.#below(statusIn(view, fid)))];
  }
}

const none = (): { files: number; bytes: number } => ({ files: 0, bytes: 0 });
