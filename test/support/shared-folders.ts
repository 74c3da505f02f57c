/** People and shared folders of a fake daemon: what its access lists say, and which folders of its one volume show other volumes. */
import type { Share } from '../../shared/control/access.ts';
import { USUAL_SETS } from '../../shared/model/access-list.ts';
import type { ListedEntry } from '../../shared/model/decide-access.ts';
import { rootOf, type VolumeId } from '../../shared/model/fid.ts';
import type { Attributes, Mounted } from '../../shared/ports/file-system.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import type { FakeDaemon } from './fake-daemon.ts';

const PEOPLE = ['ann', 'bob', 'cid', 'dora'];
const MOUNT = { mode: 0o755 };

export const member = (
  name: string,
  rights: number,
  kind: ListedEntry['kind'] = 'person',
): ListedEntry => ({ kind, name, negative: false, rights });

/** What a daemon tells whose person is ann. */
export class SharedFolders {
  /** By the name of the volume. */
  readonly entries = new Map<string, readonly ListedEntry[]>();
  shares: readonly Share[] = [
    { volume: 'home', own: USUAL_SETS.admin, by: null, path: [], isFolder: true },
  ];
  readonly #mounts = new Map<string, Pick<Mounted, 'volume' | 'why'>>();
  readonly #daemon: FakeDaemon;

  constructor(daemon: FakeDaemon) {
    this.#daemon = daemon;
    this.#lists();
    this.#tree();
  }

  /** Another volume that ann sees, with who uses it; `by`: who has given it. */
  add(volume: string, by: string | null, entries: readonly ListedEntry[]): void {
    const own = entries.find(({ name }) => name === 'ann')?.rights ?? 0;
    this.shares = [...this.shares, { volume, own, by, path: null, isFolder: false }];
    this.entries.set(volume, entries);
  }

  /** A folder in the root that shows the volume; null: it shows nothing, for this reason. */
  async mount(name: string, volume: string | null, why: string | null = null): Promise<void> {
    this.#mounts.set(name, { volume, why });
    this.#place(volume, [name]);
    const { fileSystem } = this.#daemon;
    await fileSystem.mkdir(fileSystem.info.root, name, MOUNT);
  }

  #place(volume: string | null, path: readonly string[] | null): void {
    this.shares = this.shares.map((share) =>
      share.volume === volume ? { ...share, path } : share,
    );
  }

  #lists(): void {
    const { access } = this.#daemon;
    access.shares = () => Promise.resolve({ person: 'ann', shares: this.shares });
    access.list = (volume) => {
      const own = this.shares.find((share) => share.volume === volume)?.own ?? 0;
      return Promise.resolve({ own, entries: this.entries.get(volume) ?? [] });
    };
    access.set = async (volume, row) => {
      if (row.kind === 'person' && !PEOPLE.includes(row.name)) {
        throw new GodwitError('not-found', `there is no user ${row.name}`);
      }
      const before = this.entries.get(volume) ?? [];
      const at = before.findIndex(({ kind, name }) => kind === row.kind && name === row.name);
      const rows = at < 0 ? [...before, row] : before.with(at, row);
      const left = rows.filter(({ rights }) => rights !== 0);
      await Promise.resolve(this.entries.set(volume, left));
    };
    access.makeVolume = (_around, label) => {
      const volume = `${label}-0001`;
      this.add(volume, null, [member('ann', USUAL_SETS.admin)]);
      return Promise.resolve(volume);
    };
    access.leave = (volume) => {
      this.shares = this.shares.filter((share) => share.volume !== volume);
      return Promise.resolve();
    };
  }

  #tree(): void {
    const { fileSystem } = this.#daemon;
    const real = {
      readdir: fileSystem.readdir.bind(fileSystem),
      lookup: fileSystem.lookup.bind(fileSystem),
      mkdir: fileSystem.mkdir.bind(fileSystem),
      rmdir: fileSystem.rmdir.bind(fileSystem),
      rename: fileSystem.rename.bind(fileSystem),
    };
    const shown = (name: string, attributes: Attributes): Attributes => {
      const mount = this.#mounts.get(name);
      return mount === undefined
        ? attributes
        : { ...attributes, mounted: { at: attributes.fid, ...mount } };
    };
    fileSystem.volumes = () => {
      const { info } = fileSystem;
      const others = this.shares.filter(({ isFolder }) => !isFolder);
      const infos = others.map(({ volume: name }, at) => {
        const id = (info.id + at + 1) as VolumeId;
        return { ...info, id, name, root: rootOf(id) };
      });
      return Promise.resolve([info, ...infos]);
    };
    fileSystem.readdir = async (dir) =>
      (await real.readdir(dir)).map(({ name, attributes }) => ({
        name,
        attributes: shown(name, attributes),
      }));
    fileSystem.lookup = async (dir, name) => shown(name, await real.lookup(dir, name));
    fileSystem.mkdir = async (dir, name, options) => {
      const volume = (await fileSystem.volumes()).find(({ id }) => id === options.mounts)?.name;
      if (volume !== undefined) {
        this.#mounts.set(name, { volume, why: null });
        this.#place(volume, [name]);
      }
      return real.mkdir(dir, name, MOUNT);
    };
    fileSystem.rename = async (from, to) => {
      const mount = this.#mounts.get(from.name);
      this.#mounts.delete(from.name);
      if (mount !== undefined) {
        this.#mounts.set(to.name, mount);
        this.#place(mount.volume, [to.name]);
      }
      return real.rename(from, to);
    };
    fileSystem.rmdir = (place) => {
      this.#mounts.delete(place.name);
      return real.rmdir(place);
    };
  }
}
