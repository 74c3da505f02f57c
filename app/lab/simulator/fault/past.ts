/**
 * A person looks at the past, brings something of it back, or undoes what the laptop did: a version, what was removed, a
 * folder as it was. Meanwhile the laptop may lose its connection, its daemon may be killed, or the server.
 *
 * What is brought back is an ordinary update: checkers hear what it is made over, and that it is acknowledged. It is asked over the
 * daemon's ports, as `godwit restore` does, in its turn among the programs of the laptop.
 *
 * It weighs nothing, so that the seeds of the default mix keep their meaning.
 */
import type { RestoreReport } from '../../../../shared/control/history.ts';
import { rootOf } from '../../../../shared/model/fid.ts';
import type { Fid } from '../../../../shared/model/fid.ts';
import type { WallTime } from '../../../../shared/model/time.ts';
import type { PastKeeper, RestoreOrder } from '../../../../shared/ports/controlled.ts';
import type { FileSystem } from '../../../../shared/ports/file-system.ts';
import { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { CorePastKeeper } from '../../../../daemon/runtime/history/past-keeper.ts';
import type { Observe } from '../check/observation.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import type { UserFiles } from '../cluster/user-files.ts';
import { Deeds } from './past-deeds.ts';
import type { FaultFamily } from './fault.ts';
import { telling } from './from-the-past.ts';
import { meanwhileOf } from './meanwhile.ts';

const WISHES = [
  'look',
  'version',
  'version',
  'earlier',
  'as it was',
  'elsewhere',
  'removed',
  'removed',
  'undo',
  'undo',
  'undo lately',
  'regret',
  'regret',
  'regret',
  'nonsense',
] as const;

type Wish = (typeof WISHES)[number];

/** One after the other. */
const MOST_WISHES = 4;
const MOST_UNDONE = 6;
const FLUSH_MS = 10_000;
const LATELY_MS = [1_000, 10_000, 1_000_000];

/** Errors that a person may get without a fault. */
const MAY_BE_TOLD: ReadonlySet<string> = new Set([
  'not-found',
  'exists',
  'not-a-directory',
  'is-a-directory',
  'cycle',
  'no-contents',
  'version-gone',
  'changed-since',
  'no-right',
  'no-such-volume',
  'not-connected',
  'not-running',
  'timed-out',
  'sync-blocked',
  'usage',
  // Disks that are full or fail, and a quota.
  'disk-full',
  'disk-failing',
  'damaged-contents',
  'over-quota',
]);

/** What the daemon says where the server gives a code and no more. */
const SERVER_FAILED = 'the server does not tell of the past';

export const past: FaultFamily = {
  name: 'past',
  weight: 0,
  draw: (random, { laptops }) => ({
    family: 'past',
    laptop: random.below(laptops.length),
    seed: random.below(1_000_000),
    times: 1 + random.below(MOST_WISHES),
    meanwhile: random.pick(['nothing', 'nothing', 'nothing', 'cut', 'killed', 'server killed']),
    lastsMs: random.below(random.pick([20, 500, 60_000])),
  }),
  begin: ({ laptop, seed, times, meanwhile }, target) => {
    const client = target.laptop(Number(laptop));
    if (!client.running || client.machine.asleep) return null;
    const { hear } = target.cluster;
    for (let i = 0; i < Number(times); i++) {
      const random = new SeededRandom(`past ${String(seed)} ${i}`);
      const wish = random.pick(WISHES);
      target.works(client, `past, ${wish}`, () =>
        outcomeOf(new Person(client, random, hear).wants(wish)),
      );
    }
    return meanwhileOf(String(meanwhile), client, target);
  },
};

/** A failing database of the server is reported: the simulated one has no code for it. Any other error is a bug. */
function mayBeTold({
  code,
  message,
}: {
  readonly code: string;
  readonly message: string;
}): boolean {
  return MAY_BE_TOLD.has(code) || (code === 'internal' && message === SERVER_FAILED);
}

async function outcomeOf(answer: Promise<string>): Promise<string> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof GodwitError && mayBeTold(error)) return error.code;
    throw error;
  }
}

type Path = readonly string[];

class Person {
  readonly #client: ClientNode;
  /** Its daemon may be another one before it is through. */
  readonly #fileSystem: FileSystem;
  readonly #files: UserFiles;
  readonly #random: SeededRandom;
  readonly #hear: Observe;
  readonly #past: PastKeeper;

  constructor(client: ClientNode, random: SeededRandom, hear: Observe) {
    this.#client = client;
    this.#random = random;
    this.#hear = hear;
    const { daemon } = client;
    this.#fileSystem = daemon.fileSystem;
    this.#files = client.files;
    this.#past = new CorePastKeeper({
      fileSystem: telling(client, hear),
      history: daemon.history,
      flush: (timeoutMs) => daemon.flush(timeoutMs),
      // Nobody gives up here what was refused: what was written is looked for at the end of a run.
      orderQueue: () => Promise.reject(new GodwitError('not-queued', 'nothing is given up')),
    });
  }

  async wants(wish: Wish): Promise<string> {
    const volume = await this.#volume();
    switch (wish) {
      case 'undo':
        return this.#undo(volume, { last: 1 + this.#random.below(MOST_UNDONE) });
      case 'undo lately': {
        const ms = this.#client.clock.wall() - this.#random.below(this.#random.pick(LATELY_MS));
        return this.#undo(volume, { since: ms as WallTime });
      }
      case 'removed':
        return this.#bringBack(volume);
      case 'regret':
        return this.#regret(volume);
      case 'nonsense':
        return this.#nonsense(volume);
      default: {
        const path = await this.#path(volume);
        return path === null ? 'nothing is there' : this.#about(volume, path, wish);
      }
    }
  }

  async #about(volume: string, path: Path, wish: Wish): Promise<string> {
    const { versions } = await this.#past.versions(volume, path);
    const kept = versions.filter((version) => version.kept && !version.present);
    const version = kept.length === 0 ? null : this.#random.pick(kept);
    switch (wish) {
      case 'look':
        return `${versions.length} versions`;
      case 'version':
        return this.#restore(volume, { path, version: version?.number ?? null });
      case 'elsewhere': {
        const to = [...path.slice(0, -1), `${this.#random.below(9)} of the past`];
        return this.#restore(volume, { path, to, version: version?.number ?? null });
      }
      case 'as it was': {
        const at = (version?.when ?? this.#client.clock.wall()) as WallTime;
        // Its folder, or all of those above it.
        const depth = this.#random.chance(0.5) ? path.length : 1;
        return this.#restore(volume, { path: path.slice(0, depth), at });
      }
      default:
        return this.#restore(volume, { path });
    }
  }

  async #bringBack(volume: string): Promise<string> {
    const folder = this.#random.chance(0.5) ? [] : ((await this.#path(volume)) ?? []).slice(0, -1);
    const { removed } = await this.#past.removed(volume, folder);
    if (removed.length === 0) return 'nothing was removed';
    const folders = removed.filter(({ kind }) => kind === 'directory');
    const some = folders.length > 0 && this.#random.chance(0.5) ? folders : removed;
    const { path, when } = this.#random.pick(some);
    const at = this.#random.chance(0.2) ? ((when - 1) as WallTime) : null;
    return this.#restore(volume, { path: namesOf(path), at });
  }

  /** Does things in a folder, and takes them back. */
  async #regret(volume: string): Promise<string> {
    const before = this.#client.clock.wall();
    const deeds = new Deeds(this.#client, this.#files, this.#random, this.#hear);
    await deeds.run();
    if (this.#random.chance(0.6)) {
      const last = 1 + this.#random.below(MOST_UNDONE);
      return this.#undo(volume, this.#random.chance(0.5) ? { last } : { since: before });
    }
    // What is not committed has no past yet.
    await this.#fileSystem.flush(this.#client.volume, FLUSH_MS);
    const at = this.#random.chance(0.5) ? null : this.#client.clock.wall();
    const path = this.#random.chance(0.5) ? deeds.folder : deeds.file;
    return this.#restore(volume, { path: namesOf(path), at });
  }

  /** What a person may mistype. */
  async #nonsense(volume: string): Promise<string> {
    const path = await this.#path(volume);
    const below = [...(path ?? []), 'never there'];
    const asked = [
      () => this.#past.versions('nobody’s', []),
      () => this.#past.versions(volume, below),
      () => this.#past.removed(volume, below),
      () => this.#past.removed(volume, path ?? below),
      () => this.#restore(volume, { path: [] }),
      () => this.#restore(volume, { path: below, version: 0 }),
      () => this.#restore(volume, { path: path ?? below, version: 0 }),
      () => this.#restore(volume, { path: path ?? below, at: 0 as WallTime }),
      () => this.#restore(volume, { path: path ?? below, to: path ?? below }),
      () => this.#restore(volume, { path: path ?? below, to: [...below, 'nowhere'] }),
    ];
    return outcomeOf(
      this.#random
        .pick(asked)()
        .then(() => 'that was sensible'),
    );
  }

  async #restore(
    volume: string,
    order: Partial<RestoreOrder> & { readonly path: Path },
  ): Promise<string> {
    return shown(await this.#past.restore(volume, { version: null, at: null, to: null, ...order }));
  }

  async #undo(volume: string, extent: Parameters<PastKeeper['undo']>[1]): Promise<string> {
    return shown(await this.#past.undo(volume, extent, this.#random.chance(0.2)));
  }

  async #volume(): Promise<string> {
    const volumes = await this.#fileSystem.volumes();
    const found = volumes.find(({ id }) => id === this.#client.volume);
    if (found !== undefined) return found.name;
    throw new GodwitError('no-such-volume', 'it was taken away');
  }

  /** Of something that is there, or was. */
  async #path(volume: string): Promise<Path | null> {
    const paths = await this.#pathsIn(rootOf(this.#client.volume), []);
    const { removed } = await this.#past.removed(volume, []);
    const all = [...paths, ...removed.map(({ path }) => namesOf(path))];
    return all.length === 0 ? null : this.#random.pick(all);
  }

  async #pathsIn(dir: Fid, folder: Path): Promise<Path[]> {
    const paths: Path[] = [];
    for (const { name, attributes } of await this.#fileSystem.readdir(dir)) {
      paths.push([...folder, name]);
      if (attributes.kind !== 'directory') continue;
      // It may be gone by now.
      const inside = await this.#pathsIn(attributes.fid, [...folder, name]).catch(() => []);
      paths.push(...inside);
    }
    return paths;
  }
}

const namesOf = (path: string): Path => path.split('/').slice(1);

function shown({ done, failed }: RestoreReport): string {
  for (const { code, path, message } of failed) {
    if (!mayBeTold({ code, message })) {
      throw new Error(`${path} does not come back: ${code}: ${message}`);
    }
  }
  return `${done.length} came back, ${failed.length} did not`;
}
