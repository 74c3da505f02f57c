/**
 * `godwit sim`: runs random histories, and says what the checkers found. `--help` says how. Exit code 1 where there is a
 * finding, 2 for wrong usage.
 */
import { constants } from 'node:os';
import { parseArguments } from './hunt/arguments.ts';
import { hunt, replay, runOneSeed } from './hunt/commands.ts';
import type { Io } from './hunt/commands.ts';
import { everySequence } from './hunt/every-sequence.ts';
import { reasonOf } from './hunt/save-failure.ts';
import { UsageError } from './hunt/usage-error.ts';

const WRONG_USAGE = 2;
const TRY_AGAIN = 5;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export async function main(args: readonly string[], io: Io): Promise<number> {
  try {
    const asked = parseArguments(args);
    switch (asked.what) {
      case 'help':
        io.out.write(asked.text);
        return 0;
      case 'seed':
        return await runOneSeed(asked, io);
      case 'replay':
        return await replay(asked, io);
      case 'sequences':
        return await everySequence(asked, io);
      case 'hunt':
        return await hunt(asked, io);
    }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    // Known even where the arguments could not be understood.
    if (args.includes('--json')) io.out.write(`${JSON.stringify(error.object)}\n`);
    else io.err.write(`godwit: ${error.message}\n`);
    return WRONG_USAGE;
  }
}

/** The first signal is for the command, where it takes care of it; the next one ends the process. */
function interruption(): () => AbortSignal {
  const controller = new AbortController();
  let claimed = false;
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (!claimed || controller.signal.aborted) process.exit(128 + constants.signals[signal]);
      controller.abort();
    });
  }
  return () => {
    claimed = true;
    return controller.signal;
  };
}

if (import.meta.main) {
  const io: Io = { out: process.stdout, err: process.stderr, interruption: interruption() };
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // `godwit sim | head`: whoever read has enough.
    if (error.code === 'EPIPE') process.exit(0);
    // What a full disk has not taken of the result was not said: that is no success.
    const { message } = new UsageError('standard output', reasonOf(error), 'write it elsewhere');
    io.err.write(`godwit: ${message}\n`);
    process.exit(TRY_AGAIN);
  });
  process.exitCode = await main(process.argv.slice(2), io);
}
