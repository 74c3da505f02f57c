import type { Brand } from './brand.ts';

/** A point on this machine's monotonic clock, in milliseconds. It counts through suspend (rule P1). */
export type Instant = Brand<number, 'Instant'>;

/** A length of time in milliseconds. */
export type Duration = Brand<number, 'Duration'>;

/** Wall time in milliseconds since 1970, for people and for names only; never to order events. */
export type WallTime = Brand<number, 'WallTime'>;

/** A point of the monotonic clock, in milliseconds from an arbitrary zero. */
export const instant = (milliseconds: number): Instant => milliseconds as Instant;

/** A duration of so many milliseconds. */
export const milliseconds = (count: number): Duration => count as Duration;

/** A duration of so many seconds. */
export const seconds = (count: number): Duration => (count * 1000) as Duration;

/** A duration of so many minutes. */
export const minutes = (count: number): Duration => (count * 60_000) as Duration;

/** A point of wall-clock time, in milliseconds since 1970-01-01 UTC. */
export const wallTime = (sinceEpoch: number): WallTime => sinceEpoch as WallTime;

export function after(start: Instant, length: Duration): Instant {
  return (start + length) as Instant;
}

export function elapsed(start: Instant, end: Instant): Duration {
  return (end - start) as Duration;
}
