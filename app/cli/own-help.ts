/** The remedy of a usage error: the help of the command that was typed, and not that of all. */
import type { Command } from 'commander';
import { GodwitError } from '../../shared/wire/error-codes.ts';

const OF_ALL = new GodwitError('usage').remedy;

/** The same error, with the help of its command as its remedy where it has none of its own. `args`: the whole command line. */
export function withOwnHelp(
  error: GodwitError,
  program: Command,
  args: readonly string[],
): GodwitError {
  if (error.code !== 'usage' || error.remedy !== OF_ALL) return error;
  const words = wordsOf(program, args);
  if (words.length === 0) return error;
  return new GodwitError(error.code, error.message, `see \`godwit ${words.join(' ')} --help\``);
}

/** The names of the command that was typed, from the outer one on. Empty: it is none. */
function wordsOf(program: Command, args: readonly string[]): string[] {
  const words: string[] = [];
  let at = program;
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index] ?? '';
    if (word === '--') break;
    if (word.startsWith('-')) {
      const option = at.options.find(({ short, long }) => word === short || word === long);
      if (option?.required === true) index += 1;
      continue;
    }
    const inner = at.commands.find((each) => each.name() === word);
    if (inner === undefined) break;
    words.push(word);
    at = inner;
  }
  return words;
}

const UNKNOWN = /^unknown command '([^']*)'/;
/** More are no help. */
const MOST_NAMED = 4;

/** The same error; that of an unknown command names those inside of others that are called so: `devices` is `server devices`. */
export function namingInner(error: GodwitError, program: Command): GodwitError {
  const word = UNKNOWN.exec(error.message)?.[1];
  if (error.code !== 'usage' || word === undefined) return error;
  const named = innerNamed(program, word, '').slice(0, MOST_NAMED);
  if (named.length === 0) return error;
  const which = named.length === 1 ? named[0] : `one of ${named.join(', ')}`;
  const remedy = named.length === 1 ? `see \`godwit ${which} --help\`` : error.remedy;
  return new GodwitError('usage', `unknown command '${word}' (did you mean ${which}?)`, remedy);
}

function innerNamed(command: Command, word: string, above: string): string[] {
  return command.commands.flatMap((each) => {
    const name = `${above}${each.name()}`;
    return [...(each.name() === word ? [name] : []), ...innerNamed(each, word, `${name} `)];
  });
}
