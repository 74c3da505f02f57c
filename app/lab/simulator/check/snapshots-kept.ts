/**
 * Checker: a snapshot shows the volume as it was at its commit, whatever became of the volume since (rules H1 to H3).
 *
 * When one is made, all that its commit shows is written down here from what was heard, and never looked up again. Whatever a laptop is told of it
 * later has to be just that: names, kinds, sizes, contents. Contents that one shows are not collected, and are on the server in the end; and who is
 * connected and may read is not refused any of them.
 *
 * Allowed:
 * - a laptop that is cut off, may not read, or has no room, is refused;
 * - a question is refused as `internal` where the server's database has failed;
 * - contents are refused as damaged where bits have turned on the server's disk; in the end they are whole;
 * - a file that was made, and had no contents yet, has none to bring back;
 * - what is of a volume that a device lost sight of, if only for a while, is not found;
 * - what was told of one that was removed meanwhile, or that a restored server has forgotten, is true still, and may be missing.
 */
import type { DeviceId } from '../../../../shared/model/change.ts';
import { rootOf, type Fid, type VolumeId } from '../../../../shared/model/fid.ts';
import type { NamedSnapshot } from '../../../../shared/model/snapshots.ts';
import type { Access } from '../../../../shared/model/stored.ts';
import { EMPTY_DIGEST, type Digest, type VnodeStatus } from '../../../../shared/model/vnode.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Checker, CheckerKind, Report } from './checker.ts';
import type { ClientUpdates } from './client-updates.ts';
import type { CommitHistory } from './commit-history.ts';
import type { Laptop } from './laptop.ts';
import { Ledgers } from './ledgers.ts';
import type { LookBack, Observation } from './observation.ts';

export const snapshotsKept: CheckerKind = {
  name: 'a snapshot shows its commit',
  make: (report, ledgers = new Ledgers()) => new SnapshotsKept(report, ledgers),
};

type Shown = Pick<VnodeStatus, 'kind' | 'size' | 'digest'>;
type Told<What extends string> = Extract<LookBack['told'], { what: What }>;

/** By the path of a folder (the root is the empty one), then by name. */
type Image = ReadonlyMap<string, ReadonlyMap<string, Shown>>;

/** Errors that say nothing of the snapshot: the laptop, its rights, or the place where something was to come back. */
const OF_ANOTHER_CAUSE: ReadonlySet<string> = new Set([
  ...['not-connected', 'not-running', 'timed-out', 'sync-blocked', 'no-right', 'no-such-volume'],
  ...['exists', 'cycle', 'is-a-directory', 'not-a-directory', 'changed-since'],
  ...['disk-full', 'disk-failing', 'over-quota', 'dirty-limit'],
]);

class SnapshotsKept implements Checker {
  readonly #report: Report;
  readonly #history: CommitHistory;
  /** Of every snapshot that was ever made, by volume, epoch and commit. */
  readonly #images = new Map<string, Image>();
  /** Those of now, by volume and name. */
  readonly #present = new Map<string, { volume: VolumeId; snapshot: NamedSnapshot }>();

  readonly #updates: ClientUpdates;
  /** By device: the volumes that it could see, and those of them that it could not see once. */
  readonly #seen = new Map<DeviceId, Set<VolumeId>>();
  readonly #lost = new Map<DeviceId, Set<VolumeId>>();
  #hasRotted = false;
  #hasFailed = false;

  constructor(report: Report, { history, updates }: Ledgers) {
    this.#report = report;
    this.#history = history;
    this.#updates = updates;
  }

  hear(observation: Observation): void {
    this.#history.hear(observation);
    this.#updates.hear(observation);
    switch (observation.kind) {
      case 'snapshot-made': {
        const { volume, snapshot } = observation;
        this.#images.set(keyOf(volume, snapshot), this.#imageOf(volume));
        this.#present.set(`${volume} ${snapshot.name}`, { volume, snapshot });
        return;
      }
      case 'snapshot-removed':
        this.#present.delete(`${observation.volume} ${observation.name}`);
        return;
      case 'restored':
        return this.#restored(observation);
      case 'forgotten':
        return this.#forgotten(observation.digests);
      case 'rotted':
        this.#hasRotted = true;
        return;
      case 'database-fails':
        this.#hasFailed = true;
        return;
      case 'access':
        for (const { device, access } of observation.devices) this.#may(device, access);
        return;
      case 'looked-back':
        return this.#lookedBack(observation);
      default:
        return;
    }
  }

  async atRest({ server }: Cluster): Promise<void> {
    const known = new Set(server.metaStore.contents());
    for (const { volume, snapshot } of this.#present.values()) {
      for (const digest of contentsOf(this.#images.get(keyOf(volume, snapshot)))) {
        if (known.has(digest) && server.hasContent(digest)) continue;
        this.#report(`contents of ${nameOf(volume, snapshot)} are gone (${digest.slice(0, 12)})`);
      }
    }
    await Promise.resolve();
  }

  #may(device: DeviceId, access: readonly Access[]): void {
    const seen = this.#seen.get(device) ?? new Set<VolumeId>();
    const lost = this.#lost.get(device) ?? new Set<VolumeId>();
    const now = new Set(access.map(({ volume }) => volume));
    for (const volume of seen) if (!now.has(volume)) lost.add(volume);
    for (const volume of now) seen.add(volume);
    this.#seen.set(device, seen);
    this.#lost.set(device, lost);
  }

  /** As it is at the newest commit that was heard. */
  #imageOf(volume: VolumeId): Image {
    const image = new Map<string, Map<string, Shown>>();
    const folders: Array<readonly [string, Fid]> = [['', rootOf(volume)]];
    for (const [path, dir] of folders) {
      const shown = new Map<string, Shown>();
      image.set(path, shown);
      for (const [name, states] of this.#history.names(dir)) {
        const fid = states.at(-1)?.fid ?? null;
        const status = fid === null ? undefined : this.#history.statuses(fid).at(-1);
        if (fid === null || status === undefined) continue;
        const { kind, size, digest } = status;
        shown.set(name, { kind, size, digest });
        if (kind === 'directory') folders.push([`${path}/${name}`, fid]);
      }
    }
    return image;
  }

  #restored({ volumes }: Extract<Observation, { kind: 'restored' }>): void {
    this.#present.clear();
    for (const { volume, snapshots = [] } of volumes) {
      for (const snapshot of snapshots) {
        this.#present.set(`${volume} ${snapshot.name}`, { volume, snapshot });
      }
    }
  }

  #forgotten(digests: readonly Digest[]): void {
    const gone = new Set(digests);
    for (const { volume, snapshot } of this.#present.values()) {
      const lost = contentsOf(this.#images.get(keyOf(volume, snapshot))).find((each) =>
        gone.has(each),
      );
      if (lost === undefined) continue;
      this.#report(`${nameOf(volume, snapshot)} shows what is collected (${lost.slice(0, 12)})`);
    }
  }

  #lookedBack({ client, told }: LookBack): void {
    const snapshots = told.what === 'snapshots' ? told.snapshots : [told.snapshot];
    for (const snapshot of snapshots) {
      if (this.#images.has(keyOf(client.volume, snapshot))) continue;
      this.#report(`${client.name} was told of ${nameOf(client.volume, snapshot)}, and none is`);
      return;
    }
    const about = `${client.name} and ${nameOf(client.volume, snapshots[0])}`;
    if (told.what === 'folder') this.#folder(about, client.volume, told);
    if (told.what === 'contents') this.#contents(about, client.volume, told);
    if (told.what === 'refusal') this.#refusal(about, client, told);
  }

  #folder(about: string, volume: VolumeId, { snapshot, path, entries }: Told<'folder'>): void {
    const shown = this.#images.get(keyOf(volume, snapshot))?.get(path);
    const expected = [...(shown ?? [])].map(([name, each]) => lineOf(name, each));
    const found = entries.map(({ name, ...each }) => {
      const digest = each.digest === undefined ? shown?.get(name)?.digest : each.digest;
      return lineOf(name, { ...each, digest: digest ?? null });
    });
    if (expected.sort().join() === found.sort().join()) return;
    this.#report(
      `${about}: ${path}/ had ${expected.join()} and is shown with ${found.join()} at commit ${snapshot.at}`,
    );
  }

  #contents(about: string, volume: VolumeId, { snapshot, path, digest }: Told<'contents'>): void {
    const expected = this.#shownAt(volume, snapshot, path);
    if (expected !== undefined && expected.digest === digest) return;
    const [was, is] = [expected?.digest?.slice(0, 12), digest?.slice(0, 12)];
    this.#report(`${about}: ${path} was ${String(was)} and came back as ${String(is)}`);
  }

  #refusal(about: string, client: Laptop, { snapshot, path, code }: Told<'refusal'>): void {
    const { volume } = client;
    const present = this.#present.get(`${volume} ${snapshot.name}`)?.snapshot;
    const isThere = present?.at === snapshot.at && present.epoch === snapshot.epoch;
    if (!isThere || OF_ANOTHER_CAUSE.has(code)) return;
    if (code === 'damaged-contents' && this.#hasRotted) return;
    if (code === 'internal' && this.#hasFailed) return;
    const isEmpty = this.#shownAt(volume, snapshot, path)?.digest === null;
    if (isEmpty && (code === 'no-contents' || code === 'version-gone')) return;
    const device = this.#updates.device(client);
    const isHidden = device !== null && this.#lost.get(device)?.has(volume) === true;
    if (isHidden && code === 'not-found') return;
    this.#report(`${about}: ${path} is in it and was refused: ${code}`);
  }

  #shownAt(volume: VolumeId, snapshot: NamedSnapshot, path: string): Shown | undefined {
    const at = path.lastIndexOf('/');
    const folder = this.#images.get(keyOf(volume, snapshot))?.get(path.slice(0, at));
    return folder?.get(path.slice(at + 1));
  }
}

function contentsOf(image: Image = new Map()): Digest[] {
  return [...image.values()].flatMap((folder) =>
    [...folder.values()].flatMap(({ kind, digest }) =>
      kind !== 'file' || digest === null || digest === EMPTY_DIGEST ? [] : [digest],
    ),
  );
}

const keyOf = (volume: VolumeId, { epoch, at }: NamedSnapshot): string =>
  `${volume} ${epoch} ${at}`;

const nameOf = (volume: VolumeId, snapshot: NamedSnapshot | undefined): string =>
  `snapshot ${snapshot?.name ?? 'none'} of volume ${volume}`;

const lineOf = (name: string, { kind, size, digest }: Shown): string =>
  `${name} (${kind}${kind === 'file' ? ` ${size} ${digest?.slice(0, 12) ?? ''}` : ''})`;
