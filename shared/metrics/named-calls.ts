/**
 * Counts the calls of one endpoint by the name of their RPC: how many, how they ended, their bytes, and how long they took in a few steps.
 * Calls that this side began are counted apart from those that it received.
 *
 * It stands around a Transport and hands everything on as it came. The first bytes of a header tell the name. All counts lie in one array of
 * numbers, and what is known of a running call in others, so no call makes an object. What is no RPC of ours counts as `other`.
 *
 * A call that this side began takes until its reply is here, with its contents; one that it received until its reply is handed to the
 * transport. Changes and ServerPull may wait for something to happen, and that time is in it.
 */
import { grown, NumberSlots } from '../util/number-slots.ts';
import type { CallId, Transport, TransportHandler } from '../ports/transport.ts';
import { isFailure, ordinalIn } from '../wire/first-bytes.ts';
import { RPCS } from '../wire/rpcs.ts';
import { counter, histogram, type Figure, type Sample } from './figure.ts';

/** Upper bounds of the steps of durations, milliseconds; what took longer is in one more. */
export const STEPS_MS = [1, 5, 20, 100, 500, 2000, 10_000] as const;

const OTHER = 'other';
/** The names of rows: RPCs in the order of the protocol. */
export const CALL_NAMES: readonly string[] = [...Object.keys(RPCS), OTHER];
export const SIDES = ['began', 'received'] as const;
export type Side = (typeof SIDES)[number];

/** Places in a row: ended with an answer, of these with an error, without an answer, bytes, milliseconds; then the steps. */
const CALLS = 0;
const FAILURES = 1;
const BROKEN = 2;
const OUT = 3;
const IN = 4;
const MS = 5;
const STEPS = 6;
const ROW = STEPS + STEPS_MS.length + 1;
/** How many numbers there are in all. */
export const CALL_VALUES = SIDES.length * CALL_NAMES.length * ROW;

const MOST_ORDINALS = 256;
const ROW_OF_ORDINAL = new Uint16Array(MOST_ORDINALS).fill(CALL_NAMES.length - 1);
Object.values(RPCS).forEach(({ ordinal }, row) => (ROW_OF_ORDINAL[ordinal] = row));

const RECEIVED = CALL_NAMES.length * ROW;

/** What the calls of one name came to. Bytes count headers and contents. */
export interface CallCounts {
  readonly rpc: string;
  readonly side: Side;
  /** Ended with an answer. */
  readonly calls: number;
  /** Of these, with an error. */
  readonly failures: number;
  /** Ended without an answer. */
  readonly broken: number;
  readonly bytesOut: number;
  readonly bytesIn: number;
  /** Milliseconds of those that ended with an answer. */
  readonly ms: number;
  /** How many of these took up to each of STEPS_MS, and no step less; the last ones took longer. */
  readonly steps: readonly number[];
}

/** Reads what the meter wrote, or the difference of two such arrays. Names without a call are left out. */
export function callCounts(values: Float64Array): CallCounts[] {
  return SIDES.flatMap((side, s) =>
    CALL_NAMES.flatMap((rpc, name) => {
      const at = (s * CALL_NAMES.length + name) * ROW;
      const of = (place: number): number => values[at + place] ?? 0;
      const counts = { calls: of(CALLS), failures: of(FAILURES), broken: of(BROKEN) };
      if (counts.calls + counts.broken + of(OUT) + of(IN) === 0) return [];
      const steps = [...values.subarray(at + STEPS, at + ROW)];
      return [{ rpc, side, ...counts, bytesOut: of(OUT), bytesIn: of(IN), ms: of(MS), steps }];
    }),
  );
}

/** Counts the RPCs of a transport by their names. */
export class NamedCalls {
  /** Only to be read. It never goes down. */
  readonly values = new Float64Array(CALL_VALUES);
  readonly #now: () => number;
  readonly #slots = new NumberSlots();
  /** Of each running call: its row, and when it began. */
  #rows = new Float64Array(64);
  #began = new Float64Array(64);

  /** `now`: milliseconds of a clock that goes forward. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** How many calls are under way. */
  get running(): number {
    return this.#slots.used;
  }

  /** The same maker of transports, with this meter around what it makes. */
  around(make: (handler: TransportHandler) => Transport): (handler: TransportHandler) => Transport {
    return (handler) => this.#through(make(this.#over(handler)));
  }

  /** `prefix`: whose calls they are. */
  figures(prefix: string): Figure[] {
    return figuresOf(prefix, callCounts(this.values));
  }

  #through(link: Transport): Transport {
    return {
      listen: (options) => link.listen(options),
      connect: (options) => link.connect(options),
      request: (connection, request) => {
        const call = link.request(connection, request);
        const row = this.#begins(call, request.header, 0);
        this.#add(row + OUT, request.header.length + (request.content?.length ?? 0));
        return call;
      },
      reply: (call, reply) => {
        const bytes = reply.header.length + (reply.content?.length ?? 0);
        this.#ends(call, reply.header, OUT, bytes);
        link.reply(call, reply);
      },
      setClass: (call, priorityClass) => link.setClass(call, priorityClass),
      abort: (call, code) => link.abort(call, code),
      rebind: (connection) => link.rebind(connection),
      admit: (connection) => link.admit(connection),
      limit: (connection, rate) => link.limit(connection, rate),
      close: (connection) => link.close(connection),
      shutdown: () => link.shutdown(),
    };
  }

  #over(handler: TransportHandler): TransportHandler {
    return {
      connected: (connection, about) => handler.connected(connection, about),
      closed: (connection, reason, detail) => handler.closed(connection, reason, detail),
      incoming: (connection, call, request) => {
        const row = this.#begins(call, request.header, RECEIVED);
        this.#add(row + IN, request.header.length);
        handler.incoming(connection, call, request);
      },
      reply: (call, reply) => {
        const { header, contentLength } = reply;
        if (contentLength === 0) this.#ends(call, header, IN, header.length);
        else this.#bytes(call, IN, header.length);
        handler.reply(call, reply);
      },
      content: (call, content) => {
        const row = this.#bytes(call, IN, content.length);
        if (row >= 0 && row < RECEIVED) this.#done(call, row);
        handler.content(call, content);
      },
      partial: (call, content) => {
        this.#bytes(call, IN, content.length);
        handler.partial(call, content);
      },
      sent: (call, digest) => handler.sent(call, digest),
      aborted: (call, reason, code) => {
        const slot = this.#slots.release(call);
        if (slot >= 0) this.#add((this.#rows[slot] ?? 0) + BROKEN, 1);
        handler.aborted(call, reason, code);
      },
      progress: (call, progress) => handler.progress(call, progress),
      statistics: (connection, statistics) => handler.statistics(connection, statistics),
      unread: (connection) => handler.unread(connection),
    };
  }

  #begins(call: CallId, header: Uint8Array, side: number): number {
    const slot = this.#slots.take(call);
    if (slot >= this.#rows.length) {
      this.#rows = grown(this.#rows, slot + 1);
      this.#began = grown(this.#began, slot + 1);
    }
    const row = side + (ROW_OF_ORDINAL[ordinalIn(header)] ?? 0) * ROW;
    this.#rows[slot] = row;
    this.#began[slot] = this.#now();
    return row;
  }

  /** Gives its row; -1: it has ended. */
  #bytes(call: CallId, place: number, bytes: number): number {
    const slot = this.#slots.of(call);
    if (slot < 0) return -1;
    const row = this.#rows[slot] ?? 0;
    this.#add(row + place, bytes);
    return row;
  }

  #ends(call: CallId, header: Uint8Array, place: number, bytes: number): void {
    const row = this.#bytes(call, place, bytes);
    if (row < 0) return;
    if (isFailure(header)) this.#add(row + FAILURES, 1);
    this.#done(call, row);
  }

  #done(call: CallId, row: number): void {
    const ms = this.#now() - (this.#began[this.#slots.release(call)] ?? 0);
    let step = 0;
    while (step < STEPS_MS.length && ms > (STEPS_MS[step] ?? 0)) step += 1;
    this.#add(row + CALLS, 1);
    this.#add(row + MS, ms);
    this.#add(row + STEPS + step, 1);
  }

  #add(place: number, amount: number): void {
    this.values[place] = (this.values[place] ?? 0) + amount;
  }
}

function figuresOf(prefix: string, rows: readonly CallCounts[]): Figure[] {
  const by = (label: string, values: ReadonlyArray<readonly [string, keyof CallCounts]>) =>
    rows.flatMap((row) =>
      values.map(([value, of]): Sample => {
        return { labels: { ...labelsOf(row), [label]: value }, value: Number(row[of]) };
      }),
    );
  return [
    counter(
      `${prefix}_rpc_total`,
      'RPCs by name and by who began them that ended: with an answer (`failed` among them), or without one.',
      by('end', [
        ['answered', 'calls'],
        ['failed', 'failures'],
        ['broken', 'broken'],
      ]),
    ),
    counter(
      `${prefix}_rpc_bytes_total`,
      'Headers and contents of these RPCs, by name and direction.',
      by('direction', [
        ['out', 'bytesOut'],
        ['in', 'bytesIn'],
      ]),
    ),
    histogram(
      `${prefix}_rpc_seconds`,
      'How long these RPCs took from their begin to their answer, by name. Changes may wait for something to happen.',
      rows.map((row) => ({
        labels: labelsOf(row),
        bounds: STEPS_MS.map((ms) => ms / 1000),
        counts: row.steps,
        sum: row.ms / 1000,
      })),
    ),
  ];
}

const labelsOf = ({ rpc, side }: CallCounts): Record<string, string> => ({ rpc, side });
