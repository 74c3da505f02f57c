/**
 * Assertions are for our own bugs, and stay on in production: a program that no longer knows what it is doing stops
 * and recovers from its disk. What the world may do wrong (a peer, a disk, a user) is an error, not an assertion.
 */
export type AssertionContext = Readonly<Record<string, unknown>>;

/**
 * An invariant of ours does not hold. The program ends with it: it is a bug, not an error of the
 * world.
 */
export class AssertionFailure extends Error {
  readonly context: AssertionContext;

  constructor(message: string, context: AssertionContext = {}) {
    super(`${message}${described(context)}`);
    this.name = 'AssertionFailure';
    this.context = context;
  }
}

/** `message` says what holds, e.g. "an update has one answer". */
export function assert(
  condition: boolean,
  message: string,
  context: AssertionContext = {},
): asserts condition {
  if (!condition) throw new AssertionFailure(message, context);
}

/** The value, which our own bookkeeping says is present. Throws an AssertionFailure if not. */
export function present<T>(
  value: T | null | undefined,
  message: string,
  context: AssertionContext = {},
): T {
  if (value === null || value === undefined) throw new AssertionFailure(message, context);
  return value;
}

/** The arm of a switch that the types say can't be reached. */
export function unreachable(value: never, message = 'every case is handled'): never {
  throw new AssertionFailure(message, { value });
}

function described(context: AssertionContext): string {
  const pairs = Object.entries(context).map(([key, value]) => `${key}=${shown(value)}`);
  return pairs.length === 0 ? '' : ` (${pairs.join(', ')})`;
}

function shown(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`;
  try {
    return (JSON.stringify(value) ?? String(value)).slice(0, 200);
  } catch {
    return '?';
  }
}
