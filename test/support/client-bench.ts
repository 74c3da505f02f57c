/**
 * Cores of clients with the core of a server, for tests: messages, file work and time are in the test's hand.
 *
 * `settle` lets everything happen that is under way, in the order it began, or (with a seed) in a random one; time stands still.
 * `pass` lets time go by. A client can be cut off, crash (its rows and files stay) and begin again.
 */
import type { Call, Event } from '../../daemon/core/events.ts';
import { Client } from '../../daemon/core/client.ts';
import type { Effect, FileTask } from '../../daemon/core/effects.ts';
import type { ClientConfig } from '../../daemon/core/state.ts';
import { rootOf, type Fid, type VolumeId } from '../../shared/model/fid.ts';
import { instant, seconds, wallTime } from '../../shared/model/time.ts';
import { CLIENT_TABLES, type ClientRows } from '../../shared/ports/client-store.ts';
import type { Attributes, NamedAttributes } from '../../shared/ports/file-system.ts';
import { present } from '../../shared/util/assert.ts';
import { SeededRandom } from '../../shared/util/seeded-random.ts';
import type { ErrorCode } from '../../shared/wire/error-codes.ts';
import { workOn } from './bench-disk.ts';
import { BenchLine } from './bench-line.ts';
import { BenchServer, type BenchTime } from './bench-server.ts';

/** The only volume of the bench. */
export const VOLUME = 1 as VolumeId;
export const ROOT = rootOf(VOLUME);

export type Answer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string };

interface Pending {
  readonly what: string;
  readonly run: () => void;
}

/** A server with clients, in simulated time. */
export class ClientBench implements BenchTime {
  now = 1_000;
  readonly random: SeededRandom | null;
  readonly clients: BenchClient[] = [];
  server!: BenchServer;
  #pending: Pending[] = [];
  #busy = 0;
  #lastId = 0;

  private constructor(seed: number | null) {
    this.random = seed === null ? null : new SeededRandom(seed);
  }

  static async start(seed: number | null = null): Promise<ClientBench> {
    const bench = new ClientBench(seed);
    bench.server = await BenchServer.start(bench);
    return bench;
  }

  id(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  later(what: string, run: () => void): void {
    this.#pending.push({ what, run });
  }

  wait(work: Promise<void>): void {
    this.#busy += 1;
    void work.finally(() => {
      this.#busy -= 1;
    });
  }

  get isQuiet(): boolean {
    return this.#pending.length === 0 && this.#busy === 0;
  }

  /** Lets one pending event happen. False when there is none. */
  async one(): Promise<boolean> {
    while (this.#busy > 0 && this.#pending.length === 0) await Promise.resolve();
    const at = this.random === null ? 0 : Math.floor(this.random.fraction() * this.#pending.length);
    const [next] = this.#pending.splice(at, 1);
    if (next === undefined) return false;
    next.run();
    for (let turn = 0; turn < 3; turn++) await Promise.resolve();
    return true;
  }

  async settle(): Promise<void> {
    for (let step = 0; step < 200_000; step++) {
      if (!(await this.one()) && this.#busy === 0) return;
    }
    throw new Error('the bench does not come to rest');
  }

  /** Lets time pass; after each timer everything settles. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.now + milliseconds;
    await this.settle();
    for (;;) {
      const times = this.clients.map((client) => client.nextWake()).filter((at) => at !== null);
      const next = Math.min(end, ...times);
      this.now = Math.max(this.now, next);
      this.server.wake();
      for (const client of this.clients) client.tick();
      await this.settle();
      if (this.now >= end) return;
    }
  }

  /** Lets time pass and timers ring; their effects are pending afterwards. */
  advance(milliseconds: number): void {
    this.now += milliseconds;
    this.server.wake();
    for (const client of this.clients) client.tick();
  }

  /** A paired client with a session. */
  async join(options: Partial<ClientConfig> & { rights?: 'read' | 'write' } = {}) {
    const client = new BenchClient(this, this.clients.length + 1, options);
    this.clients.push(client);
    client.begin();
    await this.pass(10);
    return client;
  }
}

/** One client of the bench, which can be cut off and can crash. */
export class BenchClient {
  readonly number: number;
  readonly config: ClientConfig;
  /** Contents of the file store, and of what was given away. */
  readonly disk = new Map<string, string>();
  readonly answers = new Map<number, Answer>();
  readonly logged: string[] = [];
  client!: Client;
  online = true;
  woken = 0;
  readonly #bench: ClientBench;
  #rows = emptyRows();
  readonly #listeners = new Map<number, (answer: Answer) => void>();
  readonly #line: BenchLine;
  #life = 0;

  constructor(
    bench: ClientBench,
    number: number,
    { rights = 'write', ...config }: Partial<ClientConfig> & { rights?: 'read' | 'write' },
  ) {
    this.#bench = bench;
    this.#line = new BenchLine(bench, this);
    this.number = number;
    this.config = {
      deviceName: `laptop ${number}`,
      software: 'bench',
      frontEnd: 'none',
      invitation: bench.server.invite(number, rights),
      notConnectedWait: seconds(5),
      cacheBytes: 1e9,
      localCopies: false,
      ...config,
    };
  }

  begin(): void {
    this.#life += 1;
    const moment = { at: instant(this.#bench.now), wall: wallTime(this.#bench.now) };
    this.client = new Client(this.config, cloneRows(this.#rows), moment);
    this.feed({ kind: 'start' });
  }

  /** The process ends at once; what was durable is there when it begins again. */
  crash(): void {
    this.#line.drop('peer', false);
    this.#life += 1;
    this.answers.clear();
    const died = { ok: false, code: 'not-running', message: 'it crashed' } as const;
    for (const tell of this.#listeners.values()) tell(died);
    this.#listeners.clear();
  }

  feed(event: Event): void {
    const { now } = this.#bench;
    const step = this.client.step(event, { at: instant(now), wall: wallTime(now) });
    for (const { table, key, value } of step.rows) {
      const rows = this.#rows[table] as Map<string, unknown>;
      if (value === undefined) rows.delete(key);
      else rows.set(key, JSON.parse(JSON.stringify(value)));
    }
    for (const effect of step.effects) this.#carryOut(effect);
  }

  nextWake(): number | null {
    return this.#life === 0 ? null : this.client.nextWake();
  }

  tick(): void {
    const at = this.client.nextWake();
    if (at !== null && at <= this.#bench.now) this.feed({ kind: 'tick' });
  }

  cutOff(): void {
    this.online = false;
    this.#line.drop('idle', true);
  }

  call(what: Call): number {
    const call = this.#bench.id();
    this.feed({ kind: 'call', call, what });
    return call;
  }

  /** Makes a call. Resolves with its answer, or with `not-running` after a crash. */
  eventually(what: Call): Promise<Answer> {
    return new Promise((resolve) => {
      const call = this.#bench.id();
      this.#listeners.set(call, resolve);
      this.feed({ kind: 'call', call, what });
    });
  }

  /** Makes a call, lets everything settle, and returns the answer, whatever it is. */
  async try(what: Call): Promise<Answer | undefined> {
    const call = this.call(what);
    await this.#bench.settle();
    return this.answers.get(call);
  }

  async do<T = Attributes>(what: Call): Promise<T> {
    const answer = present(await this.try(what), 'the call is answered', { what });
    if (!answer.ok) throw new Error(`${what.op} refused: ${answer.code} ${answer.message}`);
    return answer.value as T;
  }

  /** Makes or replaces a file; resolves when that is logged. */
  async write(dir: Fid, name: string, text: string): Promise<Attributes> {
    const found = await this.try({ op: 'lookup', dir, name });
    const fid =
      found?.ok === true
        ? (found.value as Attributes).fid
        : (await this.do({ op: 'create', dir, name, options: { mode: 0o644 } })).fid;
    return this.store(fid, text);
  }

  async store(fid: Fid, text: string, base?: number): Promise<Attributes> {
    const how = { mode: 'write', truncate: true } as const;
    const opened = await this.do<{ handle: number; content: string }>({
      op: 'open',
      fid,
      how: base === undefined ? how : { ...how, base: base as never },
    });
    this.disk.set(opened.content, text);
    return this.do({ op: 'close', handle: opened.handle, changed: {} });
  }

  async read(fid: Fid): Promise<string> {
    const opened = await this.do<{ handle: number; content: string }>({
      op: 'open',
      fid,
      how: { mode: 'read' },
    });
    const text = present(this.disk.get(opened.content), 'the contents are there');
    await this.do({ op: 'close', handle: opened.handle, changed: null });
    return text;
  }

  async list(dir: Fid = ROOT): Promise<string[]> {
    const listed = await this.do<NamedAttributes[]>({ op: 'readdir', dir });
    return listed.map(({ name }) => name);
  }

  /** Every file below a directory with its contents, by path. */
  async tree(dir: Fid = ROOT, prefix = ''): Promise<Record<string, string>> {
    const found: Record<string, string> = {};
    for (const { name, attributes } of await this.do<NamedAttributes[]>({ op: 'readdir', dir })) {
      const path = `${prefix}${name}`;
      if (attributes.kind === 'directory') {
        found[`${path}/`] = '';
        Object.assign(found, await this.tree(attributes.fid, `${path}/`));
      } else if (attributes.kind === 'symlink') found[path] = `-> ${attributes.target}`;
      else if (attributes.digest === null) found[path] = '(no contents)';
      else found[path] = await this.read(attributes.fid);
    }
    return found;
  }

  status() {
    return this.client.reports.status({
      unsettled: { paths: 0, commits: 0 },
      waiting: [],
      errors: [],
    });
  }

  #carryOut(effect: Effect): void {
    switch (effect.kind) {
      case 'connect':
        return this.#line.connect();
      case 'disconnect':
        return this.#line.drop('local', true);
      case 'request':
        return this.#line.request(effect);
      case 'acknowledge':
        return this.#line.acknowledge(effect);
      case 'answer':
        return this.#answered(effect.call, { ok: true, value: effect.value });
      case 'refuse': {
        const { call, code, message } = effect;
        return this.#answered(call, { ok: false, code, message });
      }
      case 'file':
        return this.#file(effect.task, effect.work);
      case 'woken':
        this.woken += 1;
        return;
      case 'log':
        this.logged.push(`${effect.message} ${JSON.stringify(effect.fields)}`);
        return;
      case 'paired':
      case 'renamed':
      case 'volumes':
      case 'raise':
      case 'stop':
      case 'pulled':
      case 'limit':
        return;
    }
  }

  #answered(call: number, answer: Answer): void {
    this.answers.set(call, answer);
    this.#listeners.get(call)?.(answer);
    this.#listeners.delete(call);
  }

  /** Runs the callback later, unless the client has crashed by then. */
  local(what: string, run: () => void): void {
    const life = this.#life;
    this.#bench.later(what, () => {
      if (life === this.#life) run();
    });
  }

  #file(task: number, work: FileTask): void {
    this.local(`file ${work.what}`, () => {
      const outcome = workOn(this.disk, work, () => this.#bench.id());
      if (task !== 0) this.feed({ kind: 'file', task, outcome });
    });
  }
}

function emptyRows(): ClientRows {
  return Object.fromEntries(
    CLIENT_TABLES.map((table) => [table, new Map()]),
  ) as unknown as ClientRows;
}

function cloneRows(rows: ClientRows): ClientRows {
  return structuredClone(rows);
}
