/**
 * The surroundings of a test file: the process itself. What a file has changed of it is put back for the next one: the environment, the
 * folder, the console, and who listens to signals.
 */

const EVENTS = [
  'SIGINT',
  'SIGTERM',
  'SIGHUP',
  'exit',
  'beforeExit',
  'warning',
  'message',
  'disconnect',
];

export default class Environment {
  /** What Jest sets as a global for tests; ours import what they use. */
  global = {};
  #console;
  #before = null;

  constructor(_config, { console }) {
    this.#console = console;
  }

  getVmContext() {
    return null;
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  async setup() {
    this.#before = {
      console: globalThis.console,
      env: { ...process.env },
      folder: process.cwd(),
      umask: process.umask(),
      exit: process.exit,
      exitCode: process.exitCode,
      listeners: EVENTS.map((event) => [event, process.rawListeners(event)]),
    };
    globalThis.console = this.#console;
    process.exit = (code) => {
      throw new Error(`process.exit(${code ?? ''}) is called in a test`);
    };
  }

  async teardown() {
    const before = this.#before;
    if (before === null) return;
    this.#before = null;
    globalThis.console = before.console;
    process.exit = before.exit;
    process.exitCode = before.exitCode;
    process.umask(before.umask);
    process.chdir(before.folder);
    for (const name of Object.keys(process.env))
      if (!(name in before.env)) delete process.env[name];
    Object.assign(process.env, before.env);
    for (const [event, kept] of before.listeners) {
      for (const listener of process.rawListeners(event)) {
        if (!kept.includes(listener)) process.removeListener(event, listener);
      }
    }
  }
}
