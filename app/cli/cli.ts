/**
 * Commands and their flags: what all of them have, and the environment twin that each flag has
 * (`--timeout` is `GODWIT_TIMEOUT`; those of `godwit server` begin with `GODWIT_SERVER_`, so that the data folder of
 * a daemon is never taken for a server's).
 */
import { Command, Option } from 'commander';
import { Context, type CommonOptions, type FindsDaemon, type Io } from './context.ts';
import { EXIT } from './exit-codes.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { valuesOfParser } from './fixed-values.ts';
import type { Interruption } from './interruption.ts';
import { diskPath, realOf, workingDirectory } from './paths/disk-path.ts';
import { askedPaths, type AskedPath } from './paths/path-arguments.ts';
import type { GivenPath } from './paths/resolve-path.ts';

/** The work of a command. It resolves to the exit code; without one, that is 0. `paths`: its arguments that are paths, in their order. */
export type Work<O> = (
  context: Context,
  options: O & CommonOptions,
  args: string[],
  paths: readonly GivenPath[],
) => Promise<number | void>;

const FINDS = new WeakMap<Command, FindsDaemon>();

/** Before the names of the environment's twins of flags. */
export const DAEMON_PREFIX = 'GODWIT_';
export const SERVER_PREFIX = 'GODWIT_SERVER_';

/** Builds the commands of one run, calls what they do, and keeps the exit code that came of it. */
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

  /** A command whose `--json` may also name a file: then it prints for people as well. */
  withReport(name: string, description: string): Command {
    const command = new Command(name).description(description);
    flag(command, '--json [file]', 'print one JSON object, or write it to a file');
    return speaks(command, DAEMON_PREFIX);
  }

  /** A command that talks to a daemon. `finds`: to which one without --data. */
  withData(name: string, description: string, finds: FindsDaemon = 'running'): Command {
    const command = this.plain(name, description);
    FINDS.set(command, finds);
    return flag(command, '--data <dir>', 'data folder of the daemon');
  }

  /** Makes a command of one that does nothing by itself: it throws GodwitError `usage`, which lists those in it. */
  holds(command: Command): Command {
    return command.allowExcessArguments().action(() => {
      throw notTaken(command, command.args);
    });
  }

  /** Sets the work of a command. Throws GodwitError `usage` for an empty argument. */
  does<O = object>(command: Command, work: Work<O>): Command {
    // Those too many are judged below: the name of a subcommand may be wrong.
    return command.allowExcessArguments().action(async () => {
      for (let at: Command | null = command; at !== null; at = at.parent) heedTwins(at);
      // What a variable without a value leaves over names no file, and not all of them.
      if (command.args.includes('')) {
        throw new GodwitError('usage', `${wordsOf(command)}: an argument is empty`);
      }
      const extra = command.args.length - command.registeredArguments.length;
      const isVariadic = command.registeredArguments.at(-1)?.variadic === true;
      if (extra > 0 && !isVariadic) throw notTaken(command, command.args.slice(-extra));
      const options = optionsOf<O & CommonOptions>(command);
      const asked = askedPaths(command, optionsOf(command));
      const near = placesNear(asked);
      const context = new Context(this.io, this.interruption, options, near, FINDS.get(command));
      const began = Date.now();
      try {
        this.exitCode = (await workOn(context, options, command.args, asked, work)) ?? EXIT.fine;
      } finally {
        context.close();
        // Not the arguments: an invitation is one.
        context.trace('command ended', { command: command.name(), ms: Date.now() - began });
      }
    });
  }
}

/** Where a person is: at the paths of the command, then in the working directory. */
function placesNear(asked: readonly AskedPath[]): string[] {
  const cwd = workingDirectory();
  const disk = asked.map(({ text }) => diskPath(text, cwd));
  return [...disk, cwd === null ? null : realOf(cwd)].filter((path) => path !== null);
}

/** What a command has to do with paths is loaded where it is given some. */
async function workOn<O>(
  context: Context,
  options: O & CommonOptions & { volume?: string },
  args: string[],
  asked: readonly AskedPath[],
  work: Work<O>,
): Promise<number | void> {
  if (asked.length === 0) return work(context, options, args, []);
  const { givenPaths } = await import('./paths/given-paths.ts');
  const given = await givenPaths(context, asked, options.volume);
  const named: Record<string, unknown> = { volume: given.volume };
  for (const [index, { option }] of asked.entries()) {
    if (option !== null) named[option] = given.paths[index];
  }
  const paths = given.paths.filter((_, index) => asked[index]?.option === null);
  try {
    return await work(context, { ...options, ...named }, args, paths);
  } catch (error) {
    throw await given.explain(error);
  }
}

/** The help of `--metrics`, which two commands have. */
export const METRICS_HELP = 'serve metrics over HTTP on this port of 127.0.0.1; 0: any free one';

/** The help of `--scheduling`, which two commands have. */
export const SCHEDULING_HELP =
  'priorities (as usual), or uniform: no class goes before another, for experiments';

function speaks(command: Command, prefix: string): Command {
  flag(command, '-q, --quiet', 'say nothing but errors', prefix);
  return flag(command, '-v, --verbose', 'write what happens to the log of the command', prefix);
}

/** `network set`: as it is called. */
function wordsOf(command: Command): string {
  const above = command.parent;
  return above?.parent ? `${wordsOf(above)} ${command.name()}` : command.name();
}

/** The options of a command and of those above it. What was typed counts more than the environment, and the inner command more. */
function optionsOf<O>(command: Command): O {
  const commands = [command];
  for (let at = command.parent; at !== null; at = at.parent) commands.unshift(at);
  const of = (isTyped: boolean): object[] =>
    commands.map((each) =>
      Object.fromEntries(
        Object.entries(each.opts()).filter(
          ([name]) => (each.getOptionValueSource(name) === 'cli') === isTyped,
        ),
      ),
    );
  return Object.assign({}, ...of(false), ...of(true)) as O;
}

/** The error for words that a command does not take: a subcommand that does not exist or is missing, or an argument too many. */
function notTaken(command: Command, [first]: readonly string[]): GodwitError {
  const words = wordsOf(command);
  const names = command.commands.map((each) => each.name()).join(', ');
  const remedy = `see \`godwit ${words} --help\``;
  const reason =
    names === ''
      ? `${words}: the argument '${first}' is one too many`
      : first === undefined
        ? `${words}: name one of its commands: ${names}`
        : `${words}: there is no command '${first}'; there are ${names}`;
  return new GodwitError('usage', reason, remedy);
}

/** Adds a flag with its environment twin. An error of its value names the flag. */
export function flag(
  command: Command,
  flags: string,
  description: string,
  prefix = DAEMON_PREFIX,
  parse: (text: string) => unknown = (text) => text,
): Command {
  const option = new Option(flags, description);
  option.env(prefix + option.name().toUpperCase().replaceAll('-', '_'));
  if (!option.isBoolean()) option.argParser((text) => valueOf(`--${option.name()}`, text, parse));
  valuesOfParser(option, parse);
  return command.addOption(option);
}

function valueOf(name: string, text: string, parse: (text: string) => unknown): unknown {
  if (text === '') throw new GodwitError('usage', `${name}: its value is empty`);
  try {
    return parse(text);
  } catch (error) {
    const isPlain = error instanceof GodwitError && error.message.startsWith(`${text}: `);
    throw isPlain ? new GodwitError(error.code, `${name} ${error.message}`, error.remedy) : error;
  }
}

const YES = /^(1|true|yes|on)$/i;
const NO = /^(0|false|no|off)$/i;

/** Removes our variables without a value: these count as not set. */
export function dropEmptyTwins(env: NodeJS.ProcessEnv): void {
  for (const [name, value] of Object.entries(env)) {
    if (name.startsWith(DAEMON_PREFIX) && value === '') delete env[name];
  }
}

/** Whether a flag that takes no value is set by its twin; before it is known that it is one of its words. */
export function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '' && !NO.test(value);
}

/** `GODWIT_JSON=0` means no: commander takes any value for a yes. */
function heedTwins(command: Command): void {
  for (const option of command.options) {
    const name = option.attributeName();
    const { envVar, required } = option;
    const isTwin = command.getOptionValueSource(name) === 'env';
    if (envVar === undefined || required || !isTwin) continue;
    const value = process.env[envVar] ?? '';
    if (NO.test(value)) command.setOptionValue(name, undefined);
    else if (YES.test(value)) command.setOptionValue(name, true);
    else if (option.isBoolean()) {
      throw new GodwitError('usage', `${envVar}=${value}: one of 1, yes, 0, no is wanted`);
    }
  }
}
