/** A thread that carries out simulated runs, one after the other, on request. */
import { parentPort } from 'node:worker_threads';
import { codedError } from '../../../cli/errors.ts';
import type { ReplayResult } from '../engine/replay-result.ts';
import type { ThreadAnswer } from './on-threads.ts';
import { runCell, type CellRun } from './run-cell.ts';

type CellAnswer = ThreadAnswer<ReplayResult>;

const signal = new AbortController().signal;

parentPort?.on('message', (run: CellRun) => {
  runCell(run, signal, () => undefined).then(
    (result) => parentPort?.postMessage({ result } satisfies CellAnswer),
    (thrown: unknown) => {
      const coded = codedError(thrown);
      // A bug of ours: the one that started us tells it as it is.
      if (coded === null) throw thrown;
      const { code, message } = coded;
      parentPort?.postMessage({ error: { code, message } } satisfies CellAnswer);
    },
  );
});
