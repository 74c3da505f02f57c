/**
 * What tests import as `@jest/globals`. A module is loaded once in a process and its test files come one after the other, each with
 * a Jest of its own: so every name here hands on to the one that is at work.
 */

let current = null;

/** Called before a test file is loaded. */
export function useGlobals(globals) {
  current = globals;
}

/** What is found at this path (`it`, `skip`), also for who keeps it longer than a test file runs. */
function handOn(...path) {
  const name = path.at(-1);
  const owner = () => path.slice(0, -1).reduce((value, key) => value[key], now());
  const members = new Map();
  return new Proxy(() => undefined, {
    apply: (_target, _self, args) => owner()[name](...args),
    get: (_target, key) => {
      const value = owner()[name][key];
      if (typeof value !== 'function') return value;
      if (!members.has(key)) members.set(key, handOn(...path, key));
      return members.get(key);
    },
  });
}

function now() {
  if (current === null) throw new Error('Jest is at work only while a test file runs.');
  return current;
}

export const afterAll = handOn('afterAll');
export const afterEach = handOn('afterEach');
export const beforeAll = handOn('beforeAll');
export const beforeEach = handOn('beforeEach');
export const describe = handOn('describe');
export const expect = handOn('expect');
export const it = handOn('it');
export const jest = handOn('jest');
export const test = handOn('test');
