/**
 * A person's programs at work on one laptop, at random: few names and few folders, so that laptops meet often. Every
 * content written is different, and the ledger hears of each.
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

type Operation = (files: UserFiles) => Promise<void>;

export class RandomFiles {
  readonly #name: string;
  readonly #random: SeededRandom;
  readonly #ledger: WriteLedger;
  readonly #kinds: ReadonlyArray<readonly [weight: number, kind: string, make: () => Operation]>;
  #written = 0;

  constructor(name: string, random: SeededRandom, ledger: WriteLedger) {
    this.#name = name;
    this.#random = random;
    this.#ledger = ledger;
    this.#kinds = [
      [10, 'write', () => this.#write()],
      [3, 'read', () => this.#read()],
      [3, 'rename', () => this.#rename()],
      [3, 'remove', () => this.#remove()],
      [2, 'mkdir', () => this.#mkdir()],
      [1, 'rmdir', () => this.#rmdir()],
      [1, 'link', () => this.#link()],
      [1, 'chmod', () => this.#chmod()],
      [1, 'symlink', () => this.#symlink()],
    ];
  }

  /** One operation. Its choices are made at once; gives what it was and how it went. */
  async step(files: UserFiles): Promise<string> {
    const [kind, operation] = this.#choose();
    try {
      await operation(files);
      return kind;
    } catch (error) {
      if (error instanceof GodwitError && HARMLESS.includes(error.code)) {
        return `${kind}: ${error.code}`;
      }
      throw error;
    }
  }

  #choose(): readonly [string, Operation] {
    const total = this.#kinds.reduce((sum, [weight]) => sum + weight, 0);
    let drawn = this.#random.below(total);
    for (const [weight, kind, make] of this.#kinds) {
      if (drawn < weight) return [kind, make()];
      drawn -= weight;
    }
    return ['nothing', () => Promise.resolve()];
  }

  #path(): string {
    return `${this.#random.pick(FOLDERS)}/${this.#random.pick(NAMES)}`;
  }

  #write(): Operation {
    const path = this.#path();
    this.#written += 1;
    const text = `${this.#name} ${this.#written} ${'.'.repeat(this.#random.below(3000))}`;
    const digest = digestOf(new TextEncoder().encode(text));
    return async (files) => {
      await files.write(path, text, { opened: (over) => this.#ledger.consumed(over.digest) });
      this.#ledger.wrote(this.#name, path, digest);
    };
  }

  #read(): Operation {
    const path = this.#path();
    return async (files) => void (await files.read(path));
  }

  #rename(): Operation {
    const [from, to] = [this.#path(), this.#path()];
    return async (files) => {
      await Promise.all([this.#consume(files, to), files.rename(from, to)]);
    };
  }

  #remove(): Operation {
    const path = this.#path();
    return async (files) => {
      await Promise.all([this.#consume(files, path), files.remove(path)]);
    };
  }

  #mkdir(): Operation {
    const path = this.#random.pick(FOLDERS.slice(1));
    return async (files) => void (await files.mkdir(path));
  }

  #rmdir(): Operation {
    const path = this.#random.pick(FOLDERS.slice(1));
    return (files) => files.rmdir(path);
  }

  #link(): Operation {
    const [from, to] = [this.#path(), this.#path()];
    return async (files) => void (await files.link(from, to));
  }

  #chmod(): Operation {
    const path = this.#path();
    const mode = this.#random.pick([0o600, 0o644, 0o755]);
    return async (files) => void (await files.chmod(path, mode));
  }

  #symlink(): Operation {
    const path = this.#path();
    return async (files) => void (await files.symlink(path, 'elsewhere'));
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
