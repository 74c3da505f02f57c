/**
 * A person's programs at work on one laptop, at random: few names and few folders, so that laptops meet often. Every
 * content written is different, and the ledger hears of each.
 *
 * One program changes things at a time, beside others that read: what two programs of one laptop do to one file at
 * the same moment is lost on any file system.
 */
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import type { ErrorCode } from '../../../shared/wire/error-codes.ts';
import type { SeededRandom } from '../../../shared/util/seeded-random.ts';
import type { WriteLedger } from '../check/write-ledger.ts';
import type { UserFiles } from '../cluster/user-files.ts';
import { digestOf } from '../disk/memory-disk.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e'];
const FOLDERS = ['', '/x', '/y', '/x/z'];

/** What an operation may meet without anything being wrong. */
const HARMLESS: readonly ErrorCode[] = [
  'not-found',
  'exists',
  'not-a-directory',
  'is-a-directory',
  'not-empty',
  'cycle',
  'not-connected',
  'no-contents',
];

interface Operation {
  /** For the trace. */
  readonly what: string;
  readonly run: (files: UserFiles) => Promise<unknown>;
}

export class RandomFiles {
  readonly #name: string;
  readonly #random: SeededRandom;
  readonly #ledger: WriteLedger;
  readonly #kinds: ReadonlyArray<readonly [weight: number, make: () => Operation]>;
  #written = 0;
  #changing = false;

  constructor(name: string, random: SeededRandom, ledger: WriteLedger) {
    this.#name = name;
    this.#random = random;
    this.#ledger = ledger;
    this.#kinds = [
      [10, () => this.#write()],
      [3, () => this.#read()],
      [3, () => this.#rename()],
      [3, () => this.#remove()],
      [2, () => this.#mkdir()],
      [1, () => this.#rmdir()],
      [1, () => this.#link()],
      [1, () => this.#chmod()],
      [1, () => this.#symlink()],
    ];
  }

  /** One operation. Its choices are made at once; gives what it was and how it went. */
  async step(files: UserFiles): Promise<string> {
    const chosen = this.#choose();
    if (this.#changing) return attempt(this.#read(), files);
    this.#changing = true;
    const told = await attempt(chosen, files);
    this.#changing = false;
    return told;
  }

  /** The programs died with their daemon. */
  killed(): void {
    this.#changing = false;
  }

  #choose(): Operation {
    const total = this.#kinds.reduce((sum, [weight]) => sum + weight, 0);
    let drawn = this.#random.below(total);
    for (const [weight, make] of this.#kinds) {
      if (drawn < weight) return make();
      drawn -= weight;
    }
    return this.#write();
  }

  #path(): string {
    return `${this.#random.pick(FOLDERS)}/${this.#random.pick(NAMES)}`;
  }

  #write(): Operation {
    const path = this.#path();
    this.#written += 1;
    const text = `${this.#name} ${this.#written} ${'.'.repeat(this.#random.below(3000))}`;
    const digest = digestOf(new TextEncoder().encode(text));
    return {
      what: `write ${path} ${digest.slice(0, 12)}`,
      run: async (files) => {
        await files.write(path, text, { opened: (over) => this.#ledger.consumed(over.digest) });
        this.#ledger.wrote(this.#name, path, digest);
      },
    };
  }

  #read(): Operation {
    const path = this.#path();
    return { what: `read ${path}`, run: (files) => files.read(path) };
  }

  #rename(): Operation {
    const [from, to] = [this.#path(), this.#path()];
    return {
      what: `rename ${from} ${to}`,
      run: (files) => Promise.all([this.#consume(files, to), files.rename(from, to)]),
    };
  }

  #remove(): Operation {
    const path = this.#path();
    return {
      what: `remove ${path}`,
      run: (files) => Promise.all([this.#consume(files, path), files.remove(path)]),
    };
  }

  #mkdir(): Operation {
    const path = this.#random.pick(FOLDERS.slice(1));
    return { what: `mkdir ${path}`, run: (files) => files.mkdir(path) };
  }

  #rmdir(): Operation {
    const path = this.#random.pick(FOLDERS.slice(1));
    return { what: `rmdir ${path}`, run: (files) => files.rmdir(path) };
  }

  #link(): Operation {
    const [from, to] = [this.#path(), this.#path()];
    return { what: `link ${from} ${to}`, run: (files) => files.link(from, to) };
  }

  #chmod(): Operation {
    const path = this.#path();
    const mode = this.#random.pick([0o600, 0o644, 0o755]);
    return { what: `chmod ${path}`, run: (files) => files.chmod(path, mode) };
  }

  #symlink(): Operation {
    const path = this.#path();
    return { what: `symlink ${path}`, run: (files) => files.symlink(path, 'elsewhere') };
  }

  /** Looks at what the operation beside it will end; told even where a crash hides how that one went. */
  async #consume(files: UserFiles, path: string): Promise<void> {
    try {
      this.#ledger.consumed((await files.look(path)).digest);
    } catch (error) {
      if (!(error instanceof GodwitError)) throw error;
    }
  }
}

async function attempt({ what, run }: Operation, files: UserFiles): Promise<string> {
  try {
    await run(files);
    return what;
  } catch (error) {
    if (error instanceof GodwitError && HARMLESS.includes(error.code)) {
      return `${what}: ${error.code}`;
    }
    throw error;
  }
}
