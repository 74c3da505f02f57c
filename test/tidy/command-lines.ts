/** Command lines of `godwit` in documents, held against the commands that there are. */
import type { Command, Option } from 'commander';
import { codeSpans, linesOf, textsOf } from './markdown.ts';
import type { SourceFile } from './repository.ts';

export interface CommandLine {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

const PROGRAM = /^(?:\S*\/)?godwit(?:\.mjs)?$/;

/** What may stand before it: whose it runs as, where, and with which environment. */
const BEFORE = /^(?:(?:sudo(?: -u \S+)?|chrt -r \d+|ssh \S+|npx|node|nice|\$|[A-Z_]+=\S*) )+/;

/** Of code blocks of a shell, and of code in text that begins with `godwit`. */
export function commandLines({ path, text }: SourceFile): readonly CommandLine[] {
  const shell = linesOf(text).filter(({ kind, language }) => kind === 'code' && language === 'sh');
  const inline = textsOf(text).flatMap((block) =>
    codeSpans(block.text)
      .filter((span) => /^godwit [a-z-]/.test(span))
      .map((span) => ({ number: block.number, text: span })),
  );
  return [...shell, ...inline].flatMap(({ number, text: line }) =>
    line
      .replace(/(?:^|\s)#\s.*$/, '')
      .split(/\s(?:\||&&|;)\s/)
      .map((each) => ({ path, line: number, text: each.trim() }))
      .filter(({ text: command }) => argumentsIn(command) !== null),
  );
}

/** What follows `godwit`; null: another program. */
export function argumentsIn(line: string): readonly string[] | null {
  const words = line.replace(BEFORE, '').match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
  const [first = '', ...rest] = words.map((word) => word.replace(/^["']|["']$/g, ''));
  if (!PROGRAM.test(first)) return null;
  const end = rest.findIndex((word) => ['<', '>', '&', '|'].includes(word));
  return end < 0 ? rest : rest.slice(0, end);
}

/** What is wrong with it; null: nothing. */
export function fault(program: Command, args: readonly string[]): string | null {
  let command = program;
  let values = 0;
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? '';
    if (word.startsWith('-') && word !== '-') {
      const [name = '', value] = word.split('=', 2);
      if (name === '--help' || (name === '--version' && command === program)) return null;
      const option = optionOf(command, name);
      if (option === null) return `${wordsOf(command)} has no ${name}`;
      const next = args[at + 1];
      if (value !== undefined || option.isBoolean()) continue;
      if (option.required && next === undefined) {
        return `${wordsOf(command)} ${name} needs a value`;
      }
      if (next !== undefined && (option.required || !next.startsWith('-'))) at += 1;
      continue;
    }
    const inner = values > 0 ? undefined : command.commands.find((each) => each.name() === word);
    if (inner !== undefined) command = inner;
    else if (word === 'help' && command === program) return null;
    else if (command === program) return `there is no command ${word}`;
    else values += 1;
  }
  return wrongCount(command, values);
}

function wrongCount(command: Command, values: number): string | null {
  const expected = command.registeredArguments;
  const needed = expected.filter((argument) => argument.required).length;
  const isOpen = expected.some((argument) => argument.variadic);
  if (values > expected.length && !isOpen)
    return `${wordsOf(command)} takes ${expected.length} arguments`;
  // Its name alone is how a text speaks of a command.
  return values > 0 && values < needed ? `${wordsOf(command)} needs ${needed} arguments` : null;
}

function optionOf(command: Command, name: string): Option | null {
  for (let at: Command | null = command; at !== null; at = at.parent) {
    const found = at.options.find(({ short, long }) => short === name || long === name);
    if (found !== undefined) return found;
  }
  return null;
}

function wordsOf(command: Command): string {
  return command.parent === null ? command.name() : `${wordsOf(command.parent)} ${command.name()}`;
}
