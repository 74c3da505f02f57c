/** A trace that a person names: the flags by which it is read, and a summary of its parts in words. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { openTrace, type OpenedTrace, type TraceAccount } from '../open-trace.ts';
import { DEFAULT_MAX_FILE_BYTES, MAX_CLIENT_LENGTH } from '../trace-limits.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { parseBytes } from '../../../cli/arguments.ts';
import { flag } from '../../../cli/cli.ts';
import { about } from '../../../cli/errors.ts';
import { formatCount } from '../../../cli/format.ts';
import { printable } from '../../../cli/printable.ts';

export interface ReadFlags {
  readonly maxFile?: number | 'none';
  readonly skipBad?: boolean;
  readonly cwd?: string;
  readonly machine?: string;
}

/** Adds the flags by which a trace is read to a command. */
export function withReadFlags(command: Command): Command {
  const most = 'accesses to larger files are dropped: 10MB, or none (default: 4MiB)';
  flag(command, '--max-file <size>', most, undefined, parseMaxFile);
  flag(command, '--skip-bad', 'leave out bad lines, and count them');
  const machine = 'of records that name none: the machine on which it was recorded';
  flag(command, '--machine <name>', machine, undefined, parseMachine);
  flag(command, '--cwd <dir>', 'of strace: the folder in which it was started (default: /)');
  return command;
}

function parseMachine(text: string): string {
  const isName = text !== '' && text.length <= MAX_CLIENT_LENGTH && text.isWellFormed();
  if (isName) return text;
  throw new GodwitError('usage', `machine: a name of 1 to ${MAX_CLIENT_LENGTH} characters`);
}

function parseMaxFile(text: string): number | 'none' {
  return text === 'none' ? text : parseBytes(text);
}

/** Opens a trace as the flags say. Throws an error that names the file. */
export async function opened(file: string, flags: ReadFlags): Promise<OpenedTrace> {
  const { maxFile = DEFAULT_MAX_FILE_BYTES, skipBad = false, cwd = '/', machine } = flags;
  const maxFileBytes = maxFile === 'none' ? null : maxFile;
  try {
    return await openTrace(file, {
      ...{ maxFileBytes, skipBad, cwd: resolve('/', cwd) },
      ...(machine === undefined ? {} : { client: machine }),
    });
  } catch (error) {
    throw about(file, error);
  }
}

/** Counts the records that were left out of a trace, for `--json`. */
export const partsOf = ({ dropped, noFiles, bad }: TraceAccount) => ({
  dropped,
  noFiles,
  skipped: bad.count,
});

/** Writes what was left out of a trace, for people; no lines if nothing was. */
export function accountLines({ dropped, noFiles, bad }: TraceAccount): string[] {
  const lines: string[] = [];
  if (dropped > 0) {
    const what = formatCount(dropped, 'operation');
    lines.push(`${what} on larger files dropped; --max-file none takes all`);
  }
  if (noFiles > 0) lines.push(`${formatCount(noFiles, 'row')} of something else left out`);
  if (bad.count === 0) return lines;
  const first = bad.first.map(({ line, expected }) => `  line ${line}: ${printable(expected)}`);
  return [...lines, `${formatCount(bad.count, 'bad line')} left out, such as`, ...first];
}
