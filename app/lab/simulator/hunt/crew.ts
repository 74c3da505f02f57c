/**
 * The workers of a hunt, one thread each. A worker that breaks, or that does not answer, is ended and another one takes its place;
 * its caller gets the failure.
 */
import { Worker } from 'node:worker_threads';
import { said } from './run-here.ts';
import type { Answer, Request, WorkerData } from './worker-messages.ts';

/** A run of the most steps takes minutes, shortening many of them; nothing honest takes this long. */
const PATIENCE_MS = { run: 10 * 60_000, examine: 60 * 60_000, sequences: 60 * 60_000 } as const;

/** Most of what a run makes is gone with the next event. Room for it, so that it is not copied before that. */
const YOUNG_GENERATION_MB = 96;

/** The worker did not come to an answer: what its run did is a finding. */
export class WorkerLost extends Error {}

/** Runs plans on a thread of its own, which it replaces if it breaks or does not answer in time. */
export class CrewMember {
  readonly #data: WorkerData;
  readonly #patience: Readonly<Record<Request['do'], number>>;
  #worker: Worker | null = null;

  constructor(data: WorkerData, patience: Readonly<Record<Request['do'], number>> = PATIENCE_MS) {
    this.#data = data;
    this.#patience = patience;
  }

  /** Rejects with WorkerLost. One question at a time. */
  async ask(request: Request): Promise<Answer> {
    const worker = (this.#worker ??= this.#begin());
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const lost = (why: string): void => reject(new WorkerLost(why));
    const patience = this.#patience[request.do];
    const timer = setTimeout(() => lost(`no end after ${patience / 60_000} minutes`), patience);
    const ended = (code: number): void => lost(`the worker ended with ${code}`);
    const failed = (error: unknown): void => lost(said(error));
    worker.once('message', resolve).once('error', failed).once('exit', ended);
    try {
      worker.postMessage(request);
      return await promise;
    } catch (error) {
      await this.end();
      throw error;
    } finally {
      clearTimeout(timer);
      worker.off('message', resolve).off('error', failed).off('exit', ended);
    }
  }

  #begin(): Worker {
    return new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: this.#data,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
  }

  async end(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }
}
