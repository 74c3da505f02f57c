/** Asks a mount whether it answers by a shell, which may wait in our place. */
import { spawn, type ChildProcess } from 'node:child_process';
import type { HelperProcess } from './mount-answers.ts';

/** A name that nothing has is looked for: no system remembers the answer to that for long. */
const SCRIPT = 'while read -r name; do [ -e "$1/$name" ]; echo; done';

/** The shell begins with the first question, and is begun again where it has ended. */
export function askInShell(path: string): HelperProcess {
  let count = 0;
  let answered: () => void = () => undefined;
  let child: ChildProcess | null = null;
  const begin = (): ChildProcess => {
    const begun = spawn('sh', ['-c', SCRIPT, 'sh', path], {
      cwd: '/',
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    begun.stdout?.on('data', () => answered());
    begun.stdin?.on('error', () => undefined);
    // Where nobody can be sent, or it has ended, nothing is known against the mount.
    begun.on('error', () => answered());
    begun.on('exit', () => {
      if (child === begun) child = null;
      answered();
    });
    begun.unref();
    return begun;
  };
  return {
    again: () =>
      new Promise((resolve) => {
        answered = resolve;
        count += 1;
        child ??= begin();
        child.stdin?.write(`.godwit-asks-${count}\n`);
      }),
    end: () => {
      child?.kill('SIGKILL');
    },
  };
}
