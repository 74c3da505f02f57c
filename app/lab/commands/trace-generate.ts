/** `godwit trace generate NAME OUT`: the workloads of the papers as traces, from a seed. */
import type { Command } from 'commander';
import { GENERATORS, generateTrace } from '../trace/generate/generators.ts';
import { traceText } from '../trace/write-trace.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { parseCountOrNone } from '../../cli/arguments.ts';
import { flag, type Cli } from '../../cli/cli.ts';
import { wordArgument } from '../../cli/fixed-values.ts';
import { formatCount, formatTable } from '../../cli/format.ts';
import { printable } from '../../cli/printable.ts';
import { saveTrace } from '../trace/cli/save-trace.ts';

const DEFAULT_SEED = 1;

interface GenerateFlags {
  readonly seed?: number;
  readonly replace?: boolean;
}

/**
 * Builds `godwit trace generate`, which writes the trace of a workload from a seed. Throws
 * GodwitError `usage` for a name that is no workload.
 */
export function traceGenerateCommand(cli: Cli): Command {
  const names = [...GENERATORS].map(([name, { about }]) => [name, about]);
  const command = cli
    .plain('generate', 'make the trace of a workload; the same seed gives the same bytes')
    .addHelpText('after', `\nWorkloads:\n${formatTable(names).join('\n')}`);
  wordArgument(command, '<name>', 'which workload', { words: [...GENERATORS.keys()] });
  command.argument('<out>', 'the new file');
  flag(
    command,
    '--seed <n>',
    `another chance (default: ${DEFAULT_SEED})`,
    undefined,
    parseCountOrNone,
  );
  flag(command, '--replace', 'replace what has the name of the new file');
  return cli.does<GenerateFlags>(command, async (context, flags, [name = '', out = '']) => {
    const { seed = DEFAULT_SEED, replace = false } = flags;
    const workload = generateTrace(name, seed);
    if (workload === null) {
      const known = [...GENERATORS.keys()].join(', ');
      throw new GodwitError('usage', `${printable(name)}: no workload; there are ${known}`);
    }
    const { groups, records } = workload;
    const header = { source: `${name}, seed ${seed}`, groups };
    await saveTrace(
      context,
      out,
      replace,
      traceText(() => header, records),
    );
    context.result({ file: out, name, seed, records: records.length, groups: groups.length }, [
      `${printable(out)}: ${formatCount(records.length, 'record')}`,
    ]);
  });
}
