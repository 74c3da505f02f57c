/** `godwit` runs itself again where it may do more, such as in namespaces of its own. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { CLI_MAIN, END_WITH_PARENT, type Place } from '../../cli/children.ts';

/**
 * Runs `godwit ARGS` at a place, such as behind `unshare -rm`, and resolves to its exit code. It ends
 * with us, and as we do. The last program of the place must become what it runs, so that the signal
 * reaches `godwit` itself. Rejects with the error of the system if it can't be started.
 */
export function runWithin(
  place: Place,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<number> {
  const [program = process.execPath, ...rest] = place;
  const command = [...rest, process.execPath, '--import', END_WITH_PARENT, CLI_MAIN, ...args];
  const child = spawn(program, command, {
    // A Ctrl-C of the terminal would reach it beside ours, and the second one ends it at once, with all of it left.
    detached: true,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, ...env },
  });
  signal.addEventListener('abort', () => void child.kill('SIGINT'), { once: true });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, by) =>
      resolve(code ?? 128 + (by === null ? 0 : constants.signals[by])),
    );
  });
}
