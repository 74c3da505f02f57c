/**
 * File groups through the file-system port: the list of a group is a file of the folder GROUPS_FOLDER, what a file belongs to is an
 * attribute of it (shared/model/file-group.ts). The list is written first: files that are in it and do not say so are fetched with the
 * others, and touch nothing.
 */
import type { NamedGroup } from '../control/groups.ts';
import {
  formatGroup,
  GROUP_XATTR,
  groupOf,
  GROUPS_FOLDER,
  groupValue,
  MOST_MEMBERS,
  parseGroup,
  type FileGroup,
} from '../model/file-group.ts';
import type { Fid } from '../model/fid.ts';
import { nameFault } from '../model/names.ts';
import type { Attributes, FileSystem } from '../ports/file-system.ts';
import { GodwitError } from '../wire/error-codes.ts';

const MODE_FILE = 0o644;
const MODE_FOLDER = 0o755;

/** How local contents are read and written: by a program on this machine, or in a simulated world. */
export interface LocalTexts {
  read(path: string): Promise<string>;
  write(path: string, text: string): Promise<void>;
}

/** Reads and writes the lists of the file groups of one volume through the file-system port. */
export class GroupFiles {
  readonly #fs: FileSystem;
  readonly #root: Fid;
  readonly #texts: LocalTexts;

  constructor(fs: FileSystem, root: Fid, texts: LocalTexts) {
    this.#fs = fs;
    this.#root = root;
    this.#texts = texts;
  }

  /** In the order of their names; what is no list is left out. */
  async all(): Promise<NamedGroup[]> {
    const folder = await this.#folder();
    if (folder === null) return [];
    const groups: NamedGroup[] = [];
    for (const { name, attributes } of await this.#fs.readdir(folder.fid)) {
      const group = attributes.kind === 'file' ? await this.#read(attributes.fid) : null;
      if (group !== null) groups.push({ name, fid: attributes.fid, ...group });
    }
    return groups;
  }

  /** Throws `not-found`. */
  async get(name: string): Promise<NamedGroup> {
    const found = (await this.all()).find((group) => group.name === name);
    if (found !== undefined) return found;
    throw new GodwitError('not-found', `${name}: there is no such group`, 'see `godwit group ls`');
  }

  /** Throws `exists`, `bad-name`, `usage`. */
  async create(name: string, group: FileGroup): Promise<NamedGroup> {
    const fault = nameFault(name);
    if (fault !== null) throw new GodwitError('bad-name', `${name}: ${fault}`);
    checkSize(name, group.files);
    const options = { mode: MODE_FOLDER };
    const folder =
      (await this.#folder()) ?? (await this.#fs.mkdir(this.#root, GROUPS_FOLDER, options));
    const { fid } = await this.#fs.create(folder.fid, name, { mode: MODE_FILE });
    const made = { name, fid, ...group };
    await this.#write(made, group.files);
    for (const file of group.files) await this.#join(file, fid);
    return made;
  }

  async add(group: NamedGroup, files: readonly Fid[]): Promise<NamedGroup> {
    const all = [...new Set([...group.files, ...files])];
    checkSize(group.name, all);
    await this.#write(group, all);
    for (const file of files) await this.#join(file, group.fid);
    return { ...group, files: all };
  }

  async remove(group: NamedGroup, files: readonly Fid[]): Promise<NamedGroup> {
    const gone = new Set(files);
    const left = group.files.filter((file) => !gone.has(file));
    await this.#write(group, left);
    for (const file of files) await this.#leave(file, group.fid);
    return { ...group, files: left };
  }

  /** The group itself goes; its files stay. */
  async end({ name, fid, files }: NamedGroup): Promise<void> {
    for (const file of files) await this.#leave(file, fid);
    const folder = await this.#folder();
    if (folder !== null) await this.#fs.remove({ dir: folder.fid, name });
  }

  async #folder(): Promise<Attributes | null> {
    const found = await orNull(this.#fs.lookup(this.#root, GROUPS_FOLDER));
    return found?.kind === 'directory' ? found : null;
  }

  async #read(fid: Fid): Promise<FileGroup | null> {
    const { handle, path } = await this.#fs.open(fid, { mode: 'read' });
    try {
      return parseGroup(await this.#texts.read(path));
    } finally {
      await this.#fs.close(handle, null);
    }
  }

  async #write({ fid, kind }: NamedGroup, files: readonly Fid[]): Promise<void> {
    const { handle, path } = await this.#fs.open(fid, { mode: 'write', truncate: true });
    try {
      await this.#texts.write(path, formatGroup({ kind, files }));
      await this.#fs.close(handle, {});
    } catch (error) {
      await this.#fs.abandon(handle).catch(() => undefined);
      throw error;
    }
  }

  /** A file is in one group: it leaves the one before. */
  async #join(file: Fid, group: Fid): Promise<void> {
    const found = await orNull(this.#fs.getattr(file));
    if (found === null || groupOf(found) === group) return;
    const others = found.xattrs.filter(({ name }) => name !== GROUP_XATTR);
    const xattrs = [...others, { name: GROUP_XATTR, value: groupValue(group) }];
    xattrs.sort((a, b) => (a.name < b.name ? -1 : 1));
    await this.#fs.setattr(file, { xattrs });
  }

  async #leave(file: Fid, group: Fid): Promise<void> {
    const found = await orNull(this.#fs.getattr(file));
    if (found === null || groupOf(found) !== group) return;
    const xattrs = found.xattrs.filter(({ name }) => name !== GROUP_XATTR);
    await this.#fs.setattr(file, { xattrs });
  }
}

function checkSize(name: string, files: readonly Fid[]): void {
  if (files.length <= MOST_MEMBERS) return;
  const count = `${files.length} files are more than the ${MOST_MEMBERS} of a group`;
  throw new GodwitError('usage', `${name}: ${count}; make several`);
}

async function orNull(found: Promise<Attributes>): Promise<Attributes | null> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof GodwitError && error.code === 'not-found') return null;
    throw error;
  }
}
