/** A worker of a hunt: runs one seed after the other, or one sequence after the other, in a thread of its own. */
import { parentPort, workerData } from 'node:worker_threads';
import { present } from '../../../../shared/util/assert.ts';
import { ALL_FAULTS } from '../fault/faults.ts';
import { runSequences } from '../run/run-sequences.ts';
import { SequenceSlices } from '../workload/sequence-slices.ts';
import { examine } from '../shorten/failure.ts';
import { planOf } from '../simulation.ts';
import type { Plan } from '../plan/plan.ts';
import { folderPlanOf, runFolderHere, shortenFolder } from './folder-world.ts';
import { runHere } from './run-here.ts';
import type { Answer, Request, WorkerData } from './worker-messages.ts';

const { steps, faults, world } = workerData as WorkerData;
const port = present(parentPort, 'a worker has a parent');

const planFor = (seed: number): Plan =>
  planOf({
    seed,
    faults: ALL_FAULTS.filter(({ name }) => faults.includes(name)),
    ...(steps === null ? {} : { steps }),
  });

type OfSeed = Extract<Request, { readonly seed: number }>;

const slices = new SequenceSlices();

async function answer(request: Request): Promise<Answer> {
  if (request.do === 'sequences') {
    const { depth, from, count } = request;
    const report = await runSequences(slices.of(depth, from, count), { run: runHere });
    return { did: 'sequences', report };
  }
  if (world === 'folder') return answerInFolder(request);
  const plan = planFor(request.seed);
  const report = await runHere(plan);
  if (request.do === 'run') return { did: 'run', report };
  const patience = patienceOf(request);
  return { did: 'examine', failure: await examine(plan, report, runHere, patience) };
}

async function answerInFolder(request: OfSeed): Promise<Answer> {
  const named = ALL_FAULTS.filter(({ name }) => faults.includes(name));
  const plan = folderPlanOf({ seed: request.seed, steps, faults: named });
  const report = await runFolderHere(plan);
  if (request.do === 'run') return { did: 'run', report };
  return { did: 'examine', failure: await shortenFolder(plan, report, patienceOf(request)) };
}

function patienceOf({ mostRuns, until }: Extract<Request, { readonly do: 'examine' }>) {
  return { mostRuns, enough: (): boolean => until !== null && Date.now() >= until };
}

port.on('message', (request: Request) => {
  // One at a time: the next one is asked for when this is answered.
  void answer(request).then((said) => port.postMessage(said));
});
