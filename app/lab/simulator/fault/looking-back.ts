/** A person looks into a snapshot, and brings back what is in it, over the ports of the daemon. Those who watch hear what was told. */
import { rootOf, type Fid } from '../../../../shared/model/fid.ts';
import type { NamedSnapshot } from '../../../../shared/model/snapshots.ts';
import type { Digest } from '../../../../shared/model/vnode.ts';
import type { PastKeeper } from '../../../../shared/ports/controlled.ts';
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { CorePastKeeper } from '../../../../daemon/runtime/history/past-keeper.ts';
import type { LookBack, Observe } from '../check/observation.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import { telling } from './from-the-past.ts';

export type Wish = 'look' | 'list' | 'bring back' | 'bring back elsewhere';

interface Entry {
  readonly path: readonly string[];
  readonly fid: Fid;
  readonly kind: string;
}

const shownPath = (path: readonly string[]): string => path.map((name) => `/${name}`).join('');

export class LookingBack {
  readonly #client: ClientNode;
  /** Its daemon may be another one before it is through. */
  readonly #daemon: ClientNode['daemon'];
  readonly #random: SeededRandom;
  readonly #hear: Observe;
  readonly #past: PastKeeper;
  readonly #brought: Array<Digest | null> = [];

  constructor(client: ClientNode, random: SeededRandom, hear: Observe) {
    this.#client = client;
    this.#random = random;
    this.#hear = hear;
    const daemon = (this.#daemon = client.daemon);
    this.#past = new CorePastKeeper({
      fileSystem: telling(client, hear, (digest) => this.#brought.push(digest)),
      history: daemon.history,
      flush: (timeoutMs) => daemon.flush(timeoutMs),
      orderQueue: () => Promise.reject(new GodwitError('not-queued', 'nothing is given up')),
    });
  }

  /** Resolves with how it went. Rejects with what is no word of the daemon. */
  async does(wish: Wish): Promise<string> {
    try {
      const snapshots = await this.#snapshots();
      if (snapshots.length === 0) return 'there is none';
      return await this.#with(this.#random.pick(snapshots), wish);
    } catch (error) {
      // No snapshot was refused: the laptop was not let in, or was cut off.
      if (error instanceof GodwitError) return error.code;
      throw error;
    }
  }

  async #snapshots(): Promise<readonly NamedSnapshot[]> {
    const snapshots = await this.#daemon.history.snapshots(this.#client.volume);
    this.#tell({ what: 'snapshots', snapshots });
    return snapshots;
  }

  async #with(snapshot: NamedSnapshot, wish: Wish): Promise<string> {
    let path = '';
    try {
      const entries = await this.#walk(snapshot, (at) => (path = at));
      if (wish === 'look') return `${entries.length} entries`;
      const wanted = entries.filter(({ kind }) => wish !== 'list' || kind === 'directory');
      const { path: names } = wanted.length === 0 ? { path: [] } : this.#random.pick(wanted);
      path = shownPath(names);
      if (wish === 'list') return await this.#list(snapshot, names);
      if (names.length === 0) return 'nothing is in it';
      return await this.#bringBack(snapshot, names, wish === 'bring back elsewhere');
    } catch (error) {
      if (!(error instanceof GodwitError)) throw error;
      this.#tell({ what: 'refusal', snapshot, path, code: error.code });
      return `${error.code}: ${error.message}`;
    }
  }

  /** All that is in it, folder by folder. */
  async #walk(snapshot: NamedSnapshot, at: (path: string) => void): Promise<Entry[]> {
    const root = { path: [], fid: rootOf(this.#client.volume), kind: 'directory' };
    const found: Entry[] = [root];
    for (const { path, fid, kind } of found) {
      if (kind !== 'directory') continue;
      at(shownPath(path));
      for (const { name, ...entry } of await this.#folder(snapshot, path, fid)) {
        found.push({ path: [...path, name], ...entry });
      }
    }
    return found.slice(1);
  }

  async #folder(
    snapshot: NamedSnapshot,
    path: readonly string[],
    fid: Fid,
  ): Promise<Array<{ name: string; fid: Fid; kind: string }>> {
    const { entries } = await this.#daemon.history.directory(fid, snapshot.at, null);
    const shown = entries.map(({ name, status: { kind, size, digest } }) => {
      return { name, kind, size, digest };
    });
    this.#tell({ what: 'folder', snapshot, path: shownPath(path), entries: shown });
    return entries.map(({ name, status }) => ({ name, fid: status.fid, kind: status.kind }));
  }

  /** As `godwit ls --at` does. */
  async #list(snapshot: NamedSnapshot, path: readonly string[]): Promise<string> {
    const { name } = snapshot;
    const listing = await this.#past.list(await this.#volume(), path, { snapshot: name });
    if (await this.#isAnother(snapshot)) return 'another has its name';
    const entries = listing.entries.map((each) => {
      const { kind, size } = each;
      return { name: each.name, kind, size };
    });
    this.#tell({ what: 'folder', snapshot, path: shownPath(path), entries });
    return `${entries.length} listed`;
  }

  /** As `godwit restore --at` does. */
  async #bringBack(
    snapshot: NamedSnapshot,
    path: readonly string[],
    isElsewhere: boolean,
  ): Promise<string> {
    const to = isElsewhere ? [`${this.#random.below(9)} of a snapshot`] : null;
    const order = { path, to, version: null, at: null, snapshot: snapshot.name };
    const { done, failed } = await this.#past.restore(await this.#volume(), order);
    if (await this.#isAnother(snapshot)) return 'another has its name';
    for (const { path: lost, code } of failed) {
      this.#tell({ what: 'refusal', snapshot, path: lost, code });
    }
    const [digest] = this.#brought;
    const isOne = done.length === 1 && this.#brought.length === 1 && digest !== undefined;
    if (isOne && done[0]?.path === shownPath(path)) {
      this.#tell({ what: 'contents', snapshot, path: shownPath(path), digest });
    }
    return `${done.length} came back, ${failed.length} did not`;
  }

  /** It was removed, and another one has its name by now. */
  async #isAnother({ name, at, epoch }: NamedSnapshot): Promise<boolean> {
    const now = (await this.#snapshots()).find((each) => each.name === name);
    return now?.at !== at || now.epoch !== epoch;
  }

  async #volume(): Promise<string> {
    const volumes = await this.#daemon.fileSystem.volumes();
    const found = volumes.find(({ id }) => id === this.#client.volume);
    if (found !== undefined) return found.name;
    throw new GodwitError('no-such-volume', 'it was taken away');
  }

  #tell(told: LookBack['told']): void {
    this.#hear({ kind: 'looked-back', client: this.#client, told });
  }
}
