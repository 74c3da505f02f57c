/**
 * Programs that were recorded on a real machine, replayed: the same calls in the same order, with bytes that nobody wrote before. What others did meanwhile
 * may be in the way. Then a program ends where its call fails, unless a folder that it makes is there already.
 */
import type { Hand } from '../hand.ts';
import { SOON, type Program } from './program.ts';
import { readRecording, RECORDINGS, type RecordedStep } from './recorded-steps.ts';
import { removed } from './trees.ts';

/** How often others have their turn between two calls. */
const TURN_CHANCES = [0.03, 0.15, 0.6];
const SECOND = 1_000_000_000n;

/** Every recording as a program, by its name. */
export const REPLAYS = Object.entries(RECORDINGS).map(([name, text]) => {
  return [`recorded-${name}`, (hand: Hand) => replayed(hand, name, readRecording(text))] as const;
});

/** In a folder of its own: in one that is there from before it begins anew, or goes on over what it finds. */
function* replayed(hand: Hand, name: string, steps: readonly RecordedStep[]): Program {
  const top = hand.random.pick([name, `${name}-2`]);
  if (hand.look(top) !== null && hand.random.chance(0.5)) yield* removed(hand, top);
  if (hand.look(top) === null) hand.mkdir(top);
  const chance = hand.random.pick(TURN_CHANCES);
  const replay = new Replay(hand, top);
  try {
    for (const step of steps) {
      replay.does(step);
      if (hand.random.chance(chance)) yield SOON;
    }
  } finally {
    replay.ends();
  }
}

/** What this program wrote into a file, wherever that is by now. */
interface Written {
  bytes: Uint8Array;
}

interface OpenFile {
  readonly fd: number;
  path: string;
  readonly written: Written;
  isChanged: boolean;
}

class Replay {
  readonly #hand: Hand;
  readonly #top: string;
  readonly #open = new Map<number, OpenFile>();
  readonly #written = new Map<string, Written>();

  constructor(hand: Hand, top: string) {
    this.#hand = hand;
    this.#top = top;
  }

  does(step: RecordedStep): void {
    if ('file' in step && step.do !== 'open') this.#toFile(step);
    else if ('to' in step) this.#name(step, `${this.#top}/${step.path}`, `${this.#top}/${step.to}`);
    else this.#toPath(step, `${this.#top}/${step.path}`);
  }

  ends(): void {
    for (const { fd } of this.#open.values()) this.#hand.close(fd);
  }

  #toPath(
    step: Exclude<Extract<RecordedStep, { path: string }>, { to: string }>,
    path: string,
  ): void {
    const hand = this.#hand;
    switch (step.do) {
      case 'mkdir':
        if (hand.look(path)?.kind !== 'directory') hand.mkdir(path, step.mode);
        return;
      case 'chmod':
        return hand.chmod(path, step.mode);
      case 'rmdir':
        return hand.rmdir(path);
      case 'unlink':
        this.#written.delete(path);
        return hand.unlink(path);
      case 'symlink':
        return hand.symlink(step.target, path);
      case 'touch':
        return this.#touch(path, step.seconds * SECOND);
      case 'open':
        return this.#opens(step, path);
    }
  }

  #touch(path: string, time: bigint): void {
    const hand = this.#hand;
    if (hand.look(path)?.kind === 'symlink') hand.calls.lutimes(hand.at(path), time, time);
    else hand.touch(path, time);
  }

  #opens(step: Extract<RecordedStep, { do: 'open' }>, path: string): void {
    const hand = this.#hand;
    const { file, mode, creates: create, isExclusive: exclusive, truncates: truncate } = step;
    const fd = hand.open(path, { write: true, create, exclusive, truncate, mode });
    const bytes = hand.calls.pread(fd, hand.calls.fstat(fd).size, 0);
    const written = { bytes };
    this.#written.set(path, written);
    this.#open.set(file, { fd, path, written, isChanged: truncate || bytes.length === 0 });
  }

  #toFile(step: Exclude<Extract<RecordedStep, { file: number }>, { do: 'open' }>): void {
    const file = this.#open.get(step.file);
    if (file === undefined) return;
    const { fd, written } = file;
    switch (step.do) {
      case 'write': {
        file.isChanged = true;
        const at = Math.min(step.at ?? written.bytes.length, written.bytes.length);
        const bytes = this.#hand.newBytes(step.length);
        this.#hand.write(fd, bytes, at);
        written.bytes = overwritten(written.bytes, bytes, at);
        return;
      }
      case 'cut': {
        file.isChanged = true;
        const length = Math.min(step.length, written.bytes.length);
        this.#hand.truncate(fd, length);
        written.bytes = written.bytes.slice(0, length);
        return;
      }
      case 'sync':
        return this.#hand.fsync(fd);
      case 'close':
        this.#open.delete(step.file);
        if (file.isChanged) this.#hand.finishOpen(fd, file.path, written.bytes);
        return this.#hand.close(fd);
    }
  }

  /** A second name, or another one, also for what is in a folder. */
  #name({ do: act }: Extract<RecordedStep, { to: string }>, from: string, to: string): void {
    const written = this.#written.get(from);
    if (act === 'link') {
      this.#hand.link(from, to);
      if (written !== undefined) this.#written.set(to, written);
      return;
    }
    this.#hand.rename(from, to, written?.bytes ?? null);
    for (const [path, file] of [...this.#written]) {
      if (path !== from && !path.startsWith(`${from}/`)) continue;
      const place = to + path.slice(from.length);
      this.#written.delete(path);
      this.#written.set(place, file);
      this.#hand.finish(place, file.bytes);
    }
    for (const file of this.#open.values()) {
      if (file.path === from) file.path = to;
      else if (file.path.startsWith(`${from}/`)) file.path = to + file.path.slice(from.length);
    }
  }
}

function overwritten(before: Uint8Array, bytes: Uint8Array, at: number): Uint8Array {
  const after = new Uint8Array(Math.max(before.length, at + bytes.length));
  after.set(before);
  after.set(bytes, at);
  return after;
}
