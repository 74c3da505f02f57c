/** `godwit trace`: traces of file accesses. `info` says what is in one, `convert` writes it in Godwit's own form. */
import type { Command } from 'commander';
import { FORMAT_NAMES, type OpenedTrace } from '../trace/open-trace.ts';
import { StatisticsCollector, type TraceStatistics } from '../trace/statistics.ts';
import { traceText } from '../trace/write-trace.ts';
import { flag, type Cli } from '../../cli/cli.ts';
import { formatCount } from '../../cli/format.ts';
import { sizeText } from '../../../shared/util/amounts.ts';
import { printable } from '../../cli/printable.ts';
import { saveTrace } from '../trace/cli/save-trace.ts';
import {
  accountLines,
  opened,
  partsOf,
  withReadFlags,
  type ReadFlags,
} from '../trace/cli/trace-input.ts';
import { traceGenerateCommand } from './trace-generate.ts';
import { traceRecordCommand } from './trace-record.ts';

const FORMATS = `
Traces are read in three formats: Godwit's own, CSV exports of Process Monitor, and the output of
strace -f -ttt -e trace=file,desc -o FILE COMMAND
Bad lines end the command, or are counted and left out with --skip-bad.`;

/** Builds `godwit trace` with its subcommands. By itself it throws GodwitError `usage`. */
export function traceCommand(cli: Cli): Command {
  const about = 'look at, convert, record and make traces of file accesses';
  const command = cli.holds(cli.plain('trace', about)).addHelpText('after', FORMATS);
  command.enablePositionalOptions();
  command.addCommand(infoCommand(cli));
  command.addCommand(convertCommand(cli));
  command.addCommand(traceRecordCommand(cli));
  command.addCommand(traceGenerateCommand(cli));
  return command;
}

function infoCommand(cli: Cli): Command {
  const command = cli
    .plain('info', 'say what is in a trace')
    .argument('<file>', 'a trace in any of the formats');
  withReadFlags(command);
  return cli.does<ReadFlags>(command, async (context, flags, [file = '']) => {
    const trace = await opened(file, flags);
    const statistics = new StatisticsCollector(trace.account.bad);
    for await (const record of trace.records()) statistics.add(record);
    const result = statistics.result();
    const { format, account, header } = trace;
    const groups = header.groups.length;
    const told = { ...result, groups, ...partsOf(account), format };
    context.result(told, [...linesOf(trace, result), ...accountLines(account)]);
  });
}

function convertCommand(cli: Cli): Command {
  const command = cli
    .plain('convert', "write a trace in Godwit's own form")
    .argument('<in>', 'a trace in any of the formats')
    .argument('<out>', 'the new file');
  withReadFlags(command);
  flag(command, '--replace', 'replace what has the name of the new file');
  return cli.does<ReadFlags & { replace?: boolean }>(
    command,
    async (context, flags, [file = '', out = '']) => {
      const trace = await opened(file, flags);
      const { account } = trace;
      const statistics = new StatisticsCollector(account.bad);
      const counted = async function* () {
        for await (const record of trace.records()) {
          statistics.add(record);
          yield record;
        }
      };
      await saveTrace(
        context,
        out,
        flags.replace === true,
        traceText(() => trace.header, counted()),
      );
      const { records } = statistics.result();
      context.result({ file: out, records, ...partsOf(account) }, [
        `${printable(out)}: ${formatCount(records, 'record')}`,
        ...accountLines(account),
      ]);
    },
  );
}

function linesOf({ format }: OpenedTrace, statistics: TraceStatistics): string[] {
  const { records, seconds, processes, clients, files, missing, fileBytes, lost } = statistics;
  return [
    `${FORMAT_NAMES[format]}: ${formatCount(records, 'operation')} in ${seconds.toFixed(3)} s`,
    `by ${formatCount(processes, 'process', 'processes')}` +
      (clients === 0 ? '' : ` of ${formatCount(clients, 'machine')}`) +
      ` on ${formatCount(files, 'file')}` +
      (missing === 0 ? '' : ` (${missing} of them were never there)`),
    `read ${sizeText(statistics.bytesRead)}, written ${sizeText(statistics.bytesWritten)}; ` +
      `sizes of what was there before: ${sizeText(fileBytes)}`,
    ...(lost === 0 ? [] : [`${formatCount(lost, 'operation')} missed by the recorder`]),
  ];
}
