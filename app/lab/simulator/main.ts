/**
 * `godwit sim`: runs random histories, and says what the checkers found. `--help` says how. Exit code 1 where there is a
 * finding, 2 for wrong usage.
 */
import { parseArguments } from './hunt/arguments.ts';
import { hunt, replay, runOneSeed } from './hunt/commands.ts';
import type { Io } from './hunt/commands.ts';
import { everySequence } from './hunt/every-sequence.ts';
import { UsageError } from './hunt/usage-error.ts';

const WRONG_USAGE = 2;

/** Runs `godwit sim` with these arguments, and gives its exit code. */
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
