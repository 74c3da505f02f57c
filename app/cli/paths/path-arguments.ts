/**
 * Arguments and flags of commands that name a file of a volume. A command says so where it names them, and gets them resolved
 * (resolve-path.ts); the scripts for shells complete them as files.
 */
import { Argument, type Command, type Option } from 'commander';

/**
 * What must be at a path for it to be the one that is meant:
 *   there   a file or folder
 *   queued  the same, or a change of it that waits to be sent: a removal, say
 *   past    the same, or it was there once
 *   new     the folder that it is to be in
 */
export type PathKind = 'there' | 'queued' | 'past' | 'new';

interface PathMark {
  readonly kind: PathKind;
  /** What is no path: a number in a list. */
  readonly except: RegExp | null;
}

const MARKS = new WeakMap<Argument | Option, PathMark>();

/** Adds an argument: `<path>`, `[path]` or `<paths...>`. */
export function pathArgument(
  command: Command,
  name: string,
  description: string,
  { kind = 'there', except = null }: Partial<PathMark> = {},
): Command {
  const argument = new Argument(name, description);
  MARKS.set(argument, { kind, except });
  return command.addArgument(argument);
}

/** The flag that was added last has a path as its value: the command gets a `GivenPath` in its options. */
export function flagTakesPath(command: Command, kind: PathKind): Command {
  const option = command.options.at(-1);
  if (option !== undefined) MARKS.set(option, { kind, except: null });
  return command;
}

export function takesPath(part: Argument | Option): boolean {
  return MARKS.has(part);
}

export interface AskedPath {
  readonly text: string;
  readonly kind: PathKind;
  /** The flag's name in the options; null: it is an argument. */
  readonly option: string | null;
}

/** What was given for them, arguments in their order first. */
export function askedPaths(
  command: Command,
  options: Readonly<Record<string, unknown>>,
): AskedPath[] {
  const asked: AskedPath[] = [];
  for (const [index, argument] of command.registeredArguments.entries()) {
    const mark = MARKS.get(argument);
    if (mark === undefined) continue;
    const texts = argument.variadic
      ? command.args.slice(index)
      : command.args.slice(index, index + 1);
    for (const text of texts) {
      if (mark.except?.test(text) !== true) asked.push({ text, kind: mark.kind, option: null });
    }
  }
  for (const part of command.options) {
    const mark = MARKS.get(part);
    const text = options[part.attributeName()];
    if (mark === undefined || typeof text !== 'string') continue;
    asked.push({ text, kind: mark.kind, option: part.attributeName() });
  }
  return asked;
}
