/** What a program does to files through the file-system port, in the few ways that workloads do it. Contents go by local paths, as for any program. */
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import type { Fid } from '../../../../shared/model/fid.ts';
import type { Attributes, FileSystem, OpenFile } from '../../../../shared/ports/file-system.ts';
import { DEFAULT_VOLUME, findVolume } from '../../../cli/volume-tree.ts';

const FILE_MODE = 0o644;
const FOLDER_MODE = 0o755;

/** Creates, replaces, reads and lists files of a volume through the file-system port. */
export class PortFiles {
  readonly root: Fid;
  readonly #fs: FileSystem;

  private constructor(fs: FileSystem, root: Fid) {
    this.#fs = fs;
    this.root = root;
  }

  /** Of the usual volume; of a person who does not see it, the first one that they see. */
  static async of(fs: FileSystem): Promise<PortFiles> {
    const [first] = await fs.volumes();
    const { root } = await findVolume(fs, DEFAULT_VOLUME).catch((error: unknown) => {
      if (first === undefined) throw error;
      return first;
    });
    return new PortFiles(fs, root);
  }

  async folder(name: string): Promise<Fid> {
    return (await this.#fs.mkdir(this.root, name, { mode: FOLDER_MODE })).fid;
  }

  async find(dir: Fid, name: string): Promise<Fid> {
    return (await this.#fs.lookup(dir, name)).fid;
  }

  async names(dir: Fid): Promise<string[]> {
    return (await this.#fs.readdir(dir)).map(({ name }) => name);
  }

  /** As `cp` does it: a new file with the contents of a local one. */
  async copyIn(source: string, dir: Fid, name: string): Promise<Fid> {
    const opened = await this.#fs.createOpen(dir, name, { mode: FILE_MODE });
    await this.#written(opened, (path) => copyFile(source, path));
    return opened.attributes.fid;
  }

  /** Other contents for a file that is there. */
  async replace(fid: Fid, contents: Uint8Array): Promise<void> {
    const opened = await this.#fs.open(fid, { mode: 'write', truncate: true });
    await this.#written(opened, (path) => writeFile(path, contents));
  }

  /** Opens, reads all of it, closes. */
  async read(fid: Fid): Promise<{ contents: Buffer; attributes: Attributes }> {
    const { handle, path, attributes } = await this.#fs.open(fid, { mode: 'read' });
    try {
      return { contents: await readFile(path), attributes };
    } finally {
      await this.#fs.close(handle, null);
    }
  }

  async #written({ handle, path }: OpenFile, fill: (path: string) => Promise<void>): Promise<void> {
    try {
      await fill(path);
      await this.#fs.close(handle, {});
    } catch (error) {
      await this.#fs.abandon(handle).catch(() => undefined);
      throw error;
    }
  }
}
