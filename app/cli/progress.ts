/** A progress bar on a terminal, and nothing anywhere else. */
import { SingleBar } from 'cli-progress';
import type { Context } from './context.ts';

export interface Progress {
  /** Both only grow together: the total may rise while work is found. */
  update(done: number, total: number): void;
  stop(): void;
}

const NONE: Progress = { update: () => undefined, stop: () => undefined };

/** Shows a progress bar on stderr. It shows nothing where no person watches. */
export function startProgress(context: Context, what: string): Progress {
  if (!context.shows) return NONE;
  const bar = new SingleBar({
    format: `${what} [{bar}] {percentage}% | {value}/{total} | {duration_formatted}`,
    stream: context.io.stderr,
    barCompleteChar: '#',
    barIncompleteChar: '-',
    hideCursor: true,
    clearOnComplete: true,
    stopOnComplete: false,
    fps: 10,
  });
  bar.start(1, 0);
  return {
    update(done, total) {
      bar.setTotal(Math.max(total, 1));
      bar.update(done);
    },
    stop: () => bar.stop(),
  };
}
