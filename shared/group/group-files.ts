/**
 * File groups through the file-system port: the list of a group is a file of the folder GROUPS_FOLDER, what a file belongs to is an attribute of it
 * (shared/model/file-group.ts). The list is written first: files in it without the attribute are fetched with the others, and touch nothing.
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
import { nullIfAbsent } from '../wire/null-if-absent.ts';

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
    return this.#moved(made, group.files);
  }

  async add(group: NamedGroup, files: readonly Fid[]): Promise<NamedGroup> {
    const all = [...new Set([...group.files, ...files])];
    checkSize(group.name, all);
    await this.#write(group, all);
    return this.#moved({ ...group, files: all }, files);
  }

  /** A file is in one group: it leaves the lists of the others, and its attribute names this one. */
  async #moved(group: NamedGroup, files: readonly Fid[]): Promise<NamedGroup> {
    const joining = new Set(files);
    const from: string[] = [];
    for (const other of await this.all()) {
      if (other.fid === group.fid || !other.files.some((file) => joining.has(file))) continue;
      await this.#write(
        other,
        other.files.filter((file) => !joining.has(file)),
      );
      from.push(other.name);
    }
    for (const file of files) await this.#join(file, group.fid);
    return from.length === 0 ? group : { ...group, movedFrom: from };
  }

  async remove(group: NamedGroup, files: readonly Fid[]): Promise<NamedGroup> {
    const gone = new Set(files);
    const left = group.files.filter((file) => !gone.has(file));
    await this.#write(group, left);
    await this.#leaveAll(files, group.fid);
    return { ...group, files: left };
  }

  /** What is on the list of another group still, as two devices may have put it on one each, belongs to that. */
  async #leaveAll(files: readonly Fid[], from: Fid): Promise<void> {
    const others = (await this.all()).filter(({ fid }) => fid !== from);
    for (const file of files) {
      const other = others.find((each) => each.files.includes(file));
      await this.#leave(file, from, other?.fid ?? null);
    }
  }

  /** The group itself goes; its files stay. */
  async end({ name, fid, files }: NamedGroup): Promise<void> {
    await this.#leaveAll(files, fid);
    const folder = await this.#folder();
    if (folder !== null) await this.#fs.remove({ dir: folder.fid, name });
  }

  async #folder(): Promise<Attributes | null> {
    const found = await this.#fs.lookup(this.#root, GROUPS_FOLDER).catch(nullIfAbsent);
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

  async #join(file: Fid, group: Fid): Promise<void> {
    const found = await this.#fs.getattr(file).catch(nullIfAbsent);
    if (found !== null && groupOf(found) !== group) await this.#setGroup(found, group);
  }

  async #leave(file: Fid, group: Fid, other: Fid | null): Promise<void> {
    const found = await this.#fs.getattr(file).catch(nullIfAbsent);
    if (found !== null && groupOf(found) === group) await this.#setGroup(found, other);
  }

  async #setGroup({ fid, xattrs: before }: Attributes, group: Fid | null): Promise<void> {
    const others = before.filter(({ name }) => name !== GROUP_XATTR);
    const own = group === null ? [] : [{ name: GROUP_XATTR, value: groupValue(group) }];
    const xattrs = [...others, ...own].sort((a, b) => (a.name < b.name ? -1 : 1));
    await this.#fs.setattr(fid, { xattrs });
  }
}

function checkSize(name: string, files: readonly Fid[]): void {
  if (files.length <= MOST_MEMBERS) return;
  const count = `${files.length} files are more than the ${MOST_MEMBERS} of a group`;
  throw new GodwitError('usage', `${name}: ${count}; make several`);
}
