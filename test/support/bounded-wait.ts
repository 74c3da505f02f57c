/** Waits for events, each with an end: a test that waits for what never comes fails with what it saw last, long before its own limit. */
import { once, type EventEmitter } from 'node:events';

/** What takes some milliseconds takes seconds beside much else; only what never comes takes so long. */
export const WAIT_LIMIT_MS = 120_000;

export interface Look<T> {
  /** What is found; null: it is not there yet. */
  readonly found: T | null;
  /** What there is instead, for who reads why the test failed. */
  readonly seen: unknown;
}

export interface BoundedWait<T> {
  /** What is waited for, in words. */
  readonly what: string;
  readonly heard: EventEmitter;
  /** The event after which another look is worth it. */
  readonly event: string;
  readonly look: () => Look<T> | Promise<Look<T>>;
  readonly limitMs?: number;
}

/**
 * Looks now and after each event until something is found, and gives that. Rejects an Error with `what` and what was
 * seen last after `limitMs`; no look follows then.
 */
export async function waitFor<T>(wait: BoundedWait<T>): Promise<T> {
  const { what, heard, event, look, limitMs = WAIT_LIMIT_MS } = wait;
  let seen: unknown = 'nothing yet';
  const ends = new AbortController();
  const { signal } = ends;
  const search = async (): Promise<T> => {
    for (;;) {
      const told = once(heard, event, { signal });
      told.catch(() => undefined);
      const now = await look();
      ({ seen } = now);
      if (now.found !== null) return now.found;
      await told;
    }
  };
  try {
    return await within(search(), what, () => seen, limitMs);
  } finally {
    ends.abort();
  }
}

/** Gives what the promise gives. Rejects an Error with `what` and what was seen last if that takes longer than `limitMs`. */
export async function within<T>(
  promise: Promise<T>,
  what: string,
  seen: () => unknown,
  limitMs: number = WAIT_LIMIT_MS,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`${what}: not within ${limitMs / 1000} s; seen last: ${told(seen())}`));
    }, limitMs);
  });
  try {
    return await Promise.race([promise, over]);
  } finally {
    clearTimeout(timer);
  }
}

const told = (seen: unknown): string => (typeof seen === 'string' ? seen : JSON.stringify(seen));
