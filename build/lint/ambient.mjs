/**
 * What a pure room may not reach for: the clock, randomness, timers, the process, locale.
 * Used by eslint.config.mjs and by test/tidy; the reason is part of the message.
 */
const TIME = 'time is an argument (Instant) or the Clock port';
const TIMERS = 'a timer is an effect, or the Timers port';
const RANDOM = 'randomness is an argument, or the Random port';
const PROCESS = 'the process, the console and the network belong to main.ts and the adapters';
const LOCALE = 'the order would depend on the machine: compare code units';

/** Global names, each with its reason. `new Date(milliseconds)` is allowed: it reads no clock. */
export const AMBIENT = {
  Date: TIME,
  performance: TIME,
  Temporal: TIME,
  setTimeout: TIMERS,
  setInterval: TIMERS,
  setImmediate: TIMERS,
  queueMicrotask: TIMERS,
  clearTimeout: TIMERS,
  clearInterval: TIMERS,
  clearImmediate: TIMERS,
  crypto: RANDOM,
  process: PROCESS,
  console: PROCESS,
  fetch: PROCESS,
  WebSocket: PROCESS,
  Intl: LOCALE,
};

/** Properties: of a named object, or (object null) of any. */
export const AMBIENT_PROPERTIES = [
  { object: 'Math', property: 'random', why: RANDOM },
  { object: null, property: 'localeCompare', why: LOCALE },
  { object: null, property: 'toLocaleString', why: LOCALE },
  { object: null, property: 'toLocaleLowerCase', why: LOCALE },
  { object: null, property: 'toLocaleUpperCase', why: LOCALE },
];

export const NO_PROMISES = 'a pure step answers at once: work that takes time is an effect';
