/**
 * The `godwit` command: the process around one command line. Signals and a reader that went away interrupt it; an error that no code caught is
 * printed in one line.
 */
import { constants } from 'node:os';
import { dropEmptyTwins } from './cli.ts';
import { about } from './errors.ts';
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

let unsaid: NodeJS.ErrnoException | null = null;
let exitCode: number | null = null;

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // `godwit ls | head`: the reader has enough.
    const isEnough = error.code === 'EPIPE';
    if (!isEnough && stream === process.stdout) unsaid ??= error;
    interruption.interrupt();
    if (!interruption.claimed) process.exit(isEnough ? EXIT.fine : endingOf(exitCode ?? EXIT.fine));
  });
}

/** What a full disk has not taken of the result was not said: that is no success. */
function endingOf(code: number): number {
  if (unsaid === null || code !== EXIT.fine) return code;
  return report(about('standard output', unsaid), [], io);
}

for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error: unknown) => {
    process.exit(report(error, args, io));
  });
}

dropEmptyTwins(process.env);
const code = (exitCode = await runCli(args, io, interruption));
const end = (): unknown => setImmediate(() => process.exit(endingOf(code)));
// The error of a write comes in a later turn of the event loop. A full disk refuses an empty write, too.
if (process.stdout.writableLength === 0) end();
else process.stdout.write('', end);
