/**
 * What one step reads: the overlays over the rows that were loaded for it.
 *
 * Reading a row that is in neither notes it in `missing` and answers as if there were none. A step that finds `missing` rows
 * afterwards drops its decision, and asks for them.
 */
import type { DeviceId } from '../../../shared/model/change.ts';
import { volumeOf, type Fid, type VolumeId } from '../../../shared/model/fid.ts';
import type {
  AnyRow,
  RowKey,
  RowOf,
  NamedDevice,
  StoredDevice,
  StoredEntry,
  StoredInvitation,
  StoredResult,
  StoredVnode,
  VnodeBlock,
} from '../../../shared/model/stored.ts';
import type { UpdateSeq } from '../../../shared/model/update.ts';
import { parentKey, type Overlay } from './overlay.ts';
import { rowKeyText, volumeOfRow } from './row-key.ts';

/** Holds the rows that were loaded for one step, by their keys. */
export class LoadedRows {
  readonly rows = new Map<string, AnyRow>();
  readonly parents = new Map<Fid, Fid>();
  /** How deep directories are, as far as this step has found out. Void when one is moved. */
  readonly depths = new Map<Fid, number>();

  constructor(keys: readonly RowKey[], values: readonly AnyRow[]) {
    keys.forEach((key, index) => {
      const value = values[index] ?? null;
      this.rows.set(rowKeyText(key), value);
      if (key.kind === 'ancestors') {
        for (const { fid, dir } of value as RowOf<'ancestors'>) this.parents.set(fid, dir);
      }
      if (key.kind === 'invitation' && value !== null) {
        const { user, deviceNames } = value as StoredInvitation;
        this.rows.set(rowKeyText({ kind: 'device-names', user }), deviceNames);
      }
    });
  }

  /** A row that was asked for and that no step ever writes to (a page of a listing, a device ...). */
  row<K extends RowKey>(key: K): RowOf<K['kind']> | undefined {
    return this.rows.get(rowKeyText(key));
  }
}

/** The overlay of a volume, or (null) of what is of no volume; undefined: there is no such volume here. */
export type FindOverlay = (volume: VolumeId | null) => Overlay | undefined;

/** Reads rows for one decision, from the overlays first, and notes the keys that are missing. */
export class RowView {
  readonly missing: RowKey[] = [];
  readonly #overlay: FindOverlay;
  readonly #loaded: LoadedRows;
  /** The newest group that a row read here belongs to: an answer made of it waits for that group. */
  #newestGroup = 0;

  constructor(overlay: FindOverlay, loaded: LoadedRows) {
    this.#overlay = overlay;
    this.#loaded = loaded;
  }

  get newestGroup(): number {
    return this.#newestGroup;
  }

  /** The present row, also of a vnode that has ended; null: the fid was never used. */
  vnode(fid: Fid): StoredVnode | null {
    return this.#read<StoredVnode | null>({ kind: 'vnode', fid });
  }

  /** The present row of a vnode that has names. */
  live(fid: Fid): StoredVnode | null {
    const row = this.vnode(fid);
    return row === null || row.status.links === 0 ? null : row;
  }

  entry(dir: Fid, name: string): StoredEntry | null {
    return this.#read<StoredEntry | null>({ kind: 'entry', dir, name });
  }

  applied(device: DeviceId, seq: UpdateSeq): StoredResult | null {
    return this.#read<StoredResult | null>({ kind: 'applied', device, seq });
  }

  block(volume: VolumeId, uniquifier: number): VnodeBlock | null {
    return this.#read<VnodeBlock | null>({ kind: 'block', volume, uniquifier });
  }

  device(fingerprint: string): StoredDevice | null {
    return this.#read<StoredDevice | null>({ kind: 'device', fingerprint });
  }

  deviceNames(user: number): readonly NamedDevice[] {
    return this.#read<readonly NamedDevice[]>({ kind: 'device-names', user });
  }

  invitation(id: string): StoredInvitation | null {
    return this.#read<StoredInvitation | null>({ kind: 'invitation', id });
  }

  /** The directory that a directory other than the root is in. */
  parent(directory: Fid): Fid | null {
    const staged = this.#overlay(volumeOf(directory))?.get(parentKey(directory));
    if (staged !== undefined) {
      this.#newestGroup = Math.max(this.#newestGroup, staged.group);
      return staged.value as Fid;
    }
    const loaded = this.#loaded.parents.get(directory);
    if (loaded !== undefined) return loaded;
    this.missing.push({ kind: 'ancestors', fid: directory });
    return null;
  }

  /** As of what was committed when the rows were read; null: it is to be asked for. */
  height(fid: Fid, most: number | null, asOf: number): number | null {
    const key = { kind: 'height', fid, most, asOf } as const;
    const row = this.#loaded.row(key);
    if (row === undefined) this.missing.push(key);
    return row ?? null;
  }

  get depths(): Map<Fid, number> {
    return this.#loaded.depths;
  }

  #read<T>(key: RowKey): T {
    const text = rowKeyText(key);
    const staged = this.#overlay(volumeOfRow(key))?.get(text);
    if (staged !== undefined) {
      this.#newestGroup = Math.max(this.#newestGroup, staged.group);
      return staged.value as T;
    }
    const loaded = this.#loaded.rows.get(text);
    if (loaded === undefined) {
      this.missing.push(key);
      return null as T;
    }
    return loaded as T;
  }
}
