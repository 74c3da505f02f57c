/**
 * One laptop, nobody else: files are written in its folder while its daemon is killed, over and over. In the end each name has what was
 * written last, and nothing was taken for somebody else's.
 *
 * The daemon is killed at one of its own writes to its databases, drawn at random: so it dies between the log and the records, too.
 */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  unlinkSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { readControlFile } from '../../../shared/control/control-file.ts';
import { SeededRandom } from '../../../shared/util/seeded-random.ts';
import { endProcess, type Bench } from '../../support/bench.ts';

export const WAYS = ['save', 'in-place', 'append', 'rename', 'remove'] as const;
type Way = (typeof WAYS)[number];

export interface KillsPlan {
  readonly kills: number;
  /** The number of names that are written, one at a time. */
  readonly names: number;
  readonly seed: number;
  readonly ways: readonly Way[];
}

export interface KillsReport {
  readonly faults: readonly string[];
  readonly writes: number;
  readonly seconds: number;
}

type Laptop = { readonly data: string; readonly folder: string };

/** The most writes of the daemon to its databases before a kill. */
const MOST_WRITES = 24;
/** The number of writes while no daemon runs. */
const WRITES_BESIDE = 12;
const MOST_BYTES = 6_000;

export async function runKills(bench: Bench, plan: KillsPlan): Promise<KillsReport> {
  const since = process.hrtime.bigint();
  const server = await bench.server();
  const a = await bench.laptop('ann', await bench.invite(server));
  const person = new Person(a.folder, plan);
  const random = new SeededRandom(`kills ${plan.seed}`);
  for (let kill = 0; kill < plan.kills; kill++) {
    await killWhileWriting(a, person, 1 + random.below(MOST_WRITES));
    for (let left = random.below(WRITES_BESIDE); left > 0; left--) person.write();
    await bench.json(['up', '--data', a.data]);
  }
  await bench.flush(a);
  const faults = person.faults();
  const { conflicts } = await bench.until(a.data, ({ state }) => state === 'idle');
  if (conflicts.length > 0) faults.push(`${conflicts.length} conflicts are listed`);
  const b = await bench.laptop('bob', await bench.invite(server));
  await bench.flush(b);
  faults.push(...person.faults(b.folder).map((fault) => `at the other laptop: ${fault}`));
  const seconds = Math.round(Number(process.hrtime.bigint() - since) / 1e9);
  return { faults, writes: person.writes, seconds };
}

/** Kills the daemon at one of its writes. Each of them is followed by one of the person, so there is always another one. */
async function killWhileWriting({ data }: Laptop, person: Person, times: number): Promise<void> {
  const pid = readControlFile(data)?.pid;
  if (pid === undefined) throw new Error('no daemon runs');
  await new Promise<void>((resolve) => {
    let left = times;
    const watcher = watch(data, (_, name) => {
      if (name === null || !/\.db(-wal)?$/.test(name)) return;
      left -= 1;
      if (left > 0) return person.write();
      watcher.close();
      resolve();
    });
    person.write();
  });
  await endProcess(pid, 'SIGKILL');
}

/** A person who works in a folder and remembers the writes. */
class Person {
  readonly #root: string;
  readonly #plan: KillsPlan;
  readonly #random: SeededRandom;
  readonly #last = new Map<string, string>();
  writes = 0;

  constructor(root: string, plan: KillsPlan) {
    this.#root = root;
    this.#plan = plan;
    this.#random = new SeededRandom(`person ${plan.seed}`);
  }

  write(): void {
    const { ways } = this.#plan;
    const way = ways[this.#random.below(ways.length)] ?? 'save';
    const name = this.#draw();
    const path = join(this.#root, name);
    this.writes += 1;
    mkdirSync(dirname(path), { recursive: true });
    const before = this.#last.get(name);
    if (way === 'remove' && before !== undefined) {
      unlinkSync(path);
      this.#last.delete(name);
    } else if (way === 'rename' && before !== undefined) {
      this.#rename(name, this.#draw(), before);
    } else this.#put(way, name, path, before ?? '');
  }

  #put(way: Way, name: string, path: string, before: string): void {
    const size = 1 + this.#random.below(MOST_BYTES);
    const text = `${this.writes} `.repeat(size).slice(0, size);
    if (way === 'append') appendFileSync(path, text);
    else if (way === 'in-place') writeFileSync(path, text);
    else {
      writeFileSync(`${path}.new~`, text);
      renameSync(`${path}.new~`, path);
    }
    this.#last.set(name, way === 'append' ? before + text : text);
  }

  #rename(from: string, to: string, text: string): void {
    mkdirSync(dirname(join(this.#root, to)), { recursive: true });
    renameSync(join(this.#root, from), join(this.#root, to));
    this.#last.delete(from);
    this.#last.set(to, text);
  }

  #draw(): string {
    const number = this.#random.below(this.#plan.names);
    return `d${number % 7}/f${number}`;
  }

  /** The names whose contents differ from the last write. */
  faults(root = this.#root): string[] {
    const there = new Set(
      readdirSync(root, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
        .filter((path) => !path.startsWith('.godwit/')),
    );
    const wrong = [...this.#last].flatMap(([name, text]) => {
      if (!existsSync(join(root, name))) return [`${name} is missing`];
      const is = readFileSync(join(root, name), 'utf8');
      return is === text ? [] : [`${name} has not what was written last, but ${is.slice(0, 12)}`];
    });
    const more = [...there].filter((name) => !this.#last.has(name));
    return [...wrong, ...more.map((name) => `nobody has made ${name}`)];
  }
}
