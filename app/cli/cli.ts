/**
 * Commands and their flags: what all of them have, and the environment twin that each flag has
 * (`--timeout` is `GODWIT_TIMEOUT`; those of `godwit server` begin with `GODWIT_SERVER_`, so that the data folder of
 * a daemon is never taken for a server's).
 */
import { Command, Option } from 'commander';
import { Context, type CommonOptions, type Io } from './context.ts';
import { EXIT } from './exit-codes.ts';
import type { Interruption } from './interruption.ts';

/** A command's work. It resolves to the exit code, nothing being fine. */
export type Work<O> = (
  context: Context,
  options: O & CommonOptions,
  args: string[],
) => Promise<number | void>;

const DAEMON_PREFIX = 'GODWIT_';
export const SERVER_PREFIX = 'GODWIT_SERVER_';

export class Cli {
  exitCode: number = EXIT.fine;
  readonly io: Io;
  readonly interruption: Interruption;

  constructor(io: Io, interruption: Interruption) {
    this.io = io;
    this.interruption = interruption;
  }

  /** A command without a data folder. */
  plain(name: string, description: string, prefix = DAEMON_PREFIX): Command {
    const command = new Command(name).description(description);
    flag(command, '--json', 'print one JSON object', prefix);
    return speaks(command, prefix);
  }

  /** One that may write its object to a file, and say it in words all the same. */
  withReport(name: string, description: string): Command {
    const command = new Command(name).description(description);
    flag(command, '--json [file]', 'print one JSON object, or write it to a file');
    return speaks(command, DAEMON_PREFIX);
  }

  /** A command that talks to a daemon. */
  withData(name: string, description: string): Command {
    const command = this.plain(name, description);
    return flag(command, '--data <dir>', 'data folder of the daemon');
  }

  /** Says what the command does when it is called. */
  does<O = object>(command: Command, work: Work<O>): Command {
    return command.action(async () => {
      const options = command.optsWithGlobals<O & CommonOptions>();
      const context = new Context(this.io, this.interruption, options);
      const began = Date.now();
      try {
        this.exitCode = (await work(context, options, command.args)) ?? EXIT.fine;
      } finally {
        context.close();
        // Not the arguments: an invitation is one.
        context.trace('command ended', { command: command.name(), ms: Date.now() - began });
      }
    });
  }
}

/** Of `--metrics`, which two commands have. */
export const METRICS_HELP = 'serve metrics over HTTP on this port of 127.0.0.1; 0: any free one';

/** Of `--scheduling`, likewise. */
export const SCHEDULING_HELP =
  'priorities (as usual), or uniform: no class goes before another, for experiments';

function speaks(command: Command, prefix: string): Command {
  flag(command, '-q, --quiet', 'say nothing but errors', prefix);
  return flag(command, '-v, --verbose', 'write what happens to the log of the command', prefix);
}

/** Adds a flag with its environment twin. */
export function flag(
  command: Command,
  flags: string,
  description: string,
  prefix = DAEMON_PREFIX,
  parse?: (text: string) => unknown,
): Command {
  const option = new Option(flags, description);
  option.env(prefix + option.name().toUpperCase().replaceAll('-', '_'));
  if (parse !== undefined) option.argParser(parse);
  return command.addOption(option);
}

/** `GODWIT_JSON=0` means no: commander takes any value, the empty one included, for a yes. */
export function dropFalseTwins(env: NodeJS.ProcessEnv): void {
  for (const [name, value] of Object.entries(env)) {
    if (name.startsWith(DAEMON_PREFIX) && /^(0|false|no|)$/i.test(value ?? '')) delete env[name];
  }
}
