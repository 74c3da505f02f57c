/** A thread that carries out runs of cache studies, one after the other, on request. */
import { parentPort } from 'node:worker_threads';
import type { ThreadAnswer } from '../../replay/real/on-threads.ts';
import { STUDIES } from './studies.ts';

/** A run of the study of that name. */
export interface StudyJob {
  readonly study: string;
  readonly cell: unknown;
}

parentPort?.on('message', ({ study, cell }: StudyJob) => {
  const found = STUDIES.find(({ name }) => name === study);
  if (found === undefined) throw new RangeError(`there is no study ${study}`);
  parentPort?.postMessage({ result: found.run(cell) } satisfies ThreadAnswer<unknown>);
});
