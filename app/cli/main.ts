/**
 * The `godwit` command: the process around one command line. Signals and a reader that went away interrupt it;
 * whatever nobody caught is said in one line.
 */
import { constants } from 'node:os';
import { dropEmptyTwins } from './cli.ts';
import { EXIT } from './exit-codes.ts';
import { Interruption } from './interruption.ts';
import { report, runCli } from './run.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const args = process.argv.slice(2);
const io = { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr };
const interruption = new Interruption();

for (const signal of SIGNALS) {
  process.on(signal, () => {
    if (!interruption.interrupt()) process.exit(128 + constants.signals[signal]);
  });
}

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // `godwit ls | head`: whoever read has enough.
    interruption.interrupt();
    if (!interruption.claimed) process.exit(error.code === 'EPIPE' ? EXIT.fine : EXIT.failed);
  });
}

for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error: unknown) => {
    process.exit(report(error, args, io));
  });
}

dropEmptyTwins(process.env);
const exitCode = await runCli(args, io, interruption);
process.stdout.write('', () => process.exit(exitCode));
