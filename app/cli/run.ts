/**
 * Runs one command line: from arguments to an exit code, with every error said in one line (or, with `--json`, in
 * one object on stdout). Nothing thrown gets past here, and no stack trace reaches a person.
 */
import { CommanderError, type Command } from 'commander';
import { Cli, isSet } from './cli.ts';
import type { Io } from './context.ts';
import { codedError, errorLine, errorObject, ErrorWithExit } from './errors.ts';
import { EXIT, exitCodeOf } from './exit-codes.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import type { Interruption } from './interruption.ts';
import { namingInner, withOwnHelp } from './own-help.ts';
import { keepTrace } from './trace-file.ts';
import { buildProgram } from './program.ts';

/** Runs one command line and returns its exit code. It prints every error and never throws. */
export async function runCli(
  args: readonly string[],
  io: Io,
  interruption: Interruption,
): Promise<number> {
  const cli = new Cli(io, interruption);
  let program: Command | null = null;
  try {
    program = await buildProgram(cli, args);
    quieten(program, io);
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync(args, { from: 'user' });
    return cli.exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.fine;
    return report(explained(error, program, args), args, io);
  }
}

/** The same error as a usage error of the command that was typed, where it is one. */
function explained(error: unknown, program: Command | null, args: readonly string[]): unknown {
  const coded = codedError(isHelp(error) ? noCommand(args) : error);
  if (coded === null || coded instanceof ErrorWithExit || program === null) return error;
  return withOwnHelp(namingInner(coded, program), program, args);
}

/** Commander would show the help of all, as an error. */
const isHelp = (error: unknown): boolean =>
  error instanceof CommanderError && error.code === 'commander.help';

function noCommand(args: readonly string[]): GodwitError {
  const words = args.filter((word) => !word.startsWith('-'));
  const [last] = words.slice(words.indexOf('help') + 1).slice(-1);
  const isUnknown = words.includes('help') && last !== undefined;
  return new GodwitError('usage', isUnknown ? `unknown command '${last}'` : 'a command is missing');
}

/** Commander throws instead of ending the process, and leaves saying what is wrong to us. */
function quieten(command: Command, io: Io): void {
  command.exitOverride().configureOutput({
    writeOut: (text) => io.stdout.write(text),
    writeErr: () => undefined,
    getOutHelpWidth: () => io.stdout.columns ?? 100,
  });
  for (const child of command.commands) quieten(child, io);
}

/** Says why the command failed, and gives its exit code. */
export function report(error: unknown, args: readonly string[], io: Io): number {
  const coded = codedError(error) ?? keepTrace(error);
  if (wantsJson(args)) io.stdout.write(`${JSON.stringify(errorObject(coded))}\n`);
  else io.stderr.write(`${errorLine(coded)}\n`);
  return coded instanceof ErrorWithExit ? coded.exit : exitCodeOf(coded.code);
}

/** Known even where the arguments could not be understood. */
function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  const flags = end < 0 ? args : args.slice(0, end);
  return (
    // Also `--json=FILE`, of a command that writes its object there.
    flags.some((word) => word === '--json' || word.startsWith('--json=')) ||
    isSet(process.env['GODWIT_JSON']) ||
    isSet(process.env['GODWIT_SERVER_JSON'])
  );
}
