/**
 * The faults: `kill -9` of server, A and B, cuts of the network, a disk that runs full, one after the other at instants drawn from
 * the seed, while the workload goes on at both laptops.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { UdpRelay } from '../../shaper/udp-relay.ts';
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { Laptop } from '../laptop.ts';
import type { SmallDisk } from './small-disk.ts';
import type { Supervised } from './supervised.ts';
import type { Workload } from './workload.ts';

export interface StormOptions {
  readonly kills: number;
  readonly cuts: number;
  readonly random: SeededRandom;
  readonly programs: readonly Supervised[];
  readonly relays: readonly UdpRelay[];
  readonly laptops: readonly Laptop[];
  readonly workloads: readonly Workload[];
  readonly disk: SmallDisk | null;
  readonly signal: AbortSignal;
  readonly onProgress: (text: string) => void;
}

export interface StormReport {
  readonly kills: number;
  readonly cuts: number;
  readonly moves: number;
  readonly fullDisk: number;
  /** How often a flush in the midst of it has said that all is committed. */
  readonly flushes: number;
}

/** In milliseconds: least and most. */
const CALM_BEFORE_KILL = [200, 2400] as const;
const AWAY = [0, 900] as const;
const CALM_BEFORE_CUT = [200, 2400] as const;
const SHORT_CUT = [80, 1500] as const;
const LONG_CUT = [4000, 9000] as const;
const LONG_CUTS = 0.08;
const MOVES = 0.35;
const BOTH = 0.25;
const BETWEEN_CHANGES = [5, 150] as const;
const BETWEEN_FLUSHES = [3000, 9000] as const;
const FLUSH_SECONDS = '15';
const CALM_BEFORE_FULL = [2000, 9000] as const;
const FULL = [1500, 4000] as const;
/** What is free of the small disk all the time, and when it is full. */
const NEARLY_FULL = 0.05;

/** Brings the faults of a run, at instants drawn from its seed, while the workloads go on. */
export class Storm {
  readonly #options: StormOptions;
  readonly #over = new AbortController();
  readonly #report = { kills: 0, cuts: 0, moves: 0, fullDisk: 0, flushes: 0 };

  constructor(options: StormOptions) {
    this.#options = options;
  }

  /** Until all faults have been; then all programs run, the network is whole and the disk has room. */
  async run(): Promise<StormReport> {
    const { workloads, laptops, programs, relays, disk, signal } = this.#options;
    const faults = Promise.all([this.#kill(), this.#cut()]).finally(() => this.#over.abort());
    const beside = [
      ...workloads.map((workload, index) => this.#work(workload, index)),
      ...laptops.map((laptop, index) => this.#flush(laptop, index)),
      this.#fillDisk(),
    ];
    await Promise.all([faults, ...beside]);
    for (const relay of relays) relay.restore();
    disk?.release();
    for (const program of programs) await program.running();
    signal.throwIfAborted();
    return this.#report;
  }

  async #kill(): Promise<void> {
    const { kills, programs } = this.#options;
    const random = this.#options.random.fork('kills');
    for (; this.#report.kills < kills; this.#report.kills++) {
      await this.#pause(random, CALM_BEFORE_KILL);
      await random.pick(programs).kill(drawMs(random, AWAY));
      this.#tell();
    }
  }

  async #cut(): Promise<void> {
    const { cuts, relays } = this.#options;
    const random = this.#options.random.fork('cuts');
    for (; this.#report.cuts < cuts; this.#report.cuts++) {
      await this.#pause(random, CALM_BEFORE_CUT);
      const hit = random.chance(BOTH) ? relays : [random.pick(relays)];
      for (const relay of hit) relay.cut();
      await this.#pause(random, random.chance(LONG_CUTS) ? LONG_CUT : SHORT_CUT);
      for (const relay of hit) relay.restore();
      if (random.chance(MOVES)) {
        this.#report.moves += 1;
        for (const relay of hit) relay.moveClients();
      }
      this.#tell();
    }
  }

  async #fillDisk(): Promise<void> {
    const { disk } = this.#options;
    if (disk === null) return;
    const random = this.#options.random.fork('disk');
    for (;;) {
      disk.fill(NEARLY_FULL);
      if (!(await this.#calm(random, CALM_BEFORE_FULL))) return;
      disk.fill(0);
      this.#report.fullDisk += 1;
      if (!(await this.#calm(random, FULL))) return;
    }
  }

  async #work(workload: Workload, index: number): Promise<void> {
    const random = this.#options.random.fork(`pace ${index}`);
    while (await this.#calm(random, BETWEEN_CHANGES)) workload.act();
  }

  async #flush(laptop: Laptop, index: number): Promise<void> {
    const random = this.#options.random.fork(`flushes ${index}`);
    while (await this.#calm(random, BETWEEN_FLUSHES)) {
      try {
        await laptop.command('flush', '--wait', '--timeout', FLUSH_SECONDS);
        this.#report.flushes += 1;
      } catch {
        // Its daemon was killed, or its server is away.
      }
    }
  }

  #tell(): void {
    const { kills, cuts, onProgress } = this.#options;
    onProgress(`${this.#report.kills} of ${kills} kills, ${this.#report.cuts} of ${cuts} cuts`);
  }

  async #pause(random: SeededRandom, range: readonly [number, number]): Promise<void> {
    await wait(drawMs(random, range), undefined, { signal: this.#options.signal });
  }

  /** False: the faults are over. */
  async #calm(random: SeededRandom, range: readonly [number, number]): Promise<boolean> {
    const ended = AbortSignal.any([this.#over.signal, this.#options.signal]);
    await wait(drawMs(random, range), undefined, { signal: ended }).catch(() => undefined);
    return !ended.aborted;
  }
}

function drawMs(random: SeededRandom, [least, most]: readonly [number, number]): number {
  return random.between(least, most);
}
