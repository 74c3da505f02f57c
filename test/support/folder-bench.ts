/** A folder on a real directory before a fake volume, for tests: opened, watched, closed, opened again. */
import {
  copyFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFolder } from '../../daemon/adapters/folder/folder-front-end.ts';
import { systemDisk } from '../../daemon/adapters/folder/disk/system-disk.ts';
import type { FolderLimits } from '../../daemon/adapters/folder/folder-limits.ts';
import type { MountTable } from '../../daemon/adapters/folder/disk/mount-table.ts';
import type { FolderFrontEnd, FolderOptions } from '../../daemon/adapters/folder/folder-options.ts';
import { isRoomName } from '../../shared/control/marker.ts';
import { instant, milliseconds, wallTime, type Duration } from '../../shared/model/time.ts';
import type { Clock, TimerHandle, Timers } from '../../shared/ports/clock.ts';
import type { Host } from '../../shared/ports/host.ts';
import type { Log, LogFields } from '../../shared/ports/log.ts';
import { NativeHost } from '../../shared/transport/native-host.ts';
import { OtherDevice } from './fake-other-device.ts';
import { FakeVolume } from './fake-volume.ts';

/** The clock of this machine. */
export const systemClock: Clock = {
  now: () => instant(performance.now()),
  wall: () => wallTime(Date.now()),
};

/** The timers of this machine. */
export const systemTimers: Timers = {
  start(delay: Duration, run: () => void): TimerHandle {
    const timer = setTimeout(run, delay);
    return { cancel: () => clearTimeout(timer) };
  },
};

const QUICK: Partial<FolderLimits> = {
  settle: milliseconds(40),
  settleOpen: milliseconds(200),
  retry: milliseconds(100),
  heldPause: milliseconds(5),
  savePause: milliseconds(5),
  saveAgain: milliseconds(20),
  keptPause: milliseconds(5),
};

/** A synced folder with its volume and records. */
export class FolderBench {
  readonly dir = mkdtempSync(join(tmpdir(), 'godwit-folder-'));
  readonly root: string;
  readonly dataDir = join(this.dir, 'data');
  readonly host: Host;
  readonly volume: FakeVolume;
  readonly other: OtherDevice;
  readonly lines: string[] = [];
  limits: Partial<FolderLimits> = QUICK;
  /** The mount table; null for that of this machine. */
  mounts: MountTable | null = null;
  /** What the folder is opened with besides, or instead. */
  world: Partial<FolderOptions> = {};
  #folder: FolderFrontEnd | null = null;
  readonly #listeners = new Set<() => void>();

  /** `where` is the parent of the synced folder; null puts it beside the rest. */
  constructor(host: Host = new NativeHost(), where: string | null = null) {
    this.host = host;
    this.root = where === null ? join(this.dir, 'home') : mkdtempSync(join(where, 'home-'));
    this.volume = new FakeVolume(join(this.dir, 'volume'), host);
    this.other = new OtherDevice(this.volume);
  }

  get folder(): FolderFrontEnd {
    if (this.#folder === null) throw new Error('the folder is not open');
    return this.#folder;
  }

  async open(): Promise<FolderFrontEnd> {
    this.volume.begin();
    this.#folder = await openFolder({
      ...{
        root: this.root,
        dataDir: this.dataDir,
        volume: this.volume.info,
        deviceName: () => 'laptop',
      },
      ...{ fileSystem: this.volume, feed: this.volume, disk: systemDisk(this.host) },
      ...{ clock: systemClock, timers: systemTimers, log: this.#log(), limits: this.limits },
      ...(this.mounts === null ? {} : { mounts: this.mounts }),
      onChange: () => this.#changed(),
      ...this.world,
    });
    this.volume.attach(this.#folder);
    return this.#folder;
  }

  /** Opens the folder and waits until both sides are equal. */
  async start(): Promise<this> {
    await this.open();
    await this.settled();
    return this;
  }

  /** Flushes as `godwit flush --wait` does. */
  async flush(): Promise<void> {
    await this.folder.scan();
    await this.volume.flush();
  }

  /** Waits until both sides have the same. */
  async settled(): Promise<void> {
    for (let head = -1; head !== this.volume.head;) {
      await this.folder.scan();
      await this.volume.idle();
      head = this.volume.head;
      await this.folder.reached(this.volume.head);
      await this.until(() => this.volume.adjustments().length === 0);
      await this.until(() => this.folder.unsettled().commits === 0);
    }
  }

  /** Resolves when the folder looks like this; asked again after each change of it. */
  async shows(tree: Record<string, string>): Promise<void> {
    const wanted = JSON.stringify(sorted(tree));
    await this.until(() => JSON.stringify(sorted(this.tree())) === wanted);
  }

  until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!condition()) return;
        this.#listeners.delete(look);
        resolve();
      };
      this.#listeners.add(look);
      look();
    });
  }

  /** The tree on the disk, in the form of `FakeVolume.tree`. */
  tree(): Record<string, string> {
    const tree: Record<string, string> = {};
    const walk = (dir: string, path: string): void => {
      for (const name of readdirSync(dir).sort()) {
        if ((path === '' && name === '.godwit') || isRoomName(name)) continue;
        const at = join(dir, name);
        const stats = lstatSync(at);
        if (stats.isDirectory()) {
          tree[`${path}${name}/`] = '';
          walk(at, `${path}${name}/`);
        } else if (stats.isSymbolicLink()) tree[path + name] = `-> ${readlinkSync(at)}`;
        else if (stats.isFile()) tree[path + name] = readFileSync(at, 'utf8');
      }
    };
    walk(this.root, '');
    return tree;
  }

  path(...names: string[]): string {
    return join(this.root, ...names);
  }

  /** The updates that were logged since the last call. */
  told(): string[] {
    return this.volume.told.splice(0);
  }

  /** Keeps the records as they are now, for `crash`. */
  keepRecords(): void {
    rmSync(this.#kept, { recursive: true, force: true });
    mkdirSync(this.#kept);
    this.volume.letsNotesGo = false;
    for (const name of this.#databases(this.dataDir)) {
      copyFileSync(join(this.dataDir, name), join(this.#kept, name));
    }
  }

  /** Ends the folder as if the daemon had died before it wrote any record since `keepRecords`. Log and disk stay. */
  async crash(): Promise<void> {
    await this.close();
    this.volume.letsNotesGo = true;
    for (const name of this.#databases(this.dataDir)) rmSync(join(this.dataDir, name));
    for (const name of this.#databases(this.#kept)) {
      copyFileSync(join(this.#kept, name), join(this.dataDir, name));
    }
  }

  get #kept(): string {
    return join(this.dir, 'kept');
  }

  #databases(dir: string): string[] {
    return readdirSync(dir).filter((name) => name.startsWith('folder.db'));
  }

  async close(): Promise<void> {
    await this.#folder?.close();
    this.#folder = null;
  }

  async destroy(): Promise<void> {
    await this.close();
    for (const dir of [this.root, this.dir]) rmSync(dir, { recursive: true, force: true });
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  #log(): Log {
    const line =
      (level: string) =>
      (message: string, fields?: LogFields): void => {
        this.lines.push(`${level} ${message} ${JSON.stringify(fields ?? {})}`);
      };
    const log: Log = {
      error: line('error'),
      warn: line('warn'),
      info: line('info'),
      debug: line('debug'),
      with: () => log,
    };
    return log;
  }
}

function sorted(tree: Record<string, string>): Array<[string, string]> {
  return Object.entries(tree).sort(([a], [b]) => (a < b ? -1 : 1));
}
