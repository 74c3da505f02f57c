/** What a Feed is put into for its conformance suites: the test is the front end, another device changes the same volume. */
import type { Fid, VolumeId } from '../../shared/model/fid.ts';
import { rootOf } from '../../shared/model/fid.ts';
import { commitNumber, type CommitNumber, type DataVersion } from '../../shared/model/vnode.ts';
import type { ChangeSet } from '../../shared/model/change.ts';
import type { Feed, SnapshotPage } from '../../shared/ports/feed.ts';
import type { Attributes, FileSystem } from '../../shared/ports/file-system.ts';

/** Each resolves when it is committed. */
export interface FeedsOther {
  /** Makes or replaces a file; gives its fid, as `make` and `mkdir` do. */
  write(path: string, text: string): Promise<Fid>;
  /** A file that has no contents yet. */
  make(path: string): Promise<Fid>;
  mkdir(path: string): Promise<Fid>;
  link(path: string, name: string): Promise<void>;
  remove(path: string): Promise<void>;
}

export interface FeedHarness {
  readonly volume: VolumeId;
  /** Of the daemon that runs now. */
  readonly feed: Feed;
  /** Its file system, by which the front end tells of changes of its own. */
  readonly fileSystem: FileSystem;
  readonly other: FeedsOther;
  /** Lets the world go on until the promise is settled. */
  run<T>(work: Promise<T>): Promise<T>;
  /** All that is under way happens: what waits then, waits for something that somebody does. */
  rest(): Promise<void>;
  /** Local files that the feed and the file system hand out. */
  readonly files: {
    read(path: string): string;
    write(path: string, text: string): void;
    remove(path: string): void;
  };
  /** Cuts it off from the server, long enough for it to know, or brings it back. */
  connect(online: boolean): Promise<void>;
  /** The daemon is killed and started again; what the front end keeps durably is the test's. */
  restart(): Promise<void>;
  /** The server's disk has other bytes now where the contents of this file were. */
  damage(path: string): Promise<void>;
  /** A person says how many bytes of contents may be here; null: all. */
  bound(bytes: number | null): Promise<void>;
  /** A person wants the contents of this path here always. */
  pin(path: string): Promise<void>;
  end(): Promise<void>;
}

/** What a front end does again and again. */
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

  /** The walk from a position to its end, as one page. */
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

  /** Every commit from there to the present one. */
  async all(since = commitNumber(0)): Promise<ChangeSet[]> {
    const { at } = await this.page();
    const sets: ChangeSet[] = [];
    for (let last = since; last < at; last = sets.at(-1)?.commit ?? last) {
      sets.push(...(await this.changes(last)));
    }
    return sets;
  }

  /** As it was seen on the disk. */
  create(name: string, dir = this.root): Promise<Attributes> {
    const { fileSystem } = this.harness;
    return this.harness.run(fileSystem.create(dir, name, { mode: 0o644, observed: true }));
  }

  mkdir(name: string): Promise<Attributes> {
    const { fileSystem } = this.harness;
    return this.harness.run(fileSystem.mkdir(this.root, name, { mode: 0o755, observed: true }));
  }

  /** Contents that were written on the disk over that version. */
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

  /** Resolves when everything of ours is committed. */
  committed(): Promise<void> {
    return this.harness.run(this.harness.fileSystem.flush(this.harness.volume, null));
  }

  /** Both sides do something apart, the other one first; then we are back, and what is ours is at the server. */
  async apart(mine: () => Promise<unknown>, theirs: () => Promise<unknown>): Promise<void> {
    await this.harness.connect(false);
    await theirs();
    await mine();
    await this.harness.connect(true);
    await this.committed();
  }

  /** Resolves at a call of `woken` at which it holds. */
  wokenWhen(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.feed.onWoken(() => {
        if (holds()) resolve();
      });
    });
  }
}

/** What has become of a promise so far. */
export function watched<T>(work: Promise<T>): { settled: boolean; readonly work: Promise<T> } {
  const watching = { settled: false, work };
  const settle = (): void => {
    watching.settled = true;
  };
  work.then(settle, settle);
  return watching;
}
