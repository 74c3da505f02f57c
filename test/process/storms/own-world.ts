/**
 * A world of its own for a run: as root, name spaces of mounts and processes. Whatever the run mounts or starts ends with it, however it ends,
 * for the kernel ends all of them with the first process in there. Whoever starts it removes the folder when it is over.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';

const WORLD = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
const PRIVATE = ['--propagation', 'private', '--'];
/** The first process in there: it takes the ends of all that have lost their parent. */
const FIRST = 'exec 3<&0; "$@" <&3 & wait "$!"';
/** Set in a process that runs in a world of its own: where to keep what is found. */
const KEPT = 'STORMS_KEPT';

/** Whether this machine lets this user have one. */
export function mayHaveWorld(): boolean {
  const { status } = spawnSync('unshare', [...WORLD, ...PRIVATE, 'true'], { stdio: 'ignore' });
  return process.getuid?.() === 0 && status === 0;
}

/** The folder to keep findings in, in a process of a run; null: the run has not begun yet. */
export function keptFolder(): string | null {
  return process.env[KEPT] ?? null;
}

/** Runs this program again, in a world of its own where that can be, and returns its exit code. */
export async function runInWorld(kept: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'godwit-storms-'));
  const own = [process.execPath, ...process.argv.slice(1)];
  const [program = '', ...args] = mayHaveWorld()
    ? ['unshare', ...WORLD, ...PRIVATE, 'sh', '-c', FIRST, 'sh', ...own]
    : own;
  const child = spawn(program, args, {
    // It ends when its input does, so also when this process is killed; a signal to the terminal's group is for this one alone.
    stdio: ['pipe', 'inherit', 'inherit'],
    detached: true,
    env: { ...process.env, TMPDIR: folder, [KEPT]: kept },
  });
  const end = (): void => void child.stdin?.end();
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, end);
  const [code] = (await once(child, 'exit')) as [number | null];
  for (const signal of signals) process.removeListener(signal, end);
  rmSync(folder, { recursive: true, force: true });
  return code ?? 1;
}

/** In a process of a run: aborted when whoever started it has gone, or asks for its end. */
export function endAsked(): AbortSignal {
  const asked = new AbortController();
  process.stdin.resume().once('end', () => asked.abort());
  process.stdin.unref();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => asked.abort());
  return asked.signal;
}
