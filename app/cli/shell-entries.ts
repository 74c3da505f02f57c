/** The commands as the scripts for shells need them (shell-scripts.ts): all is taken from the program itself, and kept nowhere else. */
import type { Argument, Command, Option } from 'commander';
import { fixedValues, type FixedValues } from './fixed-values.ts';
import { takesPath } from './paths/path-arguments.ts';

/** One command, or `godwit` itself. */
export interface Entry {
  /** The words of the command: empty for `godwit` itself, else such as `server invite`. */
  readonly words: string;
  readonly description: string;
  readonly children: readonly string[];
  readonly flags: readonly Flag[];
  readonly arguments: readonly TakenArgument[];
}

/** A flag by one of its names. */
export interface Flag {
  readonly name: string;
  /** What it takes: a path of a volume, a file of this machine, another value, or nothing. */
  readonly takes: Takes | null;
  /** The values that it has; none: any. */
  readonly values: readonly string[];
}

type Takes = 'path' | 'file' | 'other';

/** An argument, in its place. */
export interface TakenArgument {
  readonly takes: Takes;
  readonly isVariadic: boolean;
  readonly values: FixedValues;
}

/** Its values are files of this machine. */
const FILES = /[<[](dir|file|path)[>\]]/;
/** Arguments that are files of this machine, by their names. */
const FILE_ARGUMENTS: ReadonlySet<string> = new Set([
  ...['source', 'file', 'trace', 'in', 'out', 'dir', 'target', 'backup'],
]);

/** A command and all those in it, the outer ones first. */
export function entriesOf(command: Command, words = ''): Entry[] {
  const children = command.commands.filter((child) => !isHidden(child));
  const own: Entry = {
    words,
    description: command.description(),
    children: children.map((child) => child.name()),
    flags: command.options.filter(({ hidden }) => !hidden).flatMap(flagsOf),
    arguments: command.registeredArguments.map((argument) => ({
      takes: argumentTakes(argument),
      isVariadic: argument.variadic,
      values: fixedValues(argument),
    })),
  };
  const below = children.flatMap((child) =>
    entriesOf(child, words === '' ? child.name() : `${words} ${child.name()}`),
  );
  return [own, ...below];
}

const isHidden = (command: Command): boolean => (command as { _hidden?: boolean })._hidden === true;

function argumentTakes(argument: Argument): Takes {
  if (takesPath(argument)) return 'path';
  return FILE_ARGUMENTS.has(argument.name()) ? 'file' : 'other';
}

function flagsOf(option: Option): Flag[] {
  const takes = takesPath(option) ? 'path' : FILES.test(option.flags) ? 'file' : 'other';
  const { words } = fixedValues(option);
  return [option.short, option.long].flatMap((name) =>
    name ? [{ name, takes: option.required ? takes : null, values: words }] : [],
  );
}
