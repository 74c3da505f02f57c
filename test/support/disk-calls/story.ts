/**
 * A fixed story of a server and two laptops, long enough for every kind of disk call: they are paired, files are made, changed,
 * saved safely, renamed, removed, two changes meet, the folder is moved away and back, everything is started again. Whoever ends meanwhile is started
 * again; after each chapter it is waited for until all three agree. It reads as it would without faults.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ControlClient } from '../../../shared/control/client.ts';
import type { CommandArguments, CommandName } from '../../../shared/control/commands.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { SeededRandom } from '../../../shared/util/seeded-random.ts';
import { createInvitation } from '../../../server/maintenance/administration.ts';
import { textOf, type Bench } from '../bench.ts';
import { DiskCalls, type DiskFault } from './disk-calls.ts';
import { laptopClasses, serverClasses, type Classes } from './labels.ts';
import { Program, type Launch, type ProgramName } from './program.ts';

export type StoryFaults = Readonly<Record<ProgramName, readonly DiskFault[]>>;

const NONE: StoryFaults = { server: [], ann: [], bob: [] };

export interface StoryLaptop {
  readonly data: string;
  readonly folder: string;
  /** The other place of the folder. */
  readonly elsewhere: string;
  readonly program: Program;
}

/** For each crash of a server: a laptop hears of it when nothing was heard of it for a lease and more. */
const SETTLE_LIMIT_MS = 180_000;
const FLUSH_LIMIT_MS = 120_000;
const AGAIN_MS = 50;
const MOST_ATTEMPTS = 200;
/** Error codes after which a daemon is asked again: it ended, or its disk failed. */
const NOT_NOW: ReadonlySet<string> = new Set([
  'not-running',
  'disk-failing',
  'disk-full',
  'folder-unusable',
  'try-again',
]);
const SMALL_FILES = 5;
/** Beyond what is kept in packs, and beyond what a link sends in one piece. */
const LARGE_BYTES = 300_000;

/** A server and two laptops that go through the chapters. */
export class Story {
  readonly #bench: Bench;
  readonly #library: string;
  readonly #faults: StoryFaults;
  readonly serverData: string;
  readonly server: Program;
  readonly ann: StoryLaptop;
  readonly bob: StoryLaptop;
  #address = '127.0.0.1:0';
  #isLeft = false;

  constructor(bench: Bench, library: string, faults: StoryFaults = NONE) {
    this.#bench = bench;
    this.#library = library;
    this.#faults = faults;
    this.serverData = bench.path('server');
    const calls = this.#calls('server', serverClasses(this.serverData));
    const args = (): string[] => ['server', '--data', this.serverData, '--listen', this.#address];
    this.server = new Program(
      bench,
      'server',
      calls,
      () => Promise.resolve({ args: args(), alsoSaid: () => '' }),
      ({ listening }) => (this.#address = String(listening)),
    );
    this.ann = this.#laptop('ann');
    this.bob = this.#laptop('bob');
  }

  get programs(): readonly Program[] {
    return [this.server, this.ann.program, this.bob.program];
  }

  programOf(name: ProgramName): Program {
    return name === 'server' ? this.server : this[name].program;
  }

  async run(): Promise<void> {
    await this.#pair();
    this.#make();
    await this.settle();
    this.#change();
    await this.settle();
    await this.#meet();
    await this.settle();
    await this.#move();
    await this.settle();
    await this.#startAgain();
    await this.settle();
  }

  /** Stops restarting programs, and makes `run` reject. */
  leave(): void {
    this.#isLeft = true;
    for (const program of this.programs) program.leave();
  }

  /** Resolves when nobody runs any more, to what is to be said of those that did not end when asked to. */
  async end(): Promise<string[]> {
    const found: string[] = [];
    for (const program of [this.ann.program, this.bob.program, this.server]) {
      await program.end().catch((error: Error) => found.push(`${program.name}: ${error.message}`));
    }
    return found;
  }

  async #pair(): Promise<void> {
    await this.server.start();
    await Promise.all([this.ann, this.bob].map(({ program }) => program.start()));
  }

  #make(): void {
    const { folder } = this.ann;
    mkdirSync(join(folder, 'docs/deep'), { recursive: true });
    for (let index = 0; index < SMALL_FILES; index++) {
      writeFileSync(join(folder, `docs/small ${index}`), `small ${index}\n`.repeat(100 * index));
    }
    writeFileSync(join(folder, 'docs/deep/large'), contentsOf('large'));
    writeFileSync(join(folder, 'doc'), 'first');
    for (const name of ['both', 'left', 'right'])
      writeFileSync(join(folder, name), `${name} before`);
    writeFileSync(join(folder, 'run.sh'), '#!/bin/sh\n');
    chmodSync(join(folder, 'run.sh'), 0o755);
    symlinkSync('docs', join(folder, 'link'));
  }

  #change(): void {
    const { folder } = this.bob;
    writeFileSync(join(folder, 'docs/small 1'), 'changed in place');
    writeFileSync(join(folder, 'docs/deep/large'), contentsOf('larger'));
    writeFileSync(join(folder, '.doc.swp'), 'saved safely');
    renameSync(join(folder, '.doc.swp'), join(folder, 'doc'));
    renameSync(join(folder, 'docs/small 2'), join(folder, 'moved'));
    renameSync(join(folder, 'docs'), join(folder, 'papers'));
    rmSync(join(folder, 'papers/small 3'));
    rmSync(join(folder, 'link'));
    symlinkSync('papers', join(folder, 'link'));
    mkdirSync(join(folder, 'empty'));
    renameSync(join(folder, 'left'), join(folder, 'between'));
    renameSync(join(folder, 'right'), join(folder, 'left'));
    renameSync(join(folder, 'between'), join(folder, 'right'));
    chmodSync(join(folder, 'run.sh'), 0o700);
  }

  async #meet(): Promise<void> {
    for (const laptop of [this.ann, this.bob]) await this.#say(laptop, 'pause', {});
    writeFileSync(join(this.ann.folder, 'both'), 'by ann');
    writeFileSync(join(this.bob.folder, 'both'), 'by bob, longer');
    writeFileSync(join(this.ann.folder, 'papers/small 4'), 'by ann');
    writeFileSync(join(this.ann.folder, 'large of ann'), contentsOf('large of ann'));
    rmSync(join(this.bob.folder, 'moved'));
    for (const laptop of [this.ann, this.bob]) await this.#say(laptop, 'resume', {});
  }

  /** To another place, and back: who dies in between is started by the settings alone. */
  async #move(): Promise<void> {
    const { folder, elsewhere } = this.ann;
    for (const path of [elsewhere, folder]) await this.#say(this.ann, 'folder-place', { path });
  }

  async #startAgain(): Promise<void> {
    await this.ann.program.end('SIGKILL');
    await this.bob.program.end();
    await this.server.end();
    writeFileSync(join(this.ann.folder, 'while down'), 'x');
    rmSync(join(this.ann.folder, 'papers/small 0'));
    await this.server.start();
    await Promise.all([this.ann, this.bob].map(({ program }) => program.start()));
    writeFileSync(join(this.bob.folder, 'papers/small 1'), 'and once more');
  }

  /** Resolves when nothing is under way any more, whoever had to be started again for it. */
  async settle(): Promise<void> {
    const until = performance.now() + SETTLE_LIMIT_MS * Math.max(1, this.#faults.server.length);
    for (const laptop of [this.ann, this.bob, this.ann, this.bob]) {
      while (!(await this.#flush(laptop))) {
        if (performance.now() > until) throw new Error(`${laptop.program.name} never settles`);
      }
    }
  }

  /** Flushes a laptop. False when it has to be tried again. */
  async #flush(laptop: StoryLaptop): Promise<boolean> {
    await this.#allRun();
    try {
      await commandOf(laptop, 'flush', { timeoutMs: FLUSH_LIMIT_MS });
      return true;
    } catch (error) {
      if (!isForNow(error)) throw error;
      await wait(AGAIN_MS);
      return false;
    }
  }

  /** Repeats a command until it is answered, and restarts the daemon when it ended. */
  async #say<N extends CommandName>(
    laptop: StoryLaptop,
    command: N,
    args: CommandArguments<N>,
  ): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      await this.#allRun();
      try {
        await commandOf(laptop, command, args);
        return;
      } catch (error) {
        if (!isForNow(error) || attempt === MOST_ATTEMPTS) throw error;
        await wait(AGAIN_MS);
      }
    }
  }

  async #allRun(): Promise<void> {
    if (this.#isLeft) throw new Error('broken off');
    await Promise.all(this.programs.map((program) => program.running()));
  }

  #laptop(name: 'ann' | 'bob'): StoryLaptop {
    const [data, folder] = [this.#bench.path(name, 'data'), this.#bench.path(name, 'Godwit')];
    const elsewhere = this.#bench.path(name, 'Elsewhere');
    const calls = this.#calls(name, laptopClasses(data, [folder, elsewhere]));
    const place = ['--data', data, '--name', name];
    let invitation = '';
    const launch = async (): Promise<Launch> => {
      const isPaired =
        existsSync(join(data, 'config.json')) && !existsSync(join(data, 'invitation.json'));
      if (invitation === '') invitation = await this.#invite();
      const first = ['--folder', folder, '--invite', invitation];
      const args = ['up', '--foreground', ...place, ...(isPaired ? [] : first)];
      return { args, alsoSaid: () => textOf(join(data, 'log', 'startup.log')) ?? '' };
    };
    return { data, folder, elsewhere, program: new Program(this.#bench, name, calls, launch) };
  }

  #invite(): Promise<string> {
    const whom = { user: 'owner', volume: 'home', rights: 'write', hours: 1 } as const;
    return createInvitation(this.serverData, { ...whom, address: this.#address });
  }

  #calls(program: ProgramName, classes: Classes): DiskCalls {
    const faults = this.#faults[program];
    return new DiskCalls(this.#library, this.#bench.path(`${program} calls`), classes, faults);
  }
}

async function commandOf<N extends CommandName>(
  { data }: StoryLaptop,
  name: N,
  args: CommandArguments<N>,
): Promise<void> {
  const client = ControlClient.of(data);
  try {
    await client.command(name, args);
  } finally {
    client.close();
  }
}

function isForNow(error: unknown): boolean {
  return error instanceof GodwitError && NOT_NOW.has(error.code);
}

function contentsOf(seed: string): Buffer {
  const random = new SeededRandom(seed);
  const words = new Uint32Array(LARGE_BYTES / Uint32Array.BYTES_PER_ELEMENT);
  return Buffer.from(words.map(() => random.next32()).buffer);
}

/** What both folders hold in the end; a list where two versions met and one of them has another name. */
export const AT_THE_END: ReadonlyMap<string, string | Buffer | null> = new Map<
  string,
  string | Buffer | null
>([
  ['doc', 'saved safely'],
  ['empty', null],
  ['large of ann', contentsOf('large of ann')],
  ['left', 'right before'],
  ['link', null],
  ['papers', null],
  ['papers/deep', null],
  ['papers/deep/large', contentsOf('larger')],
  ['papers/small 1', 'and once more'],
  ['papers/small 4', 'by ann'],
  ['right', 'left before'],
  ['run.sh', '#!/bin/sh\n'],
  ['while down', 'x'],
]);
/** The file that both laptops change, with the two versions of its contents. */
export const MET = { name: 'both', versions: ['by ann', 'by bob, longer'] } as const;
