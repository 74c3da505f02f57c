/**
 * Random work of several clients, with every message, crash and loss of the network in a random order (a seed repeats a run).
 * When all is quiet again, everybody sees the same, nothing waits, and no contents that were acknowledged are lost:
 * each was committed once, or given up by its own writer before that.
 */
import { expect, it } from '@jest/globals';
import { digestOfText } from '../../../test/support/bench-disk.ts';
import { ClientBench, ROOT, type BenchClient } from '../../../test/support/client-bench.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import type { Attributes } from '../../../shared/ports/file-system.ts';
import { SeededRandom } from '../../../shared/util/seeded-random.ts';
import type { Call } from '../events.ts';

const NAMES = ['a', 'b', 'c'];
const STEPS = 700;

interface Written {
  readonly fid: Fid;
  readonly text: string;
  givenUp: boolean;
}

class Actor {
  readonly client: BenchClient;
  readonly #random: SeededRandom;
  readonly written: Written[] = [];
  busy = false;
  #count = 0;

  constructor(client: BenchClient, random: SeededRandom) {
    this.client = client;
    this.#random = random;
  }

  begin(): void {
    this.busy = true;
    void this.#work().finally(() => {
      this.busy = false;
    });
  }

  async #work(): Promise<void> {
    const dir = await this.#directory();
    const name = this.#pick(NAMES);
    const options = { mode: 0o644 };
    const draw = this.#random.fraction();
    if (draw < 0.45) return this.#write(dir, name);
    if (draw < 0.6)
      await this.#take({ op: 'remove', place: { dir, name }, options: {} }, dir, name);
    else if (draw < 0.72) {
      const to = { dir: await this.#directory(), name: this.#pick(NAMES) };
      const what = { op: 'rename', from: { dir, name }, to, options: {} } as const;
      await this.#take(what, to.dir, to.name);
    } else if (draw < 0.84) await this.#call({ op: 'mkdir', dir, name, options });
    else if (draw < 0.9) await this.#call({ op: 'rmdir', place: { dir, name }, options: {} });
    else {
      const found = await this.#look(dir, name);
      if (found === null) return;
      const place = { dir: await this.#directory(), name: this.#pick(NAMES) };
      if (draw < 0.95) await this.#call({ op: 'setattr', fid: found.fid, change: { mode: 0o600 } });
      else if (found.kind === 'file') {
        await this.#call({ op: 'link', fid: found.fid, place, options: {} });
      }
    }
  }

  async #write(dir: Fid, name: string): Promise<void> {
    const found = await this.#look(dir, name);
    const made = found ?? (await this.#call({ op: 'create', dir, name, options: { mode: 0o644 } }));
    const fid = made?.fid;
    if (fid === undefined || made?.kind === 'directory') return;
    const how = { mode: 'write', truncate: true } as const;
    const opened = (await this.#call({ op: 'open', fid, how })) as unknown as {
      handle: number;
      content: string;
      attributes: Attributes;
    } | null;
    if (opened === null) return;
    this.#count += 1;
    const text = `${this.client.number}:${this.#count}`;
    this.client.disk.set(opened.content, text);
    const closed = await this.#call({ op: 'close', handle: opened.handle, changed: {} });
    if (closed === null) return;
    this.#giveUp(opened.attributes);
    this.written.push({ fid: closed.fid, text, givenUp: false });
  }

  /** A call that takes the name of what is there now. */
  async #take(what: Call, dir: Fid, name: string): Promise<void> {
    const looked = await this.client.eventually({ op: 'lookup', dir, name });
    // It may be away, or have crashed, and would not know what it takes.
    if (!looked.ok && looked.code !== 'not-found') return;
    const found = looked.ok ? (looked.value as Attributes) : null;
    if ((await this.#call(what)) !== null && found !== null) this.#giveUp(found);
  }

  /** The writer has replaced or removed what it saw; a conflict may have given it another fid meanwhile. */
  #giveUp({ fid, digest }: Attributes): void {
    for (const written of this.written) {
      if (written.fid === fid || digestOfText(written.text) === digest) written.givenUp = true;
    }
  }

  async #directory(): Promise<Fid> {
    if (this.#random.fraction() < 0.4) return ROOT;
    const found = await this.#look(ROOT, this.#pick(NAMES));
    return found?.kind === 'directory' ? found.fid : ROOT;
  }

  #look(dir: Fid, name: string): Promise<Attributes | null> {
    return this.#call({ op: 'lookup', dir, name });
  }

  /** null: refused, or it crashed; what is answered without a value counts as done. */
  async #call(what: Call): Promise<Attributes | null> {
    const answer = await this.client.eventually(what);
    return answer.ok ? ((answer.value ?? {}) as Attributes) : null;
  }

  #pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#random.fraction() * from.length)] as T;
  }
}

async function chaos(seed: number, withCrashes: boolean): Promise<void> {
  const bench = await ClientBench.start(seed);
  const random = new SeededRandom(`actors of ${seed}`);
  const actors: Actor[] = [];
  for (let i = 0; i < 3; i++) {
    actors.push(new Actor(await bench.join(), random.fork(`actor ${i}`)));
  }
  for (let step = 0; step < STEPS; step++) {
    const actor = actors[Math.floor(random.fraction() * actors.length)] as Actor;
    const draw = random.fraction();
    if (draw < 0.25) {
      if (!actor.busy) actor.begin();
    } else if (draw < 0.27) actor.client.cutOff();
    else if (draw < 0.33) actor.client.online = true;
    else if (draw < 0.34 && withCrashes) {
      actor.client.crash();
      actor.client.begin();
    } else if (draw < 0.45) bench.advance(random.fraction() * 1000);
    else await bench.one();
    await Promise.resolve();
  }
  for (const { client } of actors) client.online = true;
  await bench.pass(200_000);
  const trees = [];
  for (const { client } of actors) {
    expect(client.status()).toMatchObject({
      connected: true,
      errors: [],
      queues: { metadata: { updates: 0 }, data: { updates: 0 } },
    });
    trees.push(await client.tree());
  }
  expect(trees[1]).toEqual(trees[0]);
  expect(trees[2]).toEqual(trees[0]);
  for (const { written } of actors) {
    for (const { text, givenUp } of written) {
      if (!givenUp)
        expect([text, bench.server.committed.has(digestOfText(text))]).toEqual([text, true]);
    }
  }
}

const RUNS = Number(process.env['GODWIT_RUNS'] ?? 40);
const FIRST = Number(process.env['GODWIT_SEED'] ?? 1);

it.each([false, true])(
  'a client loses nothing in random interleavings (crashes: %s)',
  async (crashes) => {
    for (let seed = FIRST; seed < FIRST + RUNS; seed++) {
      try {
        await chaos(seed, crashes);
      } catch (error) {
        throw new Error(`seed ${seed}`, { cause: error });
      }
    }
  },
);
