/**
 * Starts an entry point of the product with the right Node, in the caller's folder.
 *
 * Where this process can become the other one, it does: no process in between, nothing to forward.
 * Otherwise (Node 20, Windows) it stays as a parent that passes signals down and the exit code up.
 * Either way what it starts ends with it (build/end-with-parent.mjs), except the `godwit` command
 * itself, which belongs to the user's shell.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compileCache, fail, findNode, OLDEST_NODE, ROOT } from './node-path.mjs';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const WATCHER = pathToFileURL(join(import.meta.dirname, 'end-with-parent.mjs')).href;

/** `entry` is relative to the repository. Does not return to its caller. */
export async function runEntry(entry, args) {
  const path = join(ROOT, entry);
  if (!existsSync(path)) fail(`there is no ${entry}.`);
  if (!existsSync(join(ROOT, 'node_modules'))) {
    fail('packages are not installed. Run `npm run setup` first.');
  }
  const node = findNode();
  if (node === null) fail(`no Node ${OLDEST_NODE} here. Run \`npm run setup\`, which says more.`);
  const env = { ...compileCache(), ...process.env };
  const underNpm = process.env['npm_lifecycle_event'] !== undefined;
  if (typeof process.execve === 'function' && process.platform !== 'win32') {
    const watch = underNpm ? ['--import', WATCHER] : [];
    process.execve(node, [node, ...watch, path, ...args], env);
  }
  if (underNpm) await import('./end-with-parent.mjs');
  asChild(node, path, args, env);
}

/** Runs the entry point as a child: signals go down, its exit code becomes ours. */
export function asChild(node, path, args, env) {
  const child = spawn(node, ['--import', WATCHER, path, ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env,
  });
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      // The terminal has sent it to the child already; twice would mean "at once".
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.on('error', (error) => fail(`can't start ${node} (${error.code}). Run \`npm run setup\`.`));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    for (const name of SIGNALS) process.removeAllListeners(name);
    process.kill(process.pid, signal);
  });
}
