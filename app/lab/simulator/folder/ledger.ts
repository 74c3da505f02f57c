/**
 * What programs did to files on purpose, on all laptops of a run: which bytes they finished writing, and which they removed or wrote over. Nobody in
 * the world learns anything through it; the checkers look into it.
 *
 * Bytes are known by their digest, and each program writes bytes that nobody wrote before. So wherever they are found, it is known whose they are.
 * What a program removes or writes over, it gives up, whether it has looked at it or not: a file system knows no difference.
 */
import { digestOf } from '../disk/content-digest.ts';
import type { Digest } from '../../../../shared/model/vnode.ts';
import { OutsideFiles } from './outside-files.ts';

export interface Finished {
  readonly digest: Digest;
  /** Whose machine it was. */
  readonly laptop: string;
  readonly program: string;
  /** Where the program left it, beneath the root, with slashes. */
  readonly path: string;
  /** As the person of a report sees it. */
  readonly begins: string;
  /** Who removed or wrote over it on purpose; null: nobody, so it must be somewhere. */
  givenUp: string | null;
  /** What was written in its place, as far as it is known. */
  next: Digest | null;
  /** It was synced, and so was its name: a loss of power takes it no more. */
  durable: boolean;
}

/** What has been the whole of a file at some moment. */
export interface SeenBytes {
  readonly laptop: string;
  readonly program: string;
}

const SHOWN = 24;
const BEHIND = /godwit-placeholder (\S+) (\d+) /;

/** Keeps account of the bytes that programs finished, and of those that they gave up. */
export class Ledger {
  readonly #finished = new Map<Digest, Finished>();
  readonly #seen = new Map<Digest, SeenBytes>();
  /** Of files without a byte that somebody wrote: none at all, or zeros alone. Many are alike, so no order of theirs is that of one file. */
  readonly #blank = new Set<Digest>();
  readonly #givenUp = new Map<Digest, { readonly by: string; readonly next: Digest | null }>();
  /** Outside of the folders: what programs left there. */
  readonly outside = new OutsideFiles();
  /** Versions of files that a program gave up by their placeholders. */
  readonly #behind: Array<{ readonly fid: string; readonly version: number; readonly by: string }> =
    [];
  /** Programs, each with its laptop. */
  readonly #givers = new Map<Digest, Set<string>>();
  readonly #missing = new Set<Digest>();
  /** By laptop and path: what was there before a loss of power. */
  readonly #missingAt = new Map<string, Digest>();
  readonly #movedOut = new Set<Digest>();
  #numbers = 0;
  #isOrderKnown = true;

  /** Of bytes: each program gets others. */
  next(): number {
    this.#numbers += 1;
    return this.#numbers;
  }

  /** A file has, or had for a moment, exactly these bytes. */
  saw(bytes: Uint8Array, by: SeenBytes): Digest {
    const digest = digestOf(bytes);
    if (this.#seen.has(digest)) return digest;
    this.#seen.set(digest, by);
    if (bytes.every((byte) => byte === 0)) this.#blank.add(digest);
    return digest;
  }

  /**
   * A program has written all that it wanted to, and closed the file. It counts if the file had just these bytes at some moment: else another program
   * wrote in between. That may also have come after it already, and has given them up then.
   */
  finished(bytes: Uint8Array, at: Pick<Finished, 'laptop' | 'program' | 'path'>): void {
    const digest = digestOf(bytes);
    if (!this.#seen.has(digest)) return;
    const { by: givenUp = null, next = null } = this.#givenUp.get(digest) ?? {};
    const begins = beginningOf(bytes);
    this.#finished.set(digest, { digest, ...at, begins, givenUp, next, durable: false });
    this.#takePlace(digest, at);
  }

  /** To its person what a program makes at a name that a loss of power took is what the name has now, before the other comes back. */
  #takePlace(digest: Digest, at: Pick<Finished, 'laptop' | 'program' | 'path'>): void {
    const key = placeOf(at);
    const before = this.#missingAt.get(key);
    if (before === undefined || before === digest) return;
    this.#missingAt.delete(key);
    this.gaveUp(before, `${at.program} on ${at.laptop}`, digest);
  }

  /** They are in a folder again, by a person's wish. What was written in their place on another laptop still is: the file is the same one. */
  cameBack(bytes: Uint8Array, at: Pick<Finished, 'laptop' | 'program' | 'path'>): void {
    const digest = digestOf(bytes);
    const givers = [...(this.#givers.get(digest) ?? [])];
    if (givers.every((by) => by.endsWith(` on ${at.laptop}`))) this.#givenUp.delete(digest);
    this.finished(bytes, at);
  }

  /** It was synced to the disk, with its name. */
  durable(bytes: Uint8Array): void {
    const known = this.#finished.get(digestOf(bytes));
    if (known !== undefined) known.durable = true;
  }

  /** A program removed these bytes, or wrote others in their place. */
  gaveUp(digest: Digest, by: string, next: Digest | null = null): void {
    this.#givers.set(digest, (this.#givers.get(digest) ?? new Set()).add(by));
    if (!this.#givenUp.has(digest)) this.#givenUp.set(digest, { by, next });
    const known = this.#finished.get(digest);
    if (known === undefined) return;
    known.givenUp ??= by;
    known.next ??= next;
  }

  /** What stands for a version of a file was removed on purpose: the text says for which. */
  gaveUpBehind(placeholder: string, by: string): void {
    const [, fid = '', version = ''] = BEHIND.exec(placeholder) ?? [];
    if (fid !== '') this.#behind.push({ fid, version: Number(version), by });
  }

  /** Who those were is known when it is known what the versions of files are. */
  settleBehind(digestAt: (fid: string, version: number) => Digest | null): void {
    for (const { fid, version, by } of this.#behind.splice(0)) {
      const digest = digestAt(fid, version);
      if (digest !== null) this.gaveUp(digest, by);
    }
  }

  /** A machine has lost its power, and these bytes with it, unless a program had synced them. */
  lostPower(digest: Digest, laptop: string): void {
    const known = this.#finished.get(digest);
    if (known?.durable === false) this.gaveUp(digest, `the power of ${laptop}`);
  }

  /**
   * Where a loss of power has left no file at all: what was committed comes back, unless a program of that laptop is first, and no more can be
   * asked.
   */
  missing(digest: Digest, at: Pick<Finished, 'laptop' | 'path'>): void {
    if (this.#finished.get(digest)?.durable !== false) return;
    this.#missing.add(digest);
    this.#missingAt.set(placeOf(at), digest);
  }

  /** A program has moved these bytes out of a mounted volume, or taken a name there from a file with others. */
  movedOut(digest: Digest): void {
    this.#movedOut.add(digest);
  }

  wasMovedOut(digest: Digest): boolean {
    return this.#movedOut.has(digest);
  }

  isMissing(digest: Digest): boolean {
    return this.#missing.has(digest);
  }

  /** What was written over what is not known any more: a disk has gone back to what it was. */
  forgetOrder(): void {
    this.#isOrderKnown = false;
  }

  /** All that was finished and that nobody gave up. */
  wanted(): Finished[] {
    return [...this.#finished.values()].filter(({ givenUp }) => givenUp === null);
  }

  /** Whether some file had exactly these bytes at some moment. */
  hasSeen(digest: Digest): boolean {
    return this.#seen.has(digest);
  }

  of(digest: Digest): Finished | null {
    return this.#finished.get(digest) ?? null;
  }

  /** The bytes of one were written over, or were written over those that were written over ..., by those of the other. */
  isOlder(older: Digest, newer: Digest): boolean {
    // Those of a write that failed half-way may come again.
    if (!this.#isOrderKnown || !this.#finished.has(newer) || this.#blank.has(newer)) return false;
    const passed = new Set(this.#blank);
    for (let at: Digest | null = older; at !== null && !passed.has(at);) {
      passed.add(at);
      const next: Digest | null = this.#finished.get(at)?.next ?? null;
      if (next === newer) return true;
      at = next;
    }
    return false;
  }
}

const placeOf = ({ laptop, path }: Pick<Finished, 'laptop' | 'path'>): string =>
  `${laptop}:${path}`;

function beginningOf(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes.subarray(0, SHOWN));
  return text.split('\n', 1)[0] ?? '';
}
