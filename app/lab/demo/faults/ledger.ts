/**
 * What was written, over what, and what was removed: by it one can tell at the end whether something is lost.
 *
 * A version is named by the hash of its contents; the workload never writes the same contents twice. A version is accounted
 * for if it is there, or was removed by somebody who had it before him, or if one that was written over it is.
 */

interface Version {
  readonly over: string | null;
  readonly what: string;
  /** What the file that has it was called, here and there. */
  readonly names: Set<string>;
  /** False: a write that failed midway. It may be there, and nobody misses it. */
  required: boolean;
}

/**
 * Records which versions were written over which and which were removed, and tells at the end what
 * is lost.
 */
export class Ledger {
  readonly #versions = new Map<string, Version>();
  readonly #removed = new Set<string>();
  /** Names over which something was put while another version than the one looked at took the place. */
  readonly #blind = new Set<string>();

  get size(): number {
    return this.#versions.size;
  }

  /** `over`: the version that the writer had before him; null: none. */
  wrote(version: string, over: string | null, name: string, what: string): void {
    const names = new Set([name]);
    this.#versions.set(version, { over, what, names, required: true });
  }

  /** The write did not come about: what was there before is not superseded by it. */
  failed(version: string): void {
    const found = this.#versions.get(version);
    if (found !== undefined) this.#versions.set(version, { ...found, over: null, required: false });
  }

  saw(version: string, name: string): void {
    this.#versions.get(version)?.names.add(name);
  }

  /** Somebody who had it before him removed it, or put another file in its place. */
  removed(version: string): void {
    this.#removed.add(version);
  }

  /**
   * Between a look at the file and a rename over it, or its removal, another version took its place: what a program can't tell, it
   * destroys. A version that had this name is not held against the product.
   */
  overlooked(name: string): void {
    this.#blind.add(name);
  }

  has(version: string): boolean {
    return this.#versions.has(version);
  }

  /** What is not accounted for, in words; `there`: every version that is somewhere now. */
  missing(there: Iterable<string>): string[] {
    const accounted = new Set<string>();
    for (const start of [...there, ...this.#removed]) {
      let version: string | null = start;
      while (version !== null && !accounted.has(version)) {
        accounted.add(version);
        version = this.#versions.get(version)?.over ?? null;
      }
    }
    return [...this.#versions]
      .filter(([version, { required }]) => required && !accounted.has(version))
      .filter(([, { names }]) => ![...names].some((name) => this.#blind.has(name)))
      .map(([version, { what }]) => `lost: ${what} (${version.slice(0, 12)})`);
  }
}
