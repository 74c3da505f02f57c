/** The harness of a Feed under test: the test is the front end, and another device changes the same volume. */
import type { Fid, VolumeId } from '../../shared/model/fid.ts';
import { rootOf } from '../../shared/model/fid.ts';
import { commitNumber, type CommitNumber, type DataVersion } from '../../shared/model/vnode.ts';
import type { ChangeSet } from '../../shared/model/change.ts';
import type { Feed, SnapshotPage } from '../../shared/ports/feed.ts';
import type { Attributes, FileSystem } from '../../shared/ports/file-system.ts';

/** The other device. Each call resolves when its update is committed. */
export interface FeedsOther {
  /** Makes or replaces a file. Returns its fid, as `make` and `mkdir` do. */
  write(path: string, text: string): Promise<Fid>;
  /** Makes a file that has no contents yet. */
  make(path: string): Promise<Fid>;
  mkdir(path: string): Promise<Fid>;
  link(path: string, name: string): Promise<void>;
  remove(path: string): Promise<void>;
}

export interface FeedHarness {
  readonly volume: VolumeId;
  /** The feed of the running daemon. */
  readonly feed: Feed;
  /** Its file system, through which the front end reports its own changes. */
  readonly fileSystem: FileSystem;
  readonly other: FeedsOther;
  /** Lets time pass until the promise is settled. */
  run<T>(work: Promise<T>): Promise<T>;
  /** Lets all pending work finish: anything that still waits needs an action of the test. */
  rest(): Promise<void>;
  /** Access to the local files that the feed and the file system return. */
  readonly files: {
    read(path: string): string;
    write(path: string, text: string): void;
    remove(path: string): void;
  };
  /** Disconnects the daemon from the server, long enough to be noticed, or reconnects it. */
  connect(online: boolean): Promise<void>;
  /** Kills the daemon and starts it again. The test keeps the durable state of the front end. */
  restart(): Promise<void>;
  /** Damages the contents of this file on the disk of the server. */
  damage(path: string): Promise<void>;
  /** Sets how many bytes of contents may be cached; null for all. */
  bound(bytes: number | null): Promise<void>;
  /** A person takes what is queued of a path out of the queue (`cancel`), or puts it first. */
  order(act: 'cancel' | 'now', path: string): Promise<void>;
  /** Pins a path. */
  pin(path: string): Promise<void>;
  end(): Promise<void>;
}

/** The steps of a front end that suites repeat. */
export class FeedsFrontEnd {
  readonly harness: FeedHarness;
  readonly signal = new AbortController().signal;

  constructor(harness: FeedHarness) {
    this.harness = harness;
  }

  get feed(): Feed {
    return this.harness.feed;
  }

  get root(): Fid {
    return rootOf(this.harness.volume);
  }

  page(position: { at: CommitNumber; after: Fid } | null = null): Promise<SnapshotPage> {
    const { harness, feed, signal } = this;
    return harness.run(feed.snapshot(harness.volume, position, signal));
  }

  /** Walks from a position to the end and returns all as one page. */
  async walk(from: { at: CommitNumber; after: Fid } | null = null): Promise<SnapshotPage> {
    let page = await this.page(from);
    const { at } = page;
    const vnodes = [...page.vnodes];
    while (page.more) {
      page = await this.page({ at, after: vnodes.at(-1)?.status.fid as Fid });
      vnodes.push(...page.vnodes);
    }
    return { at, vnodes, more: false };
  }

  changes(since: CommitNumber): Promise<ChangeSet[]> {
    const { harness, feed, signal } = this;
    return harness.run(feed.changes(harness.volume, since, signal));
  }

  /** The commits after `since` up to the current one. */
  async all(since = commitNumber(0)): Promise<ChangeSet[]> {
    const { at } = await this.page();
    const sets: ChangeSet[] = [];
    for (let last = since; last < at; last = sets.at(-1)?.commit ?? last) {
      sets.push(...(await this.changes(last)));
    }
    return sets;
  }

  /** Reports a file that was observed on the disk. */
  create(name: string, dir = this.root): Promise<Attributes> {
    const { fileSystem } = this.harness;
    return this.harness.run(fileSystem.create(dir, name, { mode: 0o644, observed: true }));
  }

  mkdir(name: string): Promise<Attributes> {
    const { fileSystem } = this.harness;
    return this.harness.run(fileSystem.mkdir(this.root, name, { mode: 0o755, observed: true }));
  }

  /** Reports contents that were written on the disk over version `base`. */
  async store(fid: Fid, base: number, text: string): Promise<Attributes> {
    const { fileSystem, files } = this.harness;
    const how = { mode: 'write', truncate: true, base: base as DataVersion } as const;
    const { handle, path } = await this.harness.run(fileSystem.open(fid, how));
    files.write(path, text);
    return this.harness.run(fileSystem.close(handle, {}));
  }

  remove(name: string, fid: Fid, base: number): Promise<void> {
    const { fileSystem } = this.harness;
    const observed = { fid, base: base as DataVersion };
    return this.harness.run(fileSystem.remove({ dir: this.root, name }, { observed }));
  }

  /** Resolves when all own updates are committed. */
  committed(): Promise<void> {
    return this.harness.run(this.harness.fileSystem.flush(this.harness.volume, null));
  }

  /** Disconnects, runs `theirs` and then `mine`, reconnects, and waits until own updates are at the server. */
  async apart(mine: () => Promise<unknown>, theirs: () => Promise<unknown>): Promise<void> {
    await this.harness.connect(false);
    await theirs();
    await mine();
    await this.harness.connect(true);
    await this.committed();
  }

  /** Resolves at the first call of `woken` at which `holds` is true. */
  wokenWhen(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.feed.onWoken(() => {
        if (holds()) resolve();
      });
    });
  }
}

/** Whether a promise is settled so far. */
export function watched<T>(work: Promise<T>): { settled: boolean; readonly work: Promise<T> } {
  const watching = { settled: false, work };
  const settle = (): void => {
    watching.settled = true;
  };
  work.then(settle, settle);
  return watching;
}
