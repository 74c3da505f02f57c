/** The flags of the programs among the tests (`npm run checkouts` and its like): `--help` lists them, and a wrong one is reported in one line. */
import { parseArgs, type ParseArgsConfig } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;
type Values<O extends Options> = ReturnType<typeof parseArgs<{ readonly options: O }>>['values'];

const USAGE = 2;

/** Parses the flags of `command`. Ends the process after `--help` or a wrong flag. */
export function flagsOf<const O extends Options>(command: string, options: O): Values<O> {
  const asked = process.argv.slice(2);
  if (asked.includes('--help') || asked.includes('-h')) {
    process.stdout.write(`${usageOf(command, options)}\n`);
    process.exit(0);
  }
  try {
    return parseArgs({ args: asked, options }).values;
  } catch (error) {
    const [what] = (error as Error).message.split('. ');
    return wrongFlag(`${what}; ${usageOf(command, options)}`);
  }
}

/** Reports a wrong flag and ends the process. */
export function wrongFlag(why: string): never {
  process.stderr.write(`${why}\n`);
  process.exit(USAGE);
}

/** Parses a whole number from 1 on. */
export function countOf(name: string, text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  return wrongFlag(`--${name} ${text}: give a whole number from 1 on`);
}

/** The usage line of a command. */
export function usageOf(command: string, options: Options): string {
  const flags = Object.entries(options).map(([name, { type, default: usual }]) => {
    if (type === 'boolean') return `[--${name}]`;
    const shown = typeof usual === 'string' && usual !== '' ? usual : '...';
    return `[--${name} ${shown}]`;
  });
  return [`${command} --`, ...flags].join(' ');
}
