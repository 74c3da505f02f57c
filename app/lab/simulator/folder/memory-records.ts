/**
 * The records of a simulated folder: what its engine saved is there at the next start, all of a save or nothing of it, as of the database in the real
 * one. They outlive the daemon and a loss of power.
 */
import type { HeldRows as Held } from '../../../../daemon/adapters/folder/records/held-rows.ts';
import { HeldRows } from '../../../../daemon/adapters/folder/records/held-rows.ts';
import type { VnodeRecord } from '../../../../daemon/adapters/folder/records/folder-records.ts';
import { FolderRecords } from '../../../../daemon/adapters/folder/records/folder-records.ts';
import type {
  KeptRecords,
  OpenedRecords,
} from '../../../../daemon/adapters/folder/records/record-store.ts';
import type { EntryChange } from '../../../../shared/model/change.ts';
import type { Fid } from '../../../../shared/model/fid.ts';
import { commitNumber, type VnodeStatus } from '../../../../shared/model/vnode.ts';
import { MachineStopped } from '../process/crash-points.ts';
import type { ProcessLife } from '../process/life.ts';

interface Named {
  readonly dir: Fid;
  readonly name: string;
  readonly fid: Fid;
  readonly own: boolean;
}

/** Who hears of each save, before and after it. */
export interface SaveHooks {
  readonly before: () => void;
  readonly after: () => void;
}

/** What is said of those that were damaged. */
export const RECORDS_LOST = 'the records were damaged: the folder is compared with the server';

const keyOf = (dir: Fid, name: string): string => `${dir}/${name}`;
/** What goes on when the rest is set aside. */
const GOES_ON = ['token', 'volume'];

/** Keeps the records of one folder in memory, over the lives of its daemons. */
export class MemoryRecords {
  readonly #vnodes = new Map<Fid, VnodeRecord>();
  readonly #entries = new Map<string, Named>();
  readonly #freed = new Map<string, readonly Named[]>();
  readonly #heldVnodes = new Map<Fid, VnodeStatus>();
  readonly #heldEntries = new Map<string, EntryChange>();
  readonly #states = new Map<string, string>();
  #lost: string | null = null;

  /** For one life of a daemon. */
  open(root: Fid, life: ProcessLife, hooks: SaveHooks): OpenedRecords {
    const records = new FolderRecords(root);
    for (const record of this.#vnodes.values()) records.put(structuredClone(record));
    for (const { dir, name, fid, own } of this.#entries.values()) {
      records.link({ dir, name }, fid, own);
    }
    for (const { dir, name, fid, own } of [...this.#freed.values()].flat()) {
      records.free({ dir, name }, fid, own);
    }
    records.changesSaved();
    const held = new HeldRows();
    for (const status of this.#heldVnodes.values()) held.setVnode(status);
    for (const row of this.#heldEntries.values()) held.setEntry(row);
    held.changesSaved();
    const position = this.#states.get('position');
    held.merged = position === undefined ? null : commitNumber(Number(position));
    const loaded = {
      ...{ records, held },
      clean: this.#states.get('clean') === '1',
      anew: this.#states.get('anew') === '1',
    };
    const lost = this.#lost;
    this.#lost = null;
    return { store: this.#store(life, hooks), loaded, lost };
  }

  /** They are damaged, so they are set aside, and that is said at the next start. */
  lose(): void {
    this.setAside();
    this.#lost = RECORDS_LOST;
  }

  /** The next start looks at the folder as if it were new, but knows it. */
  setAside(): void {
    const known = GOES_ON.flatMap((key) => {
      const value = this.#states.get(key);
      return value === undefined ? [] : [[key, value] as const];
    });
    for (const table of [this.#vnodes, this.#entries, this.#freed]) table.clear();
    for (const table of [this.#heldVnodes, this.#heldEntries, this.#states]) table.clear();
    for (const [key, value] of known) this.#states.set(key, value);
    this.#states.set('anew', '1');
  }

  #store(life: ProcessLife, { before, after }: SaveHooks): KeptRecords {
    const step = (work: () => void): void => {
      stopIfOver(life);
      before();
      stopIfOver(life);
      work();
      after();
      stopIfOver(life);
    };
    return {
      state: (key) => this.#states.get(key) ?? null,
      setState: (key, value) => step(() => void this.#states.set(key, value)),
      save: (records, held, told = null) => step(() => this.#save(records, held, told)),
      close: () => undefined,
    };
  }

  #save(records: FolderRecords, held: Held, told: string | null): void {
    const { vnodes, entries, freed } = records.changes();
    for (const { fid, record } of vnodes) {
      if (record === null) this.#vnodes.delete(fid);
      else this.#vnodes.set(fid, structuredClone(record));
    }
    for (const { dir, name, fid, own } of entries) {
      if (fid === null) this.#entries.delete(keyOf(dir, name));
      else this.#entries.set(keyOf(dir, name), { dir, name, fid, own });
    }
    for (const { place, fids } of freed) {
      const { dir, name } = place;
      const all = fids.map(({ fid, own }) => ({ dir, name, fid, own }));
      if (all.length === 0) this.#freed.delete(keyOf(dir, name));
      else this.#freed.set(keyOf(dir, name), all);
    }
    const rows = held.changes();
    for (const { fid, status } of rows.vnodes) {
      if (status === null) this.#heldVnodes.delete(fid);
      else this.#heldVnodes.set(fid, status);
    }
    for (const { dir, name, row } of rows.entries) {
      if (row === null) this.#heldEntries.delete(keyOf(dir, name));
      else this.#heldEntries.set(keyOf(dir, name), row);
    }
    if (held.merged !== null) this.#states.set('position', String(held.merged));
    if (told !== null) this.#states.set('told', told);
    records.changesSaved();
    held.changesSaved();
  }
}

function stopIfOver(life: ProcessLife): void {
  if (life.over) throw new MachineStopped();
}
