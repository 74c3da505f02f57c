/** A daemon under test as its controllers see it, and what suites of that port do with it. */
import { expect } from '@jest/globals';
import type { QueueAsked, QueueEntry } from '../../shared/control/queue.ts';
import { rootOf, type Fid } from '../../shared/model/fid.ts';
import type { VolumeInfo } from '../../shared/model/change.ts';
import type { ControlledDaemon } from '../../shared/ports/controlled.ts';
import type { Attributes, FileSystem } from '../../shared/ports/file-system.ts';

export interface ControlledHarness {
  readonly daemon: ControlledDaemon;
  /** Lets the world go on until the call has its answer. */
  run<T>(work: Promise<T>): Promise<T>;
  /** Lets it go on until nothing is left that goes on by itself. */
  rest(): Promise<void>;
  /** At a local path that the file system of the daemon, or of the other device, has handed out. */
  write(side: 'here' | 'there', path: string, text: string): void;
  /** Cuts the daemon off from the server, long enough for it to know, or brings it back. */
  connect(online: boolean): Promise<void>;
  /** The file system of another device on the same volume. */
  readonly there: FileSystem;
  /** A front end is there that holds so many removals back. */
  holdRemovals(count: number): void;
  /** Lets some work with these files be seen as work with all of them, so often that they are a group; and it ends there. */
  useTogether(files: readonly Fid[]): Promise<void>;
  /** The contents of a file begin to come, and do not arrive before `arrive` is called. */
  fetch(files: readonly Fid[]): Promise<{ readonly arrive: () => Promise<void> }>;
  /** The file has lost a conflict, and the snapshot tells it. */
  conflict(name: string): Promise<void>;
  /** What is durable stays; null: it has no disk. */
  readonly restart: (() => Promise<void>) | null;
  end(): Promise<void>;
}

/** What suites do with a daemon, by names. */
export class ControlledBench {
  readonly harness: ControlledHarness;
  readonly volume: VolumeInfo;

  private constructor(harness: ControlledHarness, volume: VolumeInfo) {
    this.harness = harness;
    this.volume = volume;
  }

  static async begin(harness: ControlledHarness): Promise<ControlledBench> {
    const [volume] = await harness.run(harness.daemon.fileSystem.volumes());
    return new ControlledBench(harness, volume as VolumeInfo);
  }

  get daemon(): ControlledDaemon {
    return this.harness.daemon;
  }

  get root(): Fid {
    return rootOf(this.volume.id);
  }

  run<T>(work: Promise<T>): Promise<T> {
    return this.harness.run(work);
  }

  async refuses(work: Promise<unknown>, code: string): Promise<void> {
    await expect(this.run(work)).rejects.toMatchObject({ code });
  }

  make(name: string, dir = this.root): Promise<Attributes> {
    return this.run(this.daemon.fileSystem.create(dir, name, { mode: 0o644 }));
  }

  folder(name: string): Promise<Attributes> {
    return this.run(this.daemon.fileSystem.mkdir(this.root, name, { mode: 0o755 }));
  }

  async file(name: string, text: string, dir = this.root): Promise<Attributes> {
    return this.store((await this.make(name, dir)).fid, text);
  }

  async store(fid: Fid, text: string, side: 'here' | 'there' = 'here'): Promise<Attributes> {
    const fs = side === 'here' ? this.daemon.fileSystem : this.harness.there;
    const opened = await this.run(fs.open(fid, { mode: 'write', truncate: true }));
    this.harness.write(side, opened.path, text);
    return this.run(fs.close(opened.handle, {}));
  }

  look(fid: Fid): Promise<Attributes> {
    return this.run(this.daemon.fileSystem.getattr(fid));
  }

  async names(dir = this.root): Promise<string[]> {
    return (await this.run(this.daemon.fileSystem.readdir(dir))).map(({ name }) => name);
  }

  flush(timeoutMs: number | null = null): Promise<void> {
    return this.run(this.daemon.flush(timeoutMs));
  }

  /** A file that the other device has made, and that is known here. */
  async theirs(name: string, text: string): Promise<Fid> {
    const { there } = this.harness;
    const { fid } = await this.run(there.create(this.root, name, { mode: 0o644 }));
    await this.store(fid, text, 'there');
    await this.run(there.flush(this.volume.id, null));
    await this.names();
    return fid;
  }

  /** All that is queued. */
  async queue(asked: Partial<QueueAsked> = {}): Promise<readonly QueueEntry[]> {
    return (await this.run(this.daemon.queue({ most: 1000, ...asked }))).entries;
  }

  /** `kind path state` of each. */
  async told(): Promise<string[]> {
    const entries = await this.queue();
    return entries.map(({ kind, path, state }) => `${kind} ${path} ${state}`);
  }

  /** Paused, with a folder, a file in it, and another one: five changes wait. */
  async enqueue(): Promise<void> {
    this.daemon.pause();
    const { fid } = await this.folder('docs');
    await this.file('a', 'four', fid);
    await this.file('b', 'four and more');
  }

  /** Resolves at the next revision with which this holds. */
  async until(holds: () => boolean): Promise<void> {
    for (;;) {
      const { revision } = this.daemon.snapshot();
      if (holds()) return;
      await this.run(this.daemon.changed(revision, 60_000));
    }
  }
}
