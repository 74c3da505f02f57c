/** What one person does with the folders that people share, over the ports of the daemon. */
import { has, USUAL_SETS } from '../../../../shared/model/access-list.ts';
import type { VolumeInfo } from '../../../../shared/model/change.ts';
import { rootOf, type VolumeId } from '../../../../shared/model/fid.ts';
import { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { milliseconds } from '../../../../shared/model/time.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { UserFiles } from '../cluster/user-files.ts';
import { FIRST_DRAWN } from '../store/add-volume.ts';

/** Each as often as it is to be drawn. */
export const SHARING_DEEDS = [
  ...(['share', 'share', 'offer', 'offer', 'offer', 'accept', 'accept'] as const),
  ...(['work', 'work', 'work', 'edit', 'move', 'move', 'look'] as const),
  ...(['leave', 'unshare', 'unshare', 'spy'] as const),
];
export type SharingDeed = (typeof SHARING_DEEDS)[number];

const FOLDER = { mode: 0o755 };
const NONCE_DIGITS = 32;
const FEW_BYTES = 400;
/** From here on a store names a version of another volume that has the same contents. */
const MOVED_BYTES = 33_000;
/** The right is taken so long after a move at most. */
const TAKEN_WITHIN_MS = 2_000;

export interface About {
  /** Which of the shared volumes that this person sees. */
  readonly which: number;
  readonly seed: number;
}

/** One deed of one person; what it takes from somebody comes back with `end`. */
export class SharingAct {
  readonly #client: ClientNode;
  /** Its daemon may be another one before it is through. */
  readonly #daemon: ClientNode['daemon'];
  readonly #other: ClientNode;
  readonly #about: About;
  readonly #random: SeededRandom;
  readonly #cluster: Cluster;
  readonly #taken: Array<{ readonly user: string; readonly volume: VolumeId }> = [];
  #isOver = false;

  constructor(client: ClientNode, other: ClientNode, about: About, cluster: Cluster) {
    this.#client = client;
    this.#daemon = client.daemon;
    this.#other = other;
    this.#about = about;
    this.#random = new SeededRandom(`sharing ${about.seed}`);
    this.#cluster = cluster;
  }

  /** Resolves with how it went. Rejects with what is no word of the daemon. */
  async does(deed: SharingDeed): Promise<string> {
    if (this.#isOver) return 'too late';
    try {
      return await this.#do(deed);
    } catch (error) {
      if (error instanceof GodwitError) return error.code;
      throw error;
    } finally {
      if (this.#isOver) this.#giveBack();
    }
  }

  /** Nothing of it begins any more, and what it took is given back. */
  end(): void {
    this.#isOver = true;
    this.#giveBack();
  }

  #do(deed: SharingDeed): Promise<string> {
    switch (deed) {
      case 'share':
        return this.#share();
      case 'offer':
        return this.#with((volume) => this.#set(volume, this.#other.user, this.#drawnRights()));
      case 'unshare':
        return this.#with((volume) => this.#set(volume, this.#other.user, 0));
      case 'accept':
        return this.#with(async ({ id }) => {
          await this.#daemon.programs.mkdir(this.#root, `at${this.#about.which}`, {
            ...FOLDER,
            mounts: id,
          });
          return 'accepted';
        });
      case 'leave':
        return this.#with((volume) => this.#leave(volume));
      case 'work':
        return this.#with(({ id }) =>
          this.#write(id, `f${this.#about.seed}`, this.#bytes(FEW_BYTES)),
        );
      case 'edit':
        return this.#with(({ id }) => this.#edit(id));
      case 'move':
        return this.#with(({ id }) => this.#move(id));
      default:
        return this.#with(({ id }) => this.#look(id));
    }
  }

  get #root() {
    return rootOf(this.#client.volume);
  }

  /** A volume is made for a new folder of the own one, and shown there. */
  async #share(): Promise<string> {
    const { volume, user } = this.#client;
    if (!this.#administers(volume)) {
      const row = {
        kind: 'person',
        name: user,
        negative: false,
        rights: USUAL_SETS.admin,
      } as const;
      this.#cluster.server.metaStore.changeAccess({ ask: 'set', volume, ...row });
      return 'an administrator first';
    }
    const label = `s${this.#about.which}`;
    const home = (await this.#daemon.programs.volumes()).find(({ id }) => id === volume);
    const nonce = this.#random.hex(NONCE_DIGITS / 2);
    const name = await this.#daemon.access.makeVolume(home?.name ?? '', label, nonce);
    const made = (await this.#daemon.programs.volumes()).find((each) => each.name === name);
    if (made === undefined) return 'not seen yet';
    await this.#daemon.programs.mkdir(this.#root, label, { ...FOLDER, mounts: made.id });
    return `shared as ${name}`;
  }

  #administers(volume: VolumeId): boolean {
    return this.#cluster.server.metaStore
      .orders()
      .rights.some(
        (row) =>
          row.user === this.#client.user && row.volume === volume && has(row.set, 'administer'),
      );
  }

  /** One of those that this person sees and that no laptop is for. */
  async #with(work: (volume: VolumeInfo) => Promise<string>): Promise<string> {
    const seen = (await this.#daemon.programs.volumes()).filter(({ id }) => id >= FIRST_DRAWN);
    const chosen = seen[this.#about.which % Math.max(seen.length, 1)];
    return chosen === undefined ? 'nothing is shared' : work(chosen);
  }

  #drawnRights(): number {
    return USUAL_SETS[this.#random.pick(['write', 'write', 'write', 'read', 'admin'] as const)];
  }

  async #set({ id, name }: VolumeInfo, user: string, rights: number): Promise<string> {
    if (user === this.#client.user) return 'that is oneself';
    this.#taken.push({ user, volume: id });
    await this.#daemon.access.set(name, { kind: 'person', name: user, negative: false, rights });
    return `${user} has ${rights}`;
  }

  async #leave({ id, name }: VolumeInfo): Promise<string> {
    this.#taken.push({ user: this.#client.user, volume: id });
    await this.#daemon.access.leave(name);
    for (const { name: at, attributes } of await this.#daemon.programs.readdir(this.#root)) {
      if (attributes.mounted === undefined || attributes.fid !== rootOf(id)) continue;
      await this.#daemon.programs.rmdir({ dir: this.#root, name: at }, { unmounts: true });
    }
    return 'left';
  }

  #bytes(length: number): Uint8Array {
    return this.#random.bytes(length);
  }

  #files(volume: VolumeId): UserFiles {
    return new UserFiles(this.#daemon.programs, this.#client.disk, volume);
  }

  async #write(volume: VolumeId, name: string, bytes: Uint8Array): Promise<string> {
    const { digest } = await this.#files(volume).write(`/${name}`, bytes);
    // Whoever has died told nobody.
    if (!this.#client.running || this.#client.daemon !== this.#daemon) return 'dead';
    const about = { client: this.#client, volume };
    if (digest !== null) this.#cluster.hear({ kind: 'shared-work', ...about, digest });
    return `${name} written`;
  }

  /** Writes over a file that others may write over at the same time. */
  async #edit(volume: VolumeId): Promise<string> {
    const listed = await this.#files(volume).list('/');
    const there = listed.filter(
      ({ attributes: { kind, sync } }) => kind === 'file' && sync === 'committed',
    );
    if (there.length === 0) return 'nothing is there';
    return this.#write(volume, this.#random.pick(there).name, this.#bytes(FEW_BYTES));
  }

  /** As programs move a file into another volume: a copy and a removal. Somebody may take the right meanwhile. */
  async #move(volume: VolumeId): Promise<string> {
    const [bytes, own] = [this.#bytes(MOVED_BYTES), `/moved${this.#about.seed}`];
    const { files } = this.#client;
    await files.write(own, bytes);
    await this.#write(volume, `m${this.#about.seed}`, bytes);
    if (this.#random.chance(0.5)) this.#takeSoon(volume);
    await files.remove(own);
    return 'moved';
  }

  #takeSoon(volume: VolumeId): void {
    const { world, server } = this.#cluster;
    const { user } = this.#client;
    world.time.in(milliseconds(this.#random.below(TAKEN_WITHIN_MS)), 'a right is taken', () => {
      if (this.#isOver || this.#mayNotLose(user, volume)) return;
      this.#taken.push({ user, volume });
      server.metaStore.allow(user, volume, null);
    });
  }

  async #look(volume: VolumeId): Promise<string> {
    const files = this.#files(volume);
    const listed = await files.list('/');
    const [first] = listed.filter(({ attributes: { kind } }) => kind === 'file');
    if (first !== undefined) await files.opened(`/${first.name}`);
    return `${listed.length} names`;
  }

  /** The last who may say who uses it. */
  #mayNotLose(user: string, volume: VolumeId): boolean {
    return this.#cluster.server.metaStore
      .orders()
      .rights.some(
        (row) => row.volume === volume && row.user === user && has(row.set, 'administer'),
      );
  }

  #giveBack(): void {
    const { metaStore } = this.#cluster.server;
    for (const { user, volume } of this.#taken.splice(0)) {
      if (this.#mayNotLose(user, volume)) continue;
      metaStore.allow(user, volume, 'write');
    }
  }
}
