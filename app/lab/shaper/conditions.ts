/**
 * What one direction of a link is like. The rules by which packets go through it are in `shared/transport/native/src/relay/shaper.rs`; here are the
 * values that they take.
 */
export interface RateStep {
  /** From when on, since the conditions were set. The first step is at 0. */
  readonly atMs: number;
  /** Bytes with headers. 0: nothing moves, and what waits goes on waiting. */
  readonly bytesPerSecond: number;
}

/** A bound in time is as many bytes as the line sends in it, at its rate of the moment. */
export type QueueBound = { readonly bytes: number } | { readonly ms: number };

export interface Outage {
  readonly fromMs: number;
  readonly untilMs: number;
}

export interface Conditions {
  /** How fast, each step until the next; the last one stays. Empty: no limit. */
  readonly rate: readonly RateStep[];
  /** What a line that was idle sends at once. 0: it needs time for each packet. */
  readonly burstBytes: number;
  /** What waits at most; the last to come is dropped. An empty queue takes any packet. */
  readonly queue: QueueBound;
  readonly delayMs: number;
  /** The delay is evenly so much more or less; order is kept. */
  readonly jitterMs: number;
  /** The chance of a packet to be lost, from 0 to 1. */
  readonly loss: number;
  /** When nothing gets through, since the conditions were set. */
  readonly outages: readonly Outage[];
}

/** A link that changes nothing. */
export const CLEAR: Conditions = {
  rate: [],
  burstBytes: 0,
  queue: { ms: 250 },
  delayMs: 0,
  jitterMs: 0,
  loss: 0,
  outages: [],
};

/** Above it the relay itself would be the bottleneck. */
export const MAX_BYTES_PER_SECOND = 1_250_000_000;
/** What is on its way is kept in memory. */
export const MAX_DELAY_MS = 60_000;
export const MAX_QUEUE_BYTES = 256 * 1024 * 1024;
/** Of a rate, and of outages: what a person or a tool could mean. */
export const MAX_STEPS = 100_000;

/** Conditions, or a trace, that can not be meant. The message is for people. */
export class ConditionsError extends Error {}

/** Throws a ConditionsError for what makes no sense; gives the conditions back. */
export function checkConditions(conditions: Conditions): Conditions {
  const { rate, burstBytes, queue, delayMs, jitterMs, loss, outages } = conditions;
  checkSteps(rate);
  inRange('burst', burstBytes, 0, MAX_QUEUE_BYTES);
  if ('bytes' in queue) inRange('queue', queue.bytes, 0, MAX_QUEUE_BYTES);
  else inRange('queue', queue.ms, 0, MAX_DELAY_MS);
  inRange('delay', delayMs, 0, MAX_DELAY_MS);
  inRange('jitter', jitterMs, 0, MAX_DELAY_MS);
  if (jitterMs > delayMs) throw new ConditionsError('the jitter is more than the delay');
  inRange('loss', loss, 0, 1);
  if (outages.length > MAX_STEPS) throw new ConditionsError('too many outages');
  for (const { fromMs, untilMs } of outages) {
    inRange('begin of an outage', fromMs, 0, Number.MAX_SAFE_INTEGER);
    if (!(untilMs > fromMs)) throw new ConditionsError('an outage ends before it begins');
  }
  return conditions;
}

function checkSteps(steps: readonly RateStep[]): void {
  if (steps.length > MAX_STEPS) throw new ConditionsError('too many steps of the rate');
  let last = -1;
  for (const { atMs, bytesPerSecond } of steps) {
    if (last < 0 && atMs !== 0) throw new ConditionsError('the first rate is not at 0');
    if (!(atMs > last)) throw new ConditionsError('rates are not in the order of their times');
    inRange('rate', bytesPerSecond, 0, MAX_BYTES_PER_SECOND);
    last = atMs;
  }
  if (steps.length > 0 && steps.every(({ bytesPerSecond }) => bytesPerSecond === 0)) {
    throw new ConditionsError('the rate is 0 for ever: nothing would get through');
  }
}

function inRange(what: string, value: number, least: number, most: number): void {
  if (value >= least && value <= most) return;
  throw new ConditionsError(`${what} ${value}: from ${least} to ${most} is possible`);
}
