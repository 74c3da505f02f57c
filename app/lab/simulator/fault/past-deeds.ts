/**
 * What a person does that there is something to take back of: folders and files made, written over, saved as editors do, linked,
 * moved and removed, in a folder that the operations of plans know nothing of.
 */
import type { Digest } from '../../../../shared/model/vnode.ts';
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import type { Observe } from '../check/observation.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import type { UserFiles } from '../cluster/user-files.ts';

const FOLDERS = 3;
const FILES = 3;
const MOST_DEEDS = 8;

const DEEDS = [
  'write',
  'write',
  'write',
  'save',
  'save anew',
  'rename',
  'rename over',
  'save and on',
  'link',
  'second name',
  'symlink',
  'chmod',
  'remove',
  'remove',
  'remove all',
] as const;

/** Makes random changes in a folder of its own, to be restored or undone later. */
export class Deeds {
  /** The one that all of it is in, and a file of it. */
  readonly folder: string;
  readonly #client: ClientNode;
  readonly #files: UserFiles;
  readonly #random: SeededRandom;
  readonly #hear: Observe;

  constructor(client: ClientNode, files: UserFiles, random: SeededRandom, hear: Observe) {
    this.#client = client;
    this.#files = files;
    this.#random = random;
    this.#hear = hear;
    this.folder = `/deeds ${random.below(FOLDERS)}`;
  }

  get file(): string {
    const place = this.#random.chance(0.3) ? `${this.folder}/sub` : this.folder;
    return `${place}/file ${this.#random.below(FILES)}`;
  }

  async run(): Promise<void> {
    await ifPossible(this.#files.mkdir(this.folder));
    if (this.#random.chance(0.5)) await ifPossible(this.#files.mkdir(`${this.folder}/sub`));
    if (this.#random.chance(0.5)) {
      for (let i = 0; i < FILES; i++) await ifPossible(this.#write(`${this.folder}/file ${i}`));
    }
    const count = 1 + this.#random.below(MOST_DEEDS);
    for (let i = 0; i < count; i++) await ifPossible(this.#do(this.#random.pick(DEEDS)));
  }

  async #do(deed: (typeof DEEDS)[number]): Promise<unknown> {
    const [file, other] = [this.file, this.file];
    const beside = `${this.folder}/new ${this.#random.hex(6)}`;
    switch (deed) {
      case 'write':
        return this.#write(file);
      case 'save':
        await this.#write(beside);
        return this.#rename(beside, file);
      case 'save and on':
        await this.#write(beside);
        await this.#rename(beside, file);
        return this.#rename(file, other);
      case 'second name':
        await this.#files.link(file, beside);
        return this.#remove(file);
      case 'save anew':
        await this.#remove(file);
        return this.#write(file);
      case 'rename':
        return this.#rename(file, beside);
      case 'rename over':
        return this.#rename(file, other);
      case 'link':
        return this.#files.link(file, beside);
      case 'symlink':
        return this.#files.symlink(beside, file);
      case 'chmod':
        return this.#files.chmod(file, 0o600);
      case 'remove':
        return this.#remove(file);
      case 'remove all':
        return this.#removeAll(this.folder);
    }
  }

  async #write(path: string): Promise<void> {
    const { name } = this.#client;
    const text = this.#random.chance(0.1) ? '' : `${name} ${this.#random.hex(12)}`;
    await this.#files.write(path, text, { opened: ({ digest }) => this.#over(digest) });
  }

  async #rename(from: string, to: string): Promise<void> {
    await Promise.all([this.#lookAt(to), this.#files.rename(from, to)]);
  }

  async #remove(path: string): Promise<void> {
    await Promise.all([this.#lookAt(path), this.#files.remove(path)]);
  }

  async #removeAll(folder: string): Promise<void> {
    for (const { name, attributes } of await this.#files.list(folder)) {
      const path = `${folder}/${name}`;
      if (attributes.kind === 'directory') await this.#removeAll(path);
      else await this.#remove(path);
    }
    await this.#files.rmdir(folder);
  }

  async #lookAt(path: string): Promise<void> {
    await ifPossible(this.#files.look(path).then(({ digest }) => this.#over(digest)));
  }

  #over(digest: Digest | null): void {
    this.#hear({ kind: 'overwrote', client: this.#client, digest });
  }
}

/** Somebody else may have been there before. */
async function ifPossible(deed: Promise<unknown>): Promise<void> {
  try {
    await deed;
  } catch (error) {
    if (!(error instanceof GodwitError) || error.code === 'internal') throw error;
  }
}
