/** The harness of a ControlledDaemon under test, and the steps that its suites share. */
import { expect } from '@jest/globals';
import type { QueueRequest, QueueEntry } from '../../shared/control/queue.ts';
import { rootOf, type Fid } from '../../shared/model/fid.ts';
import type { VolumeInfo } from '../../shared/model/change.ts';
import type { ControlledDaemon } from '../../shared/ports/controlled.ts';
import type { Attributes, FileSystem } from '../../shared/ports/file-system.ts';

export interface ControlledHarness {
  readonly daemon: ControlledDaemon;
  /** Lets time pass until the call has its answer. */
  run<T>(work: Promise<T>): Promise<T>;
  /** Lets time pass until nothing continues by itself. */
  rest(): Promise<void>;
  /** Writes to a local path that the file system of the daemon, or of the other device, has returned. */
  write(side: 'here' | 'there', path: string, text: string): void;
  /** Disconnects the daemon from the server, long enough to be noticed, or reconnects it. */
  connect(online: boolean): Promise<void>;
  /** The file system of another device on the same volume. */
  readonly there: FileSystem;
  /** Adds a front end that holds back this many removals. */
  holdRemovals(count: number): void;
  /** Uses these files together until the daemon takes them for a group, and stops using them. */
  useTogether(files: readonly Fid[]): Promise<void>;
  /** Starts fetches of these files, which do not finish before `arrive` is called. */
  fetch(files: readonly Fid[]): Promise<{ readonly arrive: () => Promise<void> }>;
  /** Makes a file lose a conflict, which the snapshot reports. */
  conflict(name: string): Promise<void>;
  /** Restarts the daemon with its durable state; null when it has no disk. */
  readonly restart: (() => Promise<void>) | null;
  end(): Promise<void>;
}

/** The steps of suites with a daemon, by the names of files. */
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

  /** Makes a file on the other device and waits until it is known here. */
  async theirs(name: string, text: string): Promise<Fid> {
    const { there } = this.harness;
    const { fid } = await this.run(there.create(this.root, name, { mode: 0o644 }));
    await this.store(fid, text, 'there');
    await this.run(there.flush(this.volume.id, null));
    await this.names();
    return fid;
  }

  /** The whole queue. */
  async queue(asked: Partial<QueueRequest> = {}): Promise<readonly QueueEntry[]> {
    return (await this.run(this.daemon.queue({ most: 1000, ...asked }))).entries;
  }

  /** Each queued update as `kind path state`. */
  async told(): Promise<string[]> {
    const entries = await this.queue();
    return entries.map(({ kind, path, state }) => `${kind} ${path} ${state}`);
  }

  /** Pauses sending and queues five changes: a folder, a file in it, and another file. */
  async enqueue(): Promise<void> {
    this.daemon.pause();
    const { fid } = await this.folder('docs');
    await this.file('a', 'four', fid);
    await this.file('b', 'four and more');
  }

  /** Resolves at the next revision at which `holds` is true. */
  async until(holds: () => boolean): Promise<void> {
    for (;;) {
      const { revision } = this.daemon.snapshot();
      if (holds()) return;
      await this.run(this.daemon.changed(revision, 60_000));
    }
  }
}
