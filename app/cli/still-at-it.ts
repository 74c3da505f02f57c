/** A sign of life for who waits at a terminal for an answer. */
import type { Context } from './context.ts';
import { LiveLine } from './live-line.ts';

/** A wait that is shorter is none. */
const EACH_MS = 1000;

/** Where no terminal redraws a line, each line stays. */
const LINE_EACH_MS = 10_000;

/** Shows what is being done, and since when, until it is: at a terminal in one line, elsewhere in a line now and then. */
export async function stillAtIt<T>(context: Context, what: string, work: Promise<T>): Promise<T> {
  if (!context.shows) return saidNowAndThen(context, what, work);
  const line = new LiveLine(context.io.stderr, 'silent');
  const began = performance.now();
  const timer = setInterval(() => line.show(since(what, began)), EACH_MS);
  try {
    return await work;
  } finally {
    clearInterval(timer);
    line.clear();
  }
}

async function saidNowAndThen<T>(context: Context, what: string, work: Promise<T>): Promise<T> {
  const began = performance.now();
  const timer = setInterval(() => context.note(since(what, began)), LINE_EACH_MS);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}

function since(what: string, began: number): string {
  return `${what} (${Math.round((performance.now() - began) / 1000)} s)`;
}
