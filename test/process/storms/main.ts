/** `npm run storms -- [--minutes N] [--cases N] [--seed S] [--only KINDS]`: real programs on real disks, while things go wrong. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countOf, flagsOf, wrongFlag } from '../../support/flags.ts';
import { FAULTS } from './faults.ts';
import { endAsked, keptFolder, mayHaveWorld, runInWorld } from './own-world.ts';
import { prepare } from './programs/prepare.ts';
import { MISSING_TOOLS, SCOPES } from './programs/scopes.ts';
import { missingForStorm, STORM_DISKS } from './storm-disk.ts';
import { runCase, USUAL_ROUNDS, type CaseReport } from './storms.ts';

const values = flagsOf('npm run storms', {
  minutes: { type: 'string', default: '30' },
  cases: { type: 'string', default: '1000000' },
  rounds: { type: 'string', default: String(USUAL_ROUNDS) },
  seed: { type: 'string', default: '1' },
  only: { type: 'string', default: '' },
  acts: { type: 'boolean', default: false },
  keep: { type: 'string', default: join(tmpdir(), 'storms-found') },
});

const hasWorld = mayHaveWorld();
const only = values.only === '' ? null : values.only.split(',');
const lacking = STORM_DISKS.flatMap((kind) => {
  const missing = missingForStorm(kind, hasWorld);
  return missing === null ? [] : [`no ${kind.name}: ${missing}`];
});
const disks = chosen(STORM_DISKS.filter((kind) => missingForStorm(kind, hasWorld) === null));
const scopes = chosen(SCOPES);
const faults = chosen(Object.keys(FAULTS).map((name) => ({ name }))).map(({ name }) => name);
const names = new Set(
  [...STORM_DISKS, ...SCOPES].map(({ name }) => name).concat(Object.keys(FAULTS), 'calm'),
);
const wrong = only?.find((each) => !names.has(each));
if (wrong !== undefined) wrongFlag(`--only ${wrong}: give some of ${[...names].join(', ')}`);

/** Those that `--only` names; all, where it names none of them. */
function chosen<T extends { readonly name: string }>(all: readonly T[]): T[] {
  const some = all.filter(({ name }) => only?.includes(name) === true);
  return some.length === 0 ? [...all] : some;
}

async function run(kept: string): Promise<number> {
  const asked = endAsked();
  const until = performance.now() + countOf('minutes', values.minutes) * 60_000;
  const cases = countOf('cases', values.cases);
  const first = countOf('seed', values.seed);
  const prepared = join(tmpdir(), 'prepared');
  prepare(prepared, 1);
  for (const line of lacking) print(line);
  for (const tool of MISSING_TOOLS) print(`no programs that need ${tool}: it is not here`);
  const reports: CaseReport[] = [];
  for (let index = 0; index < cases && !asked.aborted && performance.now() < until; index++) {
    const seed = first + index;
    const plan = {
      ...{ seed, rounds: countOf('rounds', values.rounds), disks, scopes, prepared, kept },
      onAct: values.acts ? print : () => undefined,
      faults: only?.includes('calm') === true ? [] : faults,
    };
    const report = await runCase(plan, asked);
    reports.push(report);
    tell(seed, report);
  }
  return summary(reports);
}

function tell(seed: number, { findings, disks: of, kept, ...figures }: CaseReport): void {
  const { programs, failed, faults: wrongs, files, conflicts } = figures;
  const said = `${programs} programs (${failed} failed), ${wrongs.join(' ')}; ${files} paths, ${conflicts} conflicts`;
  print(`seed ${seed}: ${of.join(', ')}: ${said}`);
  for (const finding of findings) print(`FOUND ${finding}`);
  if (kept !== null) print(`kept in ${kept}; again: npm run storms -- --seed ${seed} --cases 1`);
}

function summary(reports: readonly CaseReport[]): number {
  const sum = (of: (report: CaseReport) => number): number =>
    reports.reduce((total, report) => total + of(report), 0);
  const counts = new Map<string, number>();
  for (const name of reports.flatMap((report) => report.faults)) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const found = reports.filter(({ findings }) => findings.length > 0).length;
  const figures = {
    cases: reports.length,
    rounds: sum(({ rounds }) => rounds),
    programs: sum(({ programs }) => programs),
    failed: sum(({ failed }) => failed),
    confirmed: sum(({ confirmed }) => confirmed),
    conflicts: sum(({ conflicts }) => conflicts),
    faults: Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
  print(JSON.stringify(figures));
  print(found === 0 ? 'nothing found' : `${found} cases found something`);
  return found === 0 ? 0 : 1;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

const kept = keptFolder();
if (kept === null) process.exitCode = await runInWorld(values.keep);
else process.exitCode = await run(kept);
