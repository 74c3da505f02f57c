/**
 * How Jest loads a test file: with Node's own loader, as the product is loaded. Jest's own loader evaluates each module anew for each file,
 * without the code that V8 has compiled; that was more than half of the processor time of `npm test`.
 *
 * A module is evaluated once in a process, as in production, and its state is shared by the test files that come after one another
 * there. So no module but a test registers tests and hooks while it is loaded (test/tidy/hooks.test.ts), and the environment puts back what a
 * test file has changed of the process (environment.mjs).
 */
import { createRequire, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { ModuleMocker } from 'jest-mock';
import { useGlobals } from './globals.mjs';

const GLOBALS = new URL('globals.mjs', import.meta.url).href;
const PROPERTIES = new URL('properties.mjs', import.meta.url).href;
const require = createRequire(import.meta.url);
/** Where Jest keeps what belongs to one test file. */
const OF_ONE_FILE = new Set(['EVENT_HANDLERS', 'JEST_STATE_SYMBOL']);
const loaded = new Set();

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@jest/globals') return { url: GLOBALS, shortCircuit: true };
    const isOfTest = specifier === 'fast-check' && context.parentURL !== PROPERTIES;
    return isOfTest ? { url: PROPERTIES, shortCircuit: true } : next(specifier, context);
  },
});

class Runtime {
  #mocker = new ModuleMocker(globalThis);

  /** Jest's runner of tests, which has state: a new one for each file. */
  requireInternalModule(path) {
    delete require.cache[path];
    forgetLastFile();
    return require(path);
  }

  requireModule(path) {
    return require(path);
  }

  setGlobalsForRuntime(globals) {
    const mocker = this.#mocker;
    const jest = {
      fn: mocker.fn.bind(mocker),
      spyOn: mocker.spyOn.bind(mocker),
      restoreAllMocks: () => mocker.restoreAllMocks(),
    };
    useGlobals({ ...globals, jest });
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  /** A file that runs again in the same process is evaluated again. */
  async unstable_importModule(path) {
    const { href } = pathToFileURL(path);
    const again = loaded.has(href) ? `?again=${loaded.size}` : '';
    loaded.add(href + again);
    return import(href + again);
  }

  teardown() {
    this.#mocker.restoreAllMocks();
    forgetLastFile();
    useGlobals(null);
  }

  getSourceMaps() {
    return new Map();
  }

  getAllCoverageInfoCopy() {
    return undefined;
  }

  enterTestCode() {}

  leaveTestCode() {}
}

function forgetLastFile() {
  for (const key of Object.getOwnPropertySymbols(globalThis)) {
    if (OF_ONE_FILE.has(key.description)) delete globalThis[key];
  }
}

export { Runtime as default, Runtime as 'module.exports' };
