/**
 * What the users of a time-sharing machine do to files, from a seed, each as if at a workstation of their own. The traces
 * of the BSD study (Ousterhout and others, "A Trace-Driven Analysis of the UNIX 4.2 BSD File System", 1985) are not public.
 * The generator is fitted to what is told of them: reads by writes and the sharing of table I, the first reads of table II,
 * and how soon new data go.
 */
import { Heap } from '../../../../shared/util/heap.ts';
import { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import { MOST_BLOCKS, type Access } from './access.ts';

export interface SpriteSettings {
  readonly seed: number;
  /** Blocks that are read and written in all. */
  readonly accesses: number;
}

export const CLIENTS = 40;
/** Files that all read, that several write, and that each user has at the beginning. */
const SYSTEM_FILES = 50;
const SHARED_FILES = 12;
const SHARED_BLOCKS = 2;
const OWN_FILES = 30;
/** Each user goes back to so many; of looks, so many are at another one. */
const MOST_OWN = 300;
const NEW_TO_THEM = 0.16;
/** Seconds between two things that a user does, on average; a user who is away does nothing. */
const THINKS = 25;
const AWAY = 3000;
const THINGS_UNTIL_AWAY = 60;
/** Of the things that a user does. */
const THINGS = {
  look: 0.44,
  system: 0.16,
  build: 0.08,
  edit: 0.08,
  mail: 0.07,
  status: 0.17,
} as const;
type Thing = keyof typeof THINGS;
/** Most new data are of temporary files that go within seconds. */
const TEMPORARY_LASTS = 15;
/** Of a compiler, each with a temporary file. */
const STAGES = 2;
const HEADERS = 2;
/** Seconds between two saves of one file by an editor, and how many follow. */
const SAVES_AGAIN = 110;
const SAVES = 4;

/** What several write is added to line by line, and is open meanwhile. Seconds for a line. */
const LINES = 4;
const WRITES_FOR = 4;

/** An access, after so many seconds. The client and the time are the world's. */
type Step = { readonly wait: number } & (
  | { readonly does: 'open' | 'close'; readonly file: FileOf; readonly isWriting: boolean }
  | { readonly does: 'read' | 'write'; readonly file: FileOf; readonly block: number }
  | { readonly does: 'remove'; readonly file: FileOf }
);

interface FileOf {
  readonly id: number;
  /** In blocks. */
  size: number;
}

interface Running {
  readonly client: number;
  readonly steps: Iterator<Step, never>;
  at: number;
  next: Step;
}

/** Yields the accesses in the order of time; the same settings give the same ones. */
export function* spriteWorkload({ seed, accesses }: SpriteSettings): Generator<Access> {
  const world = new World(new SeededRandom(seed).fork('sprite'));
  for (let blocks = 0; blocks < accesses;) {
    const access = world.next();
    if (access.does === 'read' || access.does === 'write') blocks += 1;
    yield access;
  }
}

class World {
  readonly #random: SeededRandom;
  readonly #running = new Heap<Running>((a, b) => a.at - b.at);
  readonly #system: FileOf[];
  readonly #shared: FileOf[];
  readonly #own: FileOf[][];
  #files = 0;

  constructor(random: SeededRandom) {
    this.#random = random;
    const several = (count: number): FileOf[] => Array.from({ length: count }, () => this.#make());
    this.#system = several(SYSTEM_FILES);
    this.#shared = several(SHARED_FILES).map((file) => ({ ...file, size: SHARED_BLOCKS }));
    this.#own = Array.from({ length: CLIENTS }, () => several(OWN_FILES));
    for (let client = 0; client < CLIENTS; client++) {
      this.#begin(client, this.#user(client), this.#random.fraction() * AWAY);
    }
  }

  next(): Access {
    const running = this.#running.pop() as Running;
    const { client, at, next } = running;
    running.next = running.steps.next().value;
    running.at += running.next.wait;
    this.#running.push(running);
    return accessOf(next, at, client);
  }

  #begin(client: number, steps: Iterator<Step, never>, from: number): void {
    const next = steps.next().value;
    this.#running.push({ client, steps, at: from + next.wait, next });
  }

  /** One who works for a while and is away for a while, for ever. */
  *#user(client: number): Generator<Step, never> {
    for (;;) {
      const isAway = this.#random.chance(1 / THINGS_UNTIL_AWAY);
      yield* after(this.#soon(isAway ? AWAY : THINKS), this.#thing(client));
    }
  }

  #thing(client: number): Generator<Step> {
    switch (this.#drawn()) {
      case 'look':
        return this.#looks(client);
      case 'system':
        return this.#reads(this.#system[this.#rank(SYSTEM_FILES)] as FileOf);
      case 'build':
        return this.#builds(client);
      case 'edit':
        return this.#edits(client);
      case 'mail':
        return this.#mails();
      case 'status':
        return this.#reads(this.#shared[this.#rank(SHARED_FILES)] as FileOf);
    }
  }

  #drawn(): Thing {
    let left = this.#random.fraction();
    for (const [thing, share] of Object.entries(THINGS)) {
      left -= share;
      if (left < 0) return thing as Thing;
    }
    return 'look';
  }

  /** At a file of their own, or at one that is new to them. */
  *#looks(client: number): Generator<Step> {
    const own = this.#own[client] as FileOf[];
    if (this.#random.chance(NEW_TO_THEM)) {
      own.unshift(this.#make());
      if (own.length > MOST_OWN) own.pop();
    }
    yield* this.#reads(this.#lately(client));
  }

  /** Whole, from the beginning to the end. */
  *#reads(file: FileOf): Generator<Step> {
    yield { does: 'open', wait: 0, file, isWriting: false };
    for (let block = 0; block < file.size; block++) yield { does: 'read', wait: 0.02, file, block };
    yield { does: 'close', wait: 0, file, isWriting: false };
  }

  *#writes(file: FileOf, from: number): Generator<Step> {
    yield { does: 'open', wait: 0, file, isWriting: true };
    for (let block = from; block < file.size; block++) {
      yield { does: 'write', wait: 0.02, file, block };
    }
    yield { does: 'close', wait: 0, file, isWriting: true };
  }

  /** A compiler: sources and headers in, temporary files out and in again, and at the end an object. */
  *#builds(client: number): Generator<Step> {
    const source = this.#lately(client);
    yield* this.#reads(source);
    for (let header = 0; header < HEADERS; header++) {
      yield* this.#reads(this.#system[this.#rank(SYSTEM_FILES)] as FileOf);
    }
    for (let stage = 0; stage < STAGES; stage++) {
      const temporary = this.#make();
      yield* this.#writes(temporary, 0);
      yield* after(this.#soon(TEMPORARY_LASTS), this.#reads(temporary));
      yield { does: 'remove', wait: 1, file: temporary };
    }
    yield* this.#writes(this.#lately(client), 0);
  }

  /** An editor: one file is saved again and again. */
  *#edits(client: number): Generator<Step> {
    const file = this.#lately(client);
    yield* this.#reads(file);
    for (let save = this.#random.below(SAVES); save >= 0; save--) {
      yield* after(this.#soon(SAVES_AGAIN), this.#writes(file, 0));
    }
  }

  /** Something is added to a file that others read and write as well. */
  *#mails(): Generator<Step> {
    const file = this.#shared[this.#rank(SHARED_FILES)] as FileOf;
    const at = file.size - 1;
    yield { does: 'open', wait: 0, file, isWriting: true };
    for (let n = this.#random.below(LINES); n >= 0; n--) {
      yield { does: 'write', wait: this.#soon(WRITES_FOR), file, block: at };
    }
    yield { does: 'close', wait: this.#soon(WRITES_FOR), file, isWriting: true };
  }

  /** One of a user's files; what was used lately is likelier. */
  #lately(client: number): FileOf {
    const own = this.#own[client] as FileOf[];
    const [file] = own.splice(this.#rank(own.length), 1) as [FileOf];
    own.unshift(file);
    return file;
  }

  #make(): FileOf {
    return { id: this.#files++, size: this.#size() };
  }

  /** Most files have a block or two; a few have very many. */
  #size(): number {
    return Math.min(MOST_BLOCKS, 1 + Math.floor(Math.exp(1.25 * normal(this.#random))));
  }

  /** Low ranks are likelier: the logarithm of the rank is even. */
  #rank(limit: number): number {
    return Math.min(limit - 1, Math.floor((limit + 1) ** this.#random.fraction()) - 1);
  }

  /** Seconds, exponentially distributed. */
  #soon(mean: number): number {
    return -mean * Math.log(1 - this.#random.fraction());
  }
}

function accessOf(step: Step, at: number, client: number): Access {
  const who = { at, client, file: step.file.id };
  switch (step.does) {
    case 'open':
    case 'close':
      return { ...who, does: step.does, isWriting: step.isWriting };
    case 'read':
    case 'write':
      return { ...who, does: step.does, block: step.block };
    case 'remove':
      return { ...who, does: 'remove' };
  }
}

/** The same steps, the first of them so many seconds later. */
function* after(seconds: number, steps: Iterable<Step>): Generator<Step> {
  let wait = seconds;
  for (const step of steps) {
    yield { ...step, wait: step.wait + wait };
    wait = 0;
  }
}

/** Box and Muller. */
function normal(random: SeededRandom): number {
  const [a, b] = [random.fraction(), random.fraction()];
  return Math.sqrt(-2 * Math.log(1 - a)) * Math.cos(2 * Math.PI * b);
}
