/**
 * Arguments and flags whose values are known: the words that they take. A parser of such words says so where it is made (`oneOf`), an argument where the
 * command names it; the scripts for shells offer them.
 */
import { Argument, type Command, type Option } from 'commander';
import { GodwitError } from '../../shared/wire/error-codes.ts';

/** The words of an argument; `after`: those that it takes where the argument before it is this one. */
export interface FixedValues {
  readonly words: readonly string[];
  readonly after?: Readonly<Record<string, readonly string[]>>;
}

type Parser = (text: string) => unknown;

const VALUES = new WeakMap<Argument | Option | Parser, FixedValues>();
const NONE: FixedValues = { words: [] };

/** Makes a parser that takes one of the choices and throws GodwitError `usage` for any other text. */
export function oneOf<T extends string>(...choices: readonly T[]): (text: string) => T {
  const parse = (text: string): T => {
    const found = choices.find((choice) => choice === text);
    if (found === undefined) {
      throw new GodwitError('usage', `${text}: one of ${choices.join(', ')} is wanted`);
    }
    return found;
  };
  VALUES.set(parse, { words: choices });
  return parse;
}

/** Adds an argument for which a shell offers these words. What it takes is judged by the command. */
export function wordArgument(
  command: Command,
  name: string,
  description: string,
  values: FixedValues,
): Command {
  const argument = new Argument(name, description);
  VALUES.set(argument, values);
  return command.addArgument(argument);
}

/** The values of a flag are those of the parser that reads it. */
export function valuesOfParser(option: Option, parse: Parser): void {
  const values = VALUES.get(parse);
  if (values !== undefined) VALUES.set(option, values);
}

/** What an argument or a flag takes; no words: anything. */
export function fixedValues(part: Argument | Option): FixedValues {
  return VALUES.get(part) ?? NONE;
}
