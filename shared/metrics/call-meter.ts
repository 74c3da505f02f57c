/**
 * What the calls that one side of a Link begins come to, by priority class: how many, their bytes, and their times as MFS takes them apart
 * (section 4.5): waiting until the first byte of the request is through and until its last is, and the same of the reply.
 *
 * It stands around a Link and hands everything on as it came. A call counts in the class that it ended in, as it ends; one that ends
 * without its reply counts as broken. Times are those the Link tells: progress four times a second at most, the first at once, so what fits
 * a packet or two was queued until it was there whole. The time that the server took, and what waits for, is in that of the queued reply.
 */
import { PRIORITY_CLASSES, type PriorityClass } from '../model/priority-class.ts';
import type { CallId, Transport, TransportHandler } from '../ports/transport.ts';
import { counter, type Figure, type Sample } from './figure.ts';

/** Milliseconds and bytes, summed over calls. */
export interface CallSums {
  calls: number;
  /** Ended without a reply. */
  broken: number;
  /** Put in another class while they ran. */
  raised: number;
  upBytes: number;
  downBytes: number;
  upQueuedMs: number;
  upSentMs: number;
  downQueuedMs: number;
  downSentMs: number;
  /** Of these times, those of calls that were raised. */
  raisedUpQueuedMs: number;
  raisedUpSentMs: number;
  raisedDownQueuedMs: number;
  raisedDownSentMs: number;
}

export const CALL_SUMS = [
  ...(['calls', 'broken', 'raised', 'upBytes', 'downBytes'] as const),
  ...(['upQueuedMs', 'upSentMs', 'downQueuedMs', 'downSentMs'] as const),
  ...(['raisedUpQueuedMs', 'raisedUpSentMs', 'raisedDownQueuedMs', 'raisedDownSentMs'] as const),
] as const satisfies ReadonlyArray<keyof CallSums>;

/** The parts of a call's time in their order, and the same of raised calls. */
const TIMES = [
  ['upQueuedMs', 'raisedUpQueuedMs'],
  ['upSentMs', 'raisedUpSentMs'],
  ['downQueuedMs', 'raisedDownQueuedMs'],
  ['downSentMs', 'raisedDownSentMs'],
] as const satisfies ReadonlyArray<readonly [keyof CallSums, keyof CallSums]>;

export const noSums = (): CallSums =>
  Object.fromEntries(CALL_SUMS.map((name) => [name, 0])) as unknown as CallSums;

interface Running {
  priorityClass: PriorityClass;
  raised: boolean;
  readonly began: number;
  upBytes: number;
  downBytes: number;
  /** When the first byte of the request, and its last, was known to be there. */
  firstUp: number | null;
  lastUp: number | null;
  /** When the header of the reply came, and the first byte of its contents. */
  replied: number | null;
  firstDown: number | null;
}

type MakeTransport<L extends Transport> = (handler: TransportHandler) => L;

/** Counts the RPCs of a transport and sums their durations, by priority class. */
export class CallMeter {
  readonly #now: () => number;
  readonly #running = new Map<CallId, Running>();
  readonly #sums = new Map<PriorityClass, CallSums>(
    PRIORITY_CLASSES.map((name) => [name, noSums()]),
  );

  /** `now`: milliseconds of a clock that goes forward. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** A copy of what it has come to. */
  sums(): Record<PriorityClass, CallSums> {
    return Object.fromEntries([...this.#sums].map(([name, sums]) => [name, { ...sums }])) as Record<
      PriorityClass,
      CallSums
    >;
  }

  around<L extends Transport>(makeLink: MakeTransport<L>): MakeTransport<Transport> {
    return (handler) => this.#through(makeLink(this.#over(handler)));
  }

  /** `prefix`: whose calls they are. */
  figures(prefix: string): Figure[] {
    const by = (
      label: string,
      values: ReadonlyArray<readonly [string, keyof CallSums]>,
      scale = 1,
    ) =>
      [...this.#sums].flatMap(([name, sums]) =>
        values.map(([value, of]): Sample => {
          return { labels: { class: name, [label]: value }, value: sums[of] * scale };
        }),
      );
    const ends = [
      ...([['answered', 'calls'] as const, ['broken', 'broken'] as const] as const),
      ['raised', 'raised'] as const,
    ];
    const parts = [
      ...([['up-queued', 'upQueuedMs'] as const, ['up-sent', 'upSentMs'] as const] as const),
      ...([
        ['down-queued', 'downQueuedMs'] as const,
        ['down-sent', 'downSentMs'] as const,
      ] as const),
    ];
    const raisedParts = [
      ...([
        ['up-queued', 'raisedUpQueuedMs'] as const,
        ['up-sent', 'raisedUpSentMs'] as const,
      ] as const),
      ...([
        ['down-queued', 'raisedDownQueuedMs'] as const,
        ['down-sent', 'raisedDownSentMs'] as const,
      ] as const),
    ];
    const directions = [['up', 'upBytes'] as const, ['down', 'downBytes'] as const];
    return [
      counter(
        `${prefix}_calls_total`,
        'RPCs that it began and that have ended, by priority class: with a reply, without one; and those raised meanwhile.',
        by('end', ends),
      ),
      counter(
        `${prefix}_call_bytes_total`,
        'Headers and contents of these RPCs, by priority class and direction.',
        by('direction', directions),
      ),
      counter(
        `${prefix}_call_seconds_total`,
        'Time that requests and replies waited for their first byte, and from it to their last, by priority class.',
        by('part', parts, 0.001),
      ),
      counter(
        `${prefix}_raised_call_seconds_total`,
        'Of that time, what RPCs took that were raised while they ran, by the priority class they ended in.',
        by('part', raisedParts, 0.001),
      ),
    ];
  }

  #through(link: Transport): Transport {
    return {
      listen: (options) => link.listen(options),
      connect: (options) => link.connect(options),
      request: (connection, request) => {
        const call = link.request(connection, request);
        const { priorityClass, header, content } = request;
        this.#running.set(call, {
          priorityClass,
          raised: false,
          began: this.#now(),
          upBytes: header.length + (content?.length ?? 0),
          downBytes: 0,
          ...{ firstUp: null, lastUp: null, replied: null, firstDown: null },
        });
        return call;
      },
      reply: (call, reply) => link.reply(call, reply),
      setClass: (call, priorityClass) => {
        const running = this.#running.get(call);
        if (running !== undefined) {
          running.raised ||= running.priorityClass !== priorityClass;
          running.priorityClass = priorityClass;
        }
        link.setClass(call, priorityClass);
      },
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
      incoming: (connection, call, request) => handler.incoming(connection, call, request),
      reply: (call, reply) => {
        const running = this.#running.get(call);
        if (running !== undefined) {
          running.replied = this.#now();
          running.downBytes += reply.header.length + reply.contentLength;
          if (reply.contentLength === 0) this.#end(call, running);
        }
        handler.reply(call, reply);
      },
      content: (call, content) => {
        const running = this.#running.get(call);
        if (running !== undefined) this.#end(call, running);
        handler.content(call, content);
      },
      partial: (call, content) => handler.partial(call, content),
      sent: (call, digest) => {
        const running = this.#running.get(call);
        if (running !== undefined) running.lastUp = this.#now();
        handler.sent(call, digest);
      },
      aborted: (call, reason, code) => {
        const running = this.#running.get(call);
        if (running !== undefined) this.#broke(call, running);
        handler.aborted(call, reason, code);
      },
      progress: (call, progress) => {
        const running = this.#running.get(call);
        if (running !== undefined) {
          if (progress.sentBytes > 0) running.firstUp ??= this.#now();
          if (progress.receivedBytes > 0) running.firstDown ??= this.#now();
        }
        handler.progress(call, progress);
      },
      statistics: (connection, statistics) => handler.statistics(connection, statistics),
      unread: (connection) => handler.unread(connection),
    };
  }

  #end(call: CallId, running: Running): void {
    this.#running.delete(call);
    const sums = this.#of(running);
    const now = this.#now();
    const replied = running.replied ?? now;
    const lastUp = running.lastUp ?? replied;
    const firstUp = Math.min(running.firstUp ?? lastUp, lastUp);
    const firstDown = Math.max(running.firstDown ?? now, lastUp);
    sums.calls += 1;
    sums.raised += Number(running.raised);
    sums.upBytes += running.upBytes;
    sums.downBytes += running.downBytes;
    const times = [
      firstUp - running.began,
      lastUp - firstUp,
      firstDown - lastUp,
      now - firstDown,
    ] as const;
    const share = Number(running.raised);
    for (const [index, [all, raised]] of TIMES.entries()) {
      const ms = times[index] ?? 0;
      sums[all] += ms;
      sums[raised] += share * ms;
    }
  }

  #broke(call: CallId, running: Running): void {
    this.#running.delete(call);
    this.#of(running).broken += 1;
  }

  #of({ priorityClass }: Running): CallSums {
    const sums = this.#sums.get(priorityClass) ?? noSums();
    this.#sums.set(priorityClass, sums);
    return sums;
  }
}
