/** `godwit sim --sequences 2`: every sequence of up to so many operations, with every crash at every step. */
import { runSequences } from '../run/run-sequences.ts';
import type { SequenceFailure } from '../run/run-sequences.ts';
import { sequences } from '../workload/sequences.ts';
import type { Arguments } from './arguments.ts';
import type { Io } from './commands.ts';
import { LiveLine } from './live-line.ts';
import { runHere } from './run-here.ts';
import { failuresFolder, saveFailure } from './save-failure.ts';
import { examine } from '../shorten/failure.ts';
import { programCommit } from './version.ts';

const SHOWN_EVERY = 50;

export async function everySequence(
  args: Extract<Arguments, { readonly what: 'sequences' }>,
  io: Io,
): Promise<number> {
  const folder = failuresFolder(args.save);
  const line = new LiveLine(io.err);
  const failed: SequenceFailure[] = [];
  let [cases, operations] = [0, 0];
  for (let depth = 1; depth <= args.depth; depth++) {
    const counted = function* () {
      for (const sequence of sequences(depth)) {
        cases += 1;
        if (cases % SHOWN_EVERY === 0) {
          line.show(`${cases} sequences, ${failed.length} found something: ${sequence.name}`);
        }
        yield sequence;
      }
    };
    const report = await runSequences(counted(), { heard: (failure) => failed.push(failure) });
    operations += report.operations;
  }
  line.clear();
  const told = [];
  for (const one of failed) told.push(await keep(one, folder, args.shortenRuns));
  if (args.json) io.out.write(`${JSON.stringify({ cases, operations, failures: told })}\n`);
  else {
    for (const { name, finding, file } of told) {
      io.out.write(`FOUND ${name}\n  ${finding}\n  godwit sim --replay ${file}\n`);
    }
    io.out.write(`${cases} sequences, ${operations} operations: ${told.length} found something\n`);
  }
  return told.length === 0 ? 0 : 1;
}

async function keep({ sequence, report }: SequenceFailure, folder: string, mostRuns: number) {
  const failure = await examine(sequence.plan, report, runHere, {
    mostRuns,
    enough: () => false,
    progress: () => undefined,
  });
  const [first] = report.findings;
  return {
    name: sequence.name,
    finding: `${first?.checker}: ${first?.text.split('\n')[0]}`,
    file: saveFailure(folder, programCommit(), failure),
  };
}
