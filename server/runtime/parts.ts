/**
 * The begun parts of uploads (rule D3): what came of streams whose calls ended, until the rest comes.
 *
 * Invariants
 * 1. A part belongs to its device: no other one sees it, goes on with it or learns of it (rule D2).
 * 2. A call that goes on with a part has taken it: no other call gets it meanwhile, and it is neither trimmed nor replaced.
 * 3. They are bounded in age, number and bytes, for each device and for all; the oldest go first.
 * 4. A callback reports the bytes of each volume in parts that no call goes on with, whenever they change (rule D3).
 */
import type { VolumeId } from '../../shared/model/fid.ts';
import type { Log } from '../../shared/ports/log.ts';
import type { KeptPart, PartNote, StreamFiles } from '../../shared/ports/stream-files.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import {
  MAX_DEVICE_PARTS,
  MAX_DEVICE_PART_BYTES,
  MAX_PARTS,
  MAX_PART_BYTES,
  PART_LIFETIME,
} from '../limits.ts';

export interface PartPorts {
  readonly files: StreamFiles;
  readonly clock: Clock;
  readonly log: Log;
  readonly counted?: (begun: readonly BegunBytes[]) => void;
}

export interface BegunBytes {
  readonly volume: VolumeId;
  readonly bytes: number;
}

export interface PartBounds {
  readonly count: number;
  readonly bytes: number;
  readonly deviceCount: number;
  readonly deviceBytes: number;
}

const BOUNDS: PartBounds = {
  count: MAX_PARTS,
  bytes: MAX_PART_BYTES,
  deviceCount: MAX_DEVICE_PARTS,
  deviceBytes: MAX_DEVICE_PART_BYTES,
};

/** Keeps the begun parts of uploads within their bounds, by device and digest. Sizes are bytes. */
export class Parts {
  readonly #ports: PartPorts;
  readonly #bounds: PartBounds;
  /** By `keyOf`, the oldest first. */
  readonly #parts = new Map<string, KeptPart>();
  /** Keys of taken parts. */
  readonly #taken = new Set<string>();
  #told = '';

  constructor(ports: PartPorts, bounds: PartBounds = BOUNDS) {
    this.#ports = ports;
    this.#bounds = bounds;
  }

  /** Reads the parts of the earlier run. Damaged ones are dropped; no error keeps the server from starting. */
  async open(): Promise<void> {
    const { files, clock, log } = this.#ports;
    try {
      const { parts, damaged } = await files.open();
      if (damaged > 0) log.warn('begun parts of uploads were damaged and are gone', { damaged });
      const now = clock.wall();
      for (const part of [...parts].sort((a, b) => a.when - b.when)) {
        const before = this.#parts.get(keyOf(part));
        if (before !== undefined) await this.#remove(before.path);
        // A clock that was ahead must not keep it longer.
        const when = part.when > now ? now : part.when;
        this.#set({ ...part, when });
      }
      await this.trim();
      this.#count();
    } catch (error) {
      log.warn('begun parts of uploads could not be read', { error: String(error) });
    }
  }

  get paths(): string[] {
    return [...this.#parts.values()].map(({ path }) => path);
  }

  get taken(): number {
    return this.#taken.size;
  }

  /** How much is here for this device to go on with. */
  lengthOf(fingerprint: string, digest: string): number {
    return this.#idle(keyOf({ fingerprint, digest }))?.kept ?? 0;
  }

  /** The part that is exactly this long, for one who goes on with it; null: there is none. */
  take(wanted: Omit<PartNote, 'when' | 'volume'>): KeptPart | null {
    const key = keyOf(wanted);
    const part = this.#idle(key);
    if (part?.kept !== wanted.kept || part.length !== wanted.length) return null;
    this.#taken.add(key);
    this.#count();
    return part;
  }

  /** Gives a taken part back, unchanged. */
  release(part: KeptPart): void {
    this.#taken.delete(keyOf(part));
    this.#count();
  }

  /** Gives the file of a taken part to the caller: the part is forgotten, and its file stays. */
  giveAway(part: KeptPart): void {
    this.#parts.delete(keyOf(part));
    this.release(part);
  }

  /** What was taken has grown: its file is `kept` bytes long now. */
  async grown(part: KeptPart, kept: number): Promise<void> {
    await this.#put(part.path, { ...part, kept });
    this.release(part);
    await this.trim();
  }

  /** A file with the beginning of a stream. Where there is a longer part already, or one that is being gone on with, that stays. */
  async offer(path: string, note: Omit<PartNote, 'when'>): Promise<void> {
    const key = keyOf(note);
    const before = this.#parts.get(key);
    if (this.#taken.has(key) || (before?.kept ?? 0) >= note.kept) {
      await this.#remove(path);
      return;
    }
    this.#taken.add(key);
    const isKept = await this.#put(path, note);
    this.#taken.delete(key);
    this.#count();
    if (isKept && before !== undefined) await this.#remove(before.path);
    await this.trim();
  }

  /** The stream is here whole, by another way. */
  async drop(fingerprint: string, digest: string): Promise<void> {
    const part = this.#idle(keyOf({ fingerprint, digest }));
    if (part !== null) await this.#forget(part);
  }

  /** Lets go of what is too old, and of the oldest where there is too much. */
  async trim(): Promise<void> {
    const { count, bytes, deviceCount, deviceBytes } = this.#bounds;
    const oldest = this.#ports.clock.wall() - PART_LIFETIME;
    const all = { count: 0, bytes: 0 };
    const devices = new Map<string, { count: number; bytes: number }>();
    const gone: KeptPart[] = [];
    for (const [key, part] of [...this.#parts].reverse()) {
      const own = devices.get(part.fingerprint) ?? { count: 0, bytes: 0 };
      devices.set(part.fingerprint, own);
      const fits =
        part.when > oldest &&
        all.count < count &&
        all.bytes + part.kept <= bytes &&
        own.count < deviceCount &&
        own.bytes + part.kept <= deviceBytes;
      if (!fits && !this.#taken.has(key)) {
        gone.push(part);
        continue;
      }
      for (const sum of [all, own]) {
        sum.count += 1;
        sum.bytes += part.kept;
      }
    }
    for (const part of gone.reverse()) await this.#forget(part);
  }

  /** So many bytes of this volume are wanted for others: the oldest go. Gives how many went. */
  async giveWay(volume: VolumeId, bytes: number): Promise<number> {
    const gone: KeptPart[] = [];
    for (const [key, part] of this.#parts) {
      const freed = gone.reduce((sum, { kept }) => sum + kept, 0);
      if (part.volume === volume && !this.#taken.has(key) && freed < bytes) gone.push(part);
    }
    for (const part of gone) await this.#forget(part);
    return gone.length;
  }

  /** The disk is full: all of them go. Gives how many went. */
  async clear(): Promise<number> {
    const idle = [...this.#parts].filter(([key]) => !this.#taken.has(key));
    for (const [, part] of idle) await this.#forget(part);
    return idle.length;
  }

  #idle(key: string): KeptPart | null {
    const part = this.#parts.get(key) ?? null;
    if (part === null || this.#taken.has(key)) return null;
    return part.when > this.#ports.clock.wall() - PART_LIFETIME ? part : null;
  }

  /** A file that can't be kept (false) is gone, and so is what it was before. */
  async #put(path: string, note: Omit<PartNote, 'when'>): Promise<boolean> {
    const { fingerprint, volume, digest, length, kept } = note;
    const when = this.#ports.clock.wall();
    const told = { fingerprint, volume, digest, length, kept, when };
    try {
      this.#set({ ...told, path: await this.#ports.files.keep(path, told) });
      return true;
    } catch (error) {
      this.#ports.log.warn('the begun part of an upload could not be kept', {
        error: String(error),
      });
      const known = this.#parts.get(keyOf(note));
      if (known?.path === path) this.#parts.delete(keyOf(note));
      await this.#remove(path);
      return false;
    }
  }

  #count(): void {
    const sums = new Map<VolumeId, number>();
    for (const [key, { volume, kept }] of this.#parts) {
      if (volume !== null && !this.#taken.has(key))
        sums.set(volume, (sums.get(volume) ?? 0) + kept);
    }
    const begun = [...sums].map(([volume, bytes]) => ({ volume, bytes }));
    const text = JSON.stringify(begun);
    if (text === this.#told) return;
    this.#told = text;
    this.#ports.counted?.(begun);
  }

  /** At the end: it is the newest. */
  #set(part: KeptPart): void {
    this.#parts.delete(keyOf(part));
    this.#parts.set(keyOf(part), part);
  }

  async #forget(part: KeptPart): Promise<void> {
    this.#parts.delete(keyOf(part));
    this.#count();
    await this.#remove(part.path);
  }

  async #remove(path: string): Promise<void> {
    try {
      await this.#ports.files.discard(path);
    } catch (error) {
      this.#ports.log.warn('a file of a stream could not be removed', { error: String(error) });
    }
  }
}

function keyOf({ fingerprint, digest }: { fingerprint: string; digest: string }): string {
  return `${fingerprint} ${digest}`;
}
