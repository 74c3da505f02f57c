/** The numbers of the inodes of a file system: which are in use, and which one a new inode gets. Most disks use one again as soon as it is free. */
import { Heap } from '../../../../shared/util/heap.ts';
import type { FileSystemSwitches } from './file-system-switches.ts';

const FIRST = 12n;

/** Gives numbers, and takes them back. */
export class FreeNumbers {
  readonly #order: FileSystemSwitches['numbers'];
  readonly #used = new Set<bigint>();
  /** Some of them may be in use again. */
  readonly #lowest = new Heap<bigint>((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  readonly #last: bigint[] = [];
  #next = FIRST;

  constructor(order: FileSystemSwitches['numbers']) {
    this.#order = order;
  }

  take(): bigint {
    let number = this.#freed();
    while (number !== undefined && this.#used.has(number)) number = this.#freed();
    const taken = number ?? this.#next++;
    this.#used.add(taken);
    return taken;
  }

  /** An inode that was gone is there again. */
  use(number: bigint): void {
    this.#used.add(number);
  }

  free(number: bigint): void {
    this.#used.delete(number);
    if (this.#order === 'lowest free') this.#lowest.push(number);
    else if (this.#order === 'last freed') this.#last.push(number);
  }

  #freed(): bigint | undefined {
    return this.#order === 'lowest free' ? this.#lowest.pop() : this.#last.pop();
  }
}
