/**
 * The MetaStore port in memory. It outlives the runtimes that use it, as a database outlives a process.
 *
 * What is read or written, is so when the method is called; `defer` may let the answer come later, in any order. That is
 * all that a slow database can do within the contract, and what the overlay of the core is there for.
 */
import type { DeviceId, Rights } from '../../../shared/model/change.ts';
import { rootOf, type VolumeId } from '../../../shared/model/fid.ts';
import { hashOfSecret } from '../../../shared/model/invitation.ts';
import type {
  Access,
  AnyRow,
  DeviceAccess,
  DirtyMark,
  FirstState,
  RowKey,
  RowOf,
  RowWrite,
  StoredDevice,
  StoredInvitation,
  StoredState,
  VnodeBlock,
} from '../../../shared/model/stored.ts';
import { mtimeFromMs, type CommitNumber, type DataVersion } from '../../../shared/model/vnode.ts';
import type { WallTime } from '../../../shared/model/time.ts';
import type { UpdateResult, UpdateSeq } from '../../../shared/model/update.ts';
import type { MetaStore } from '../../../shared/ports/meta-store.ts';
import { GodwitError, type ErrorCode } from '../../../shared/wire/error-codes.ts';
import { present } from '../../../shared/util/assert.ts';
import { VersionedRows } from './versioned-rows.ts';

export interface MemoryMetaStoreOptions {
  /** Called with what delivers an answer, now or later. */
  readonly defer?: (deliver: () => void) => void;
}

interface VolumeRow {
  readonly id: VolumeId;
  readonly name: string;
  head: CommitNumber;
  readonly log: Array<{ commit: CommitNumber; device: DeviceId; seq: UpdateSeq }>;
}

type DeviceRow = Omit<StoredDevice, 'userName' | 'highest' | 'access'>;
type InvitationRow = Omit<StoredInvitation, 'userName' | 'access' | 'volumeName'>;

const HOME = 1 as VolumeId;
const OWNER = 1;

export class MemoryMetaStore implements MetaStore {
  readonly #defer: (deliver: () => void) => void;
  readonly #rows = new VersionedRows();
  readonly #volumes = new Map<VolumeId, VolumeRow>();
  readonly #users = new Map<number, string>();
  readonly #rights = new Map<number, Map<VolumeId, Rights>>();
  readonly #devices = new Map<DeviceId, DeviceRow>();
  readonly #invitations = new Map<string, InvitationRow>();
  readonly #applied = new Map<DeviceId, Map<UpdateSeq, UpdateResult>>();
  readonly #dirty = new Map<string, DirtyMark>();
  readonly #leases = new Set<DeviceId>();
  readonly #blocks: VnodeBlock[] = [];
  readonly #contents = new Set<string>();
  #epoch: string | null = null;
  #changed = false;
  #failure: ErrorCode | null = null;
  /** Transactions so far: what group commit is there to keep low. */
  commits = 0;

  constructor(options: MemoryMetaStoreOptions = {}) {
    this.#defer = options.defer ?? ((deliver) => deliver());
  }

  // What an administrator does.

  /** The user is made where there is none of that name. */
  invite(invitation: {
    id: string;
    secret: string;
    user: string;
    volume?: VolumeId;
    rights: Rights;
    expires: WallTime;
  }): void {
    const { id, secret, rights, expires, volume = HOME } = invitation;
    const known = [...this.#users].find(([, name]) => name === invitation.user);
    const user = known?.[0] ?? this.#users.size + 1;
    this.#users.set(user, invitation.user);
    const secretHash = hashOfSecret(secret);
    this.#invitations.set(id, { id, secretHash, user, volume, rights, expires, redeemedBy: null });
    this.#changed = true;
  }

  revoke(device: DeviceId): void {
    const row = present(this.#devices.get(device), 'the device is there');
    this.#devices.set(device, { ...row, revoked: true });
    this.#changed = true;
  }

  /** `rights` null: none. */
  allow(userName: string, volume: VolumeId, rights: Rights | null): void {
    const user = present([...this.#users].find(([, name]) => name === userName)?.[0], 'the user');
    const own = this.#rights.get(user) ?? new Map<VolumeId, Rights>();
    if (rights === null) own.delete(volume);
    else own.set(volume, rights);
    this.#rights.set(user, own);
    this.#changed = true;
  }

  /** The next commit is refused, and changes nothing. */
  failNextCommit(code: ErrorCode): void {
    this.#failure = code;
  }

  /** Digests that vnodes name or named. */
  contents(): string[] {
    return [...this.#contents].sort();
  }

  // The port.

  open(first: FirstState): Promise<StoredState> {
    if (this.#epoch === null) this.#begin(first);
    return this.#answer(() => ({
      epoch: this.#epoch ?? first.epoch,
      volumes: [...this.#volumes.values()].map(({ id, name, head }) => {
        const given = this.#blocks.filter(({ volume }) => volume === id);
        return { id, name, head, lastUniquifier: Math.max(1, ...given.map((b) => b.uniquifier)) };
      }),
      dirty: [...this.#dirty.values()],
      leases: [...this.#leases].sort((a, b) => a - b),
      nextDevice: Math.max(0, ...this.#devices.keys()) + 1,
    }));
  }

  load(keys: readonly RowKey[]): Promise<readonly AnyRow[]> {
    return this.#answer(() => keys.map((key) => this.#row(key)));
  }

  commit(writes: readonly RowWrite[]): Promise<void> {
    return this.#answer(() => {
      if (this.#failure !== null) {
        const code = this.#failure;
        this.#failure = null;
        throw new GodwitError(code);
      }
      this.commits++;
      for (const write of writes) this.#write(write);
    });
  }

  changedOutside(): Promise<boolean> {
    return this.#answer(() => {
      const changed = this.#changed;
      this.#changed = false;
      return changed;
    });
  }

  accessOf(devices: readonly DeviceId[]): Promise<readonly DeviceAccess[]> {
    return this.#answer(() =>
      devices.map((device) => {
        const row = this.#devices.get(device);
        if (row === undefined) return { device, revoked: true, access: [] };
        return { device, revoked: row.revoked, access: this.#accessOf(row.user) };
      }),
    );
  }

  close(): Promise<void> {
    return this.#answer(() => undefined);
  }

  #begin({ epoch, volumeName, userName, when }: FirstState): void {
    this.#epoch = epoch;
    const commit = 1 as CommitNumber;
    this.#volumes.set(HOME, { id: HOME, name: volumeName, head: commit, log: [] });
    this.#users.set(OWNER, userName);
    this.#rights.set(OWNER, new Map([[HOME, 'write']]));
    const status = {
      fid: rootOf(HOME),
      kind: 'directory',
      mode: 0o755,
      mtime: mtimeFromMs(when),
      size: 0,
      version: 0 as DataVersion,
      commit,
      digest: null,
      target: null,
      links: 1,
      xattrs: [],
    } as const;
    this.#write({ kind: 'vnode', row: { status, entries: 0 }, previous: null, ordinal: 0 });
    this.#write({ kind: 'log', volume: HOME, commit, device: 0, seq: 0 as UpdateSeq, when });
  }

  #answer<T>(run: () => T): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    try {
      const value = run();
      this.#defer(() => resolve(value));
    } catch (error) {
      this.#defer(() => reject(error));
    }
    return promise;
  }

  #row(key: RowKey): AnyRow {
    switch (key.kind) {
      case 'vnode':
        return this.#rows.vnode(key.fid);
      case 'entry':
        return this.#rows.entry(key.dir, key.name);
      case 'ancestors':
        return this.#rows.ancestors(key.fid);
      case 'applied':
        return this.#applied.get(key.device)?.get(key.seq) ?? null;
      case 'block':
        return (
          this.#blocks.find((b) => b.volume === key.volume && b.uniquifier === key.uniquifier) ??
          null
        );
      case 'device':
        return this.#device(key.fingerprint);
      case 'invitation':
        return this.#invitation(key.id);
      case 'version':
        return this.#rows.version(key.fid, key.version);
      case 'directory':
        return this.#rows.directory(key.fid, key.at, key.after, key.limit);
      case 'changes':
        return this.#changes(key);
      case 'snapshot':
        return this.#rows.snapshot(key.volume, key.at, key.after, key.limit);
    }
  }

  #changes({ volume, since, limit }: Extract<RowKey, { kind: 'changes' }>): RowOf<'changes'> {
    const { log, head } = present(this.#volumes.get(volume), 'the volume is there');
    const page = log.slice(since, since + limit); // commits are 1, 2, 3 ...
    const commits = page.map((line) => ({ ...line, ...this.#rows.changes(volume, line.commit) }));
    return { commits, upTo: page.length < limit ? head : (page.at(-1)?.commit ?? head) };
  }

  #device(fingerprint: string): StoredDevice | null {
    const row = [...this.#devices.values()].find((each) => each.fingerprint === fingerprint);
    if (row === undefined) return null;
    const seqs = this.#applied.get(row.id)?.keys() ?? [];
    return {
      ...row,
      userName: this.#users.get(row.user) ?? '',
      highest: Math.max(row.lowWater - 1, 0, ...seqs) as UpdateSeq,
      access: this.#accessOf(row.user),
    };
  }

  #invitation(id: string): StoredInvitation | null {
    const row = this.#invitations.get(id);
    if (row === undefined) return null;
    const volumeName = this.#volumes.get(row.volume)?.name ?? '';
    const userName = this.#users.get(row.user) ?? '';
    return { ...row, userName, volumeName, access: this.#accessOf(row.user) };
  }

  #accessOf(user: number): Access[] {
    return [...(this.#rights.get(user) ?? [])]
      .map(([volume, rights]) => ({
        volume,
        name: this.#volumes.get(volume)?.name ?? '',
        rights,
      }))
      .sort((a, b) => a.volume - b.volume);
  }

  #write(write: RowWrite): void {
    switch (write.kind) {
      case 'vnode':
        return this.#rows.writeVnode(write);
      case 'entry':
        return this.#rows.writeEntry(write);
      case 'log': {
        const volume = present(this.#volumes.get(write.volume), 'the volume is there');
        volume.head = write.commit;
        volume.log.push({ commit: write.commit, device: write.device, seq: write.seq });
        return;
      }
      case 'content':
        this.#contents.add(write.digest);
        return;
      case 'block':
        this.#blocks.push({
          volume: write.volume,
          first: write.first,
          count: write.count,
          uniquifier: write.uniquifier,
          device: write.device,
        });
        return;
      default:
        return this.#writeOfDevice(write);
    }
  }

  #writeOfDevice(
    write: Exclude<RowWrite, { kind: 'vnode' | 'entry' | 'log' | 'content' | 'block' }>,
  ): void {
    switch (write.kind) {
      case 'applied': {
        const results = this.#applied.get(write.device) ?? new Map<UpdateSeq, UpdateResult>();
        this.#applied.set(write.device, results.set(write.result.seq, write.result));
        return;
      }
      case 'low-water': {
        const row = present(this.#devices.get(write.device), 'the device is there');
        this.#devices.set(write.device, { ...row, lowWater: write.lowWater });
        const results = this.#applied.get(write.device);
        for (const seq of results?.keys() ?? []) if (seq < write.lowWater) results?.delete(seq);
        return;
      }
      case 'dirty': {
        const { fid, device, seq } = write;
        this.#dirty.set(`${device} ${seq}`, { fid, device, seq });
        return;
      }
      case 'clean':
        this.#dirty.delete(`${write.device} ${write.seq}`);
        return;
      case 'device': {
        const { id, fingerprint, name, user, incarnation } = write;
        const lowWater = this.#devices.get(id)?.lowWater ?? (0 as UpdateSeq);
        const row = { id, fingerprint, name, user, revoked: false, incarnation, lowWater };
        this.#devices.set(id, row);
        return;
      }
      case 'redeemed': {
        const row = present(this.#invitations.get(write.id), 'the invitation is there');
        this.#invitations.set(write.id, { ...row, redeemedBy: write.fingerprint });
        const own = this.#rights.get(write.user) ?? new Map<VolumeId, Rights>();
        const rights = own.get(write.volume) === 'write' ? 'write' : write.rights;
        this.#rights.set(write.user, own.set(write.volume, rights));
        return;
      }
      case 'lease':
        this.#leases.add(write.device);
        return;
      case 'no-lease':
        this.#leases.delete(write.device);
        return;
    }
  }
}
