/** The past of a fake volume, out of its commits (PastKeeper in shared/ports/controlled.ts). It knows no times: all was at one. */
import type {
  ActRow,
  ActsReport,
  DoneRow,
  RemovedReport,
  RemovedRow,
  RestoreReport,
  VersionRow,
  VersionsReport,
} from '../../shared/control/history.ts';
import type { Fid } from '../../shared/model/fid.ts';
import type { VnodeStatus } from '../../shared/model/vnode.ts';
import type { RestoreOrder, UndoExtent } from '../../shared/ports/controlled.ts';
import type { Place } from '../../shared/ports/file-system.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { namedVolume } from './fake-checks.ts';
import type { FakeVolume } from './fake-volume.ts';

const WHEN = Date.UTC(2026, 0, 2, 3, 4, 5);
const BY = 'laptop';

interface Version {
  readonly number: number;
  readonly status: VnodeStatus;
}

const shown = (path: readonly string[]): string => `/${path.join('/')}`;

/** The PastKeeper of a fake volume. */
export class FakePast {
  readonly #volume: FakeVolume;

  constructor(volume: FakeVolume) {
    this.#volume = volume;
  }

  versions(volume: string, path: readonly string[]): VersionsReport {
    const { fid, isLive } = this.#stoodFor(volume, path);
    const present = this.#volume.server.get(fid);
    const versions = this.#versionsOf(fid).map(({ number, status }): VersionRow => {
      const isPresent = isLive && present?.version === status.version;
      const { size } = status;
      return { number, when: WHEN, by: BY, size, present: isPresent, kept: true };
    });
    return { path: shown(path), removed: isLive ? null : { when: WHEN, by: BY }, versions };
  }

  removed(volume: string, path: readonly string[]): RemovedReport {
    const { server, commits } = this.#volume;
    const dir = path.length === 0 ? server.root : this.#stoodFor(volume, path).fid;
    this.#asked(volume);
    const rows = new Map<string, RemovedRow>();
    for (const { entries } of commits) {
      for (const { name, fid } of entries.filter((entry) => entry.dir === dir)) {
        if (fid === null || server.at(dir, name) !== null || server.get(fid) !== null) continue;
        const { kind, size } = this.#lastOf(fid);
        rows.set(name, { path: shown([...path, name]), kind, size, when: WHEN, by: BY });
      }
    }
    return { path: shown(path), removed: [...rows.values()].reverse() };
  }

  async restore(volume: string, { path, version, to }: RestoreOrder): Promise<RestoreReport> {
    const { fid, isLive } = this.#stoodFor(volume, path);
    const versions = this.#versionsOf(fid);
    const found =
      version === null
        ? versions[isLive ? 1 : 0]
        : versions.find(({ number }) => number === version);
    if (found === undefined) throw new GodwitError('not-found', shown(path));
    const place = this.#volume.place((to ?? path).join('/'));
    const makes = !isLive || to !== null;
    if (makes) await this.#make(place, found.status);
    else await this.#put(fid, found.status);
    const as = makes ? 'made' : 'contents';
    return { done: [{ path: shown(path), as, to: shown(to ?? path) }], failed: [] };
  }

  async undo(volume: string, extent: UndoExtent, dryRun: boolean): Promise<RestoreReport> {
    this.#asked(volume);
    const own = this.#volume.commits.filter(({ device }) => device === this.#volume.device);
    const undone =
      'last' in extent
        ? own.slice(-extent.last)
        : own.filter(({ commit }) => !('act' in extent) || Number(commit) === extent.act);
    const done: DoneRow[] = [];
    for (const { commit, vnodes, entries } of undone.reverse()) {
      for (const { dir, name, fid } of entries) {
        if (fid !== null) continue;
        const was = this.#before(commit, { dir, name });
        if (was === null || this.#volume.server.get(was) !== null) continue;
        done.push(this.#row({ dir, name }, 'made'));
        if (!dryRun) await this.#make({ dir, name }, this.#lastOf(was));
      }
      for (const { fid } of vnodes) {
        const older = this.#versionsOf(fid).find(({ number }) => number < commit);
        const [place] = this.#volume.server.names(fid);
        if (older === undefined || place === undefined) continue;
        done.push(this.#row(place, 'contents'));
        if (!dryRun) await this.#put(fid, older.status);
      }
    }
    return { done, failed: [] };
  }

  acts(volume: string, most: number): ActsReport {
    this.#asked(volume);
    const own = this.#volume.commits.filter(({ device }) => device === this.#volume.device);
    const acts = own.flatMap(({ commit, entries }): ActRow[] => {
      const gone = entries.filter(({ fid }) => fid === null);
      return gone.slice(0, 1).map(({ dir, name }) => ({
        ...{ act: commit, when: WHEN, kind: 'removed', to: null, things: gone.length },
        path: this.#row({ dir, name }, 'made').path,
      }));
    });
    return { acts: acts.reverse().slice(0, most) };
  }

  #asked(volume: string): void {
    namedVolume(volume);
    if (!this.#volume.connected) throw new GodwitError('not-connected');
  }

  /** The vnode at a path now, or the last one there. */
  #stoodFor(volume: string, path: readonly string[]): { fid: Fid; isLive: boolean } {
    this.#asked(volume);
    const { server } = this.#volume;
    let fid = server.root;
    let isLive = true;
    for (const name of path) {
      const live = server.at(fid, name);
      const found = live ?? this.#before(Infinity, { dir: fid, name });
      if (found === null) throw new GodwitError('not-found', shown(path));
      isLive = live !== null;
      fid = found;
    }
    return { fid, isLive };
  }

  /** The vnode of a name before a commit. */
  #before(commit: number, { dir, name }: Place): Fid | null {
    const all = this.#volume.commits.filter((each) => each.commit < commit);
    const entries = all.flatMap((each) => each.entries);
    const isMeant = (entry: (typeof entries)[number]): boolean =>
      entry.dir === dir && entry.name === name && entry.fid !== null;
    return entries.findLast(isMeant)?.fid ?? null;
  }

  /** The versions with contents, newest first. */
  #versionsOf(fid: Fid): Version[] {
    const found = new Map<number, Version>();
    for (const { commit: number, vnodes } of this.#volume.commits) {
      for (const status of vnodes) {
        if (status.fid !== fid || status.digest === null || found.has(status.version)) continue;
        found.set(status.version, { number, status });
      }
    }
    return [...found.values()].reverse();
  }

  #lastOf(fid: Fid): VnodeStatus {
    const all = this.#volume.commits.flatMap(({ vnodes }) => vnodes);
    return all.findLast((status) => status.fid === fid) as VnodeStatus;
  }

  #row(place: Place, as: DoneRow['as']): DoneRow {
    const above = this.#volume.pathOf(place.dir);
    const path = `${above === '' ? '' : '/'}${above}/${place.name}`;
    return { path, as, to: path };
  }

  async #make({ dir, name }: Place, status: VnodeStatus): Promise<void> {
    const { fid } = await this.#volume.create(dir, name, { mode: status.mode });
    await this.#put(fid, status);
  }

  async #put(fid: Fid, { fid: of, version, digest, mtime }: VnodeStatus): Promise<void> {
    if (digest === null) return;
    const from = { fid: of, version, digest };
    const opened = await this.#volume.open(fid, { mode: 'write', truncate: false, from });
    await this.#volume.close(opened.handle, { mtime });
  }
}
