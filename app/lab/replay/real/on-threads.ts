/** Jobs on threads, as many at a time as there are cores. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { GodwitError, type ErrorCode } from '../../../../shared/wire/error-codes.ts';

/** What a thread answers to each job, in order. */
export type ThreadAnswer<Result> =
  | { readonly result: Result }
  | { readonly error: { readonly code: ErrorCode; readonly message: string } };

export interface OnThreads<Job, Result> {
  /** The module of the thread: it answers each job with a ThreadAnswer. */
  readonly worker: URL;
  readonly jobs: readonly Job[];
  readonly signal: AbortSignal;
  readonly keep: (job: Job, result: Result) => void;
}

/**
 * Gives each job to a thread and its result to `keep`, in no certain order. Throws what a job
 * threw, or GodwitError `timed-out` where `signal` ended it; then no thread is left.
 */
export async function onThreads<Job, Result>(all: OnThreads<Job, Result>): Promise<void> {
  const { worker: module, jobs, signal, keep } = all;
  const threads = Math.max(1, Math.min(availableParallelism(), jobs.length));
  let next = 0;
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const work = async (): Promise<void> => {
    const worker = new Worker(module);
    try {
      for (let job = jobs[next]; job !== undefined; job = jobs[next]) {
        next += 1;
        keep(job, await answerOf<Job, Result>(worker, job, either));
      }
    } catch (error) {
      over.abort();
      throw error;
    } finally {
      await worker.terminate();
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: threads }, work));
  if (signal.aborted) throw new GodwitError('timed-out', 'bench: interrupted');
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

function answerOf<Job, Result>(worker: Worker, job: Job, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(new GodwitError('timed-out', 'bench: interrupted'));
    const failed = (error: unknown): void => {
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    worker.once('error', failed);
    worker.once('message', (answer: ThreadAnswer<Result>) => {
      worker.off('error', failed);
      signal.removeEventListener('abort', stop);
      if ('result' in answer) resolve(answer.result);
      else reject(new GodwitError(answer.error.code, answer.error.message));
    });
    worker.postMessage(job);
  });
}
