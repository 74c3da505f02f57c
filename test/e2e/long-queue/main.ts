/**
 * `npm run long-queue -- [--files 50000] [--seconds 20]`: a daemon whose server is away, with two updates queued for each file, and the window over it. Prints
 * how long others wait while the queue is asked for, what it costs to be watched, and what the window takes: time for a frame, and memory.
 *
 * Needs what the tests of the tray need (CONTRIBUTING.md). Some minutes: most of it is making the files and taking them in.
 */
import { countOf, flagsOf } from '../../support/flags.ts';
import { findElectron, missingForElectron } from '../../support/running-tray.ts';
import { lookAtQueue } from './look-at-queue.ts';
import { lookAtWindow } from './look-at-window.ts';
import { QueueBench } from './queue-bench.ts';

const tell = (line: string): void => void process.stdout.write(`${line}\n`);

const values = flagsOf('npm run long-queue', {
  files: { type: 'string', default: '50000' },
  seconds: { type: 'string', default: '20' },
});
const files = countOf('files', values.files);
const seconds = countOf('seconds', values.seconds);
const missing = missingForElectron();

const bench = new QueueBench(seconds);
try {
  await bench.begin(files);
  const { queues } = await bench.status(bench.data);
  tell(`queued: ${queues.metadata.updates} of metadata, ${queues.data.updates} stores`);
  await lookAtQueue(bench, tell);
  tell(`the window: ${missing ?? findElectron()}`);
  if (missing === null) await lookAtWindow(bench, tell);
} finally {
  await bench.close();
}
