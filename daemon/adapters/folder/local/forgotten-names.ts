/**
 * Names that are not on the disk, though nobody has removed them: a loss of power took them, their removal was rejected, or they went while they were
 * ignored. They are forgotten, as if they had never been in place, and so they come back from the volume.
 *
 * Until then a program may put something there. To its user that is a change of what the name has always been, as any other save: so the name is known
 * again when something is found at it. Else this laptop's own file would be in conflict with the one before it.
 *
 * Invariants
 * 1. A name is known again only as long as the volume, as it is seen here, has the same vnode there.
 * 2. A folder in which something is to come back is not removed by a look: it comes back with that.
 */
import type { Fid } from '../../../../shared/model/fid.ts';
import type { Attributes, FileSystem, Place } from '../../../../shared/ports/file-system.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import type { FolderEvents } from '../folder-events.ts';
import type { KeptStates } from '../kept-states.ts';
import type { FolderRecords, VnodeRecord } from '../records/folder-records.ts';
import type { DiskNode, Look } from './local-plan.ts';

export interface ForgottenNamesParts {
  readonly records: FolderRecords;
  readonly fileSystem: Pick<FileSystem, 'lookup'>;
  readonly events: FolderEvents;
  readonly store: KeptStates;
}

/** The key under which they are kept. */
const STATE = 'forgotten';

/** Names that are kept over a restart: of more, those that programs make anew before they are back may become conflict copies. */
const MOST_KEPT = 10_000;

interface Forgotten {
  readonly place: Place;
  readonly record: VnodeRecord;
  readonly own: boolean;
}

/** Has names come back from the volume, and knows them again where a program is first. */
export class ForgottenNames {
  readonly #parts: ForgottenNamesParts;
  /** By directory and name. */
  readonly #in = new Map<Fid, Map<string, Forgotten>>();

  constructor(parts: ForgottenNamesParts) {
    this.#parts = parts;
    for (const each of JSON.parse(parts.store.state(STATE) ?? '[]') as Forgotten[]) this.#add(each);
  }

  /** These, and all that is beneath, are to come back. */
  forget(places: readonly Place[]): void {
    const { records, events } = this.#parts;
    if (places.length === 0) return;
    for (const place of places) {
      this.#note(place);
      records.unlink(place);
    }
    this.#keep();
    events.emit('namesForgotten');
  }

  #note(place: Place): void {
    const { records } = this.#parts;
    const fid = records.at(place.dir, place.name);
    const record = fid === null ? null : records.get(fid);
    if (fid === null || record === null) return;
    const own = records.isOwn(place.dir, place.name);
    this.#add({ place, record: { ...record, disk: null }, own });
    for (const [name] of records.entries(fid)) this.#note({ dir: fid, name });
  }

  #add(forgotten: Forgotten): void {
    const { dir, name } = forgotten.place;
    const names = this.#in.get(dir) ?? new Map<string, Forgotten>();
    this.#in.set(dir, names.set(name, forgotten));
  }

  /** Of what was found that which stands at a forgotten name is known by it again. */
  async recall(looks: readonly Look[]): Promise<void> {
    if (this.#in.size === 0) return;
    for (const { dir, nodes } of looks) await this.#recallIn(dir, nodes);
  }

  async #recallIn(dir: Fid, nodes: readonly DiskNode[]): Promise<void> {
    const { records } = this.#parts;
    for (const node of nodes) {
      await this.#recallAt({ dir, name: node.name }, node);
      if (node.children === null) continue;
      const fid = records.byInode(node.facts.inode) ?? records.at(dir, node.name);
      if (fid !== null && records.get(fid)?.kind === 'directory')
        await this.#recallIn(fid, node.children);
    }
  }

  async #recallAt(place: Place, { facts, placeholder }: DiskNode): Promise<void> {
    const { records } = this.#parts;
    const known = this.#in.get(place.dir)?.get(place.name);
    if (known === undefined || placeholder !== undefined) return;
    const { record, own } = known;
    // What is to come back in it has no other place.
    if (record.kind === 'directory' && facts.kind !== 'directory') return;
    const there = await this.#still(known);
    this.#drop(known);
    if (there === null) return;
    // What was stored before it was forgotten may have been committed since.
    const isSame = there !== 'unknown' && there.digest === record.digest;
    const version = isSame ? there.version : record.version;
    if (!records.has(record.fid)) records.put({ ...record, version });
    records.link(place, record.fid, own);
  }

  /** Something in the folder is to come back, so the folder is. */
  async isAwaitedIn(dir: Fid): Promise<boolean> {
    for (const known of [...(this.#in.get(dir)?.values() ?? [])]) {
      if ((await this.#still(known)) !== null) return true;
      this.#drop(known);
    }
    return false;
  }

  /** Everything was looked at: what is back is not kept any longer. */
  prune(): void {
    const { records } = this.#parts;
    let isOther = false;
    for (const known of [...this.#in.values()].flatMap((names) => [...names.values()])) {
      const { dir, name } = known.place;
      if (records.at(dir, name) === null) continue;
      this.#drop(known);
      isOther = true;
    }
    if (isOther) this.#keep();
  }

  /** What the name leads to; null: it is back already, or is another vnode's, or nobody's. */
  async #still({ place, record }: Forgotten): Promise<Attributes | 'unknown' | null> {
    const { records, fileSystem } = this.#parts;
    if (records.at(place.dir, place.name) !== null) return null;
    try {
      const there = await fileSystem.lookup(place.dir, place.name);
      return there.fid === record.fid ? there : null;
    } catch (error) {
      if (!(error instanceof GodwitError)) throw error;
      return error.code === 'not-found' ? null : 'unknown';
    }
  }

  #drop({ place }: Forgotten): void {
    const names = this.#in.get(place.dir);
    names?.delete(place.name);
    if (names?.size === 0) this.#in.delete(place.dir);
  }

  #keep(): void {
    const all = [...this.#in.values()].flatMap((names) => [...names.values()]);
    try {
      this.#parts.store.setState(STATE, JSON.stringify(all.slice(0, MOST_KEPT)));
    } catch {
      // A full disk is said by who saves the records.
    }
  }
}
