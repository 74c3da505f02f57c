/** Row keys as text, so that loaded rows and the overlay are maps. A fid holds no space and no slash. */
import { volumeOf, type VolumeId } from '../../../shared/model/fid.ts';
import type { RowKey } from '../../../shared/model/stored.ts';

/** A row key as text: another one for each row. */
export function rowKeyText(key: RowKey): string {
  switch (key.kind) {
    case 'vnode':
      return `vnode ${key.fid}`;
    case 'entry':
      return `entry ${key.dir}/${key.name}`;
    case 'ancestors':
      return `ancestors ${key.fid}`;
    case 'height':
      return `height ${key.fid} ${key.most ?? ''} ${key.asOf}`;
    case 'applied':
      return `applied ${key.device} ${key.seq}`;
    case 'block':
      return `block ${key.volume} ${key.uniquifier}`;
    case 'unused-blocks':
      return `unused-blocks ${key.volume} ${key.device} ${key.limit}`;
    case 'volumes':
      return 'volumes';
    case 'device':
      return `device ${key.fingerprint}`;
    case 'device-names':
      return `device-names ${key.user}`;
    case 'invitation':
      return `invitation ${key.id}`;
    case 'version':
      return `version ${key.fid} ${key.version}`;
    case 'directory':
      return `directory ${key.fid} ${key.at} ${key.limit} ${key.after === null ? '' : `/${key.after}`}`;
    case 'changes':
      return `changes ${key.volume} ${key.since} ${key.limit}`;
    case 'snapshot':
      return `snapshot ${key.volume} ${key.at} ${key.limit} ${key.after ?? ''}`;
    case 'past-versions':
      return `past-versions ${key.fid} ${key.before ?? ''} ${key.limit}`;
    case 'past-names': {
      const after = key.after === null ? '' : `${key.after.commit}/${key.after.name}`;
      return `past-names ${key.dir} ${key.limit} ${after}/${key.name ?? '/'}`;
    }
    case 'named-snapshots':
      return `named-snapshots ${key.volume}`;
    case 'own-commits':
      return `own-commits ${key.volume} ${key.device} ${key.before ?? ''} ${key.limit}`;
  }
}

/** The volume that a row is of; null: it is of the server, or of a device. */
export function volumeOfRow(key: RowKey): VolumeId | null {
  if ('fid' in key) return volumeOf(key.fid);
  if ('dir' in key) return volumeOf(key.dir);
  return 'volume' in key ? key.volume : null;
}

/** Keys without repetition, in the order of their first mention. */
export class KeySet {
  readonly #keys = new Map<string, RowKey>();

  add(key: RowKey): void {
    const text = rowKeyText(key);
    if (!this.#keys.has(text)) this.#keys.set(text, key);
  }

  list(): RowKey[] {
    return [...this.#keys.values()];
  }
}
