/** `godwit bench coop` and the like: the papers' studies of caches, over generated accesses. */
import type { Command } from 'commander';
import { parseCount } from '../../cli/arguments.ts';
import { flag, type Cli } from '../../cli/cli.ts';
import type { CommonOptions, Context } from '../../cli/context.ts';
import { EXIT } from '../../cli/exit-codes.ts';
import { LiveLine } from '../../cli/live-line.ts';
import { pageOf, reportLines } from '../bench/measured/experiment-page.ts';
import { STUDIES } from '../bench/studies/studies.ts';
import type { Done, Study } from '../bench/studies/study.ts';
import type { StudyJob } from '../bench/studies/study-worker.ts';
import { isMet } from '../replay/bench/paper-experiment.ts';
import { onThreads } from '../replay/real/on-threads.ts';
import { reportFile, writeReport } from '../replay/real/report-file.ts';
import { formatNumber } from '../../cli/format.ts';
import { listFrom } from './bench-real.ts';

interface StudyFlags extends Omit<CommonOptions, 'json'> {
  readonly json?: boolean | string;
  readonly html?: string;
  readonly seeds?: number;
  readonly accesses?: number;
  readonly only?: readonly string[];
}

const HOW = 'Over generated accesses, each seed the same ones again.';
const WORKER = new URL('../bench/studies/study-worker.ts', import.meta.url);

/** Builds a command for each study. A relation of the paper that does not hold makes exit code 1. */
export function studyCommands(cli: Cli): Command[] {
  return STUDIES.map((study) => studyCommand(cli, study));
}

function studyCommand(cli: Cli, study: Study): Command {
  const { name, about, defaults, parts } = study;
  const command = cli.withReport(name, about);
  const add = (flags: string, text: string, parse?: (text: string) => unknown): void =>
    void flag(command, flags, text, undefined, parse);
  add('--seeds <n>', `of the ranking, from 1 on (default: ${defaults.seeds})`, parseCount);
  const usual = formatNumber(defaults.accesses);
  add('--accesses <n>', `of each run (default: ${usual})`, parseCount);
  add('--only <list>', `of ${parts.join(', ')} (default: all)`, listFrom(...parts));
  add('--html <file>', 'write a report with plots, which needs no network');
  return cli.does<StudyFlags>(command, (context, flags) => runStudy(context, flags, study));
}

async function runStudy(context: Context, flags: StudyFlags, study: Study): Promise<number> {
  const { name, defaults } = study;
  const json = typeof flags.json === 'string' ? reportFile('--json', flags.json) : null;
  const html = flags.html === undefined ? null : reportFile('--html', flags.html);
  const { seeds, accesses, only: parts } = { ...defaults, only: study.parts, ...flags };
  const cells = study.cells({ parts, seeds, accesses });
  const live = new LiveLine(context.io.stderr);
  const done: Array<Done<unknown, unknown>> = [];
  await onThreads<StudyJob, unknown>({
    worker: WORKER,
    jobs: cells.map((cell) => ({ study: name, cell })),
    signal: context.interruption.claim(),
    keep: ({ cell }, result) => {
      done.push({ cell, result });
      if (context.shows) live.show(`... ${done.length} of ${cells.length} runs`);
    },
  }).finally(() => context.shows && live.show(''));
  const inOrder = [...done].sort((a, b) => cells.indexOf(a.cell) - cells.indexOf(b.cell));
  const report = study.report(inOrder);
  const checks = report.checks.map((check) => ({ ...check, met: isMet(check) }));
  const raw = { bench: name, seeds, accesses, checks, ...report.raw };
  if (json !== null) writeReport('--json', json, `${JSON.stringify(raw)}\n`);
  if (html !== null) writeReport('--html', html, pageOf(name, [report], HOW, raw));
  context.result(raw, reportLines([report]));
  return checks.every(({ met }) => met) ? EXIT.fine : EXIT.failed;
}
