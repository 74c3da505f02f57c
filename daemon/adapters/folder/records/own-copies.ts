/**
 * Names that the folder itself gave to conflict copies on its disk, until they are told: with each the name that was lost (rule C4). Who finds such a
 * file later could not tell it from one that a person called so.
 *
 * Invariants
 * 1. A name is noted before the disk has it, so that a daemon that dies in between knows it. On a disk that takes no note it is known in this run.
 * 2. There are no more notes than a number: the oldest go first, and count as a person's.
 */
import type { Place } from '../../../../shared/ports/file-system.ts';
import type { KeptStates } from '../kept-states.ts';
import { placeKey } from './folder-records.ts';

const STATE = 'copies';
/** A copy is told within seconds, unless the folder can't be read. */
const MOST_NOTES = 256;

/** Knows which names on the disk the folder gave to conflict copies that are not told yet. */
export class OwnCopies {
  readonly #store: KeptStates;
  readonly #lost: Map<string, string>;

  constructor({ store }: { readonly store: KeptStates }) {
    this.#store = store;
    this.#lost = new Map(JSON.parse(store.state(STATE) ?? '[]') as Array<[string, string]>);
  }

  /** What lies there soon is a conflict copy, beside what has the name `copyOf`. */
  gives({ dir, name }: Place, copyOf: string): void {
    this.#lost.set(placeKey(dir, name), copyOf);
    const [oldest] = this.#lost.keys();
    if (this.#lost.size > MOST_NOTES && oldest !== undefined) this.#lost.delete(oldest);
    this.#keep();
  }

  /** As an option of the call that tells of it. */
  markOf({ dir, name }: Place): { copyOf?: string } {
    const copyOf = this.#lost.get(placeKey(dir, name));
    return copyOf === undefined ? {} : { copyOf };
  }

  told({ dir, name }: Place): void {
    if (this.#lost.delete(placeKey(dir, name))) this.#keep();
  }

  #keep(): void {
    try {
      this.#store.setState(STATE, JSON.stringify([...this.#lost]));
    } catch {
      // It says so itself when the records are to be saved; until then this run knows.
    }
  }
}
