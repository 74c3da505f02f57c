/**
 * `npm run coverage:sim [-- --seeds N --steps N --seconds N --list]`: which branches of core and runtime the simulator alone reaches; with `--world folder`, which of
 * the folder's engine the world of simulated disks does.
 *
 * Runs seeds in this process under V8's block coverage (which histories: mixes.mjs). A branch that is not reached has its
 * reason in docs/internals/tables/simulator-coverage.md; one without is listed and fails the command, as does a reason that nothing needs any more.
 * `--list` shows those with a reason too; after `--seconds` no further seed is begun.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { branchesOf } from './branches.mjs';
import { isSeldom, reasonFor, reasonsIn } from './reasons.mjs';
import { ROOT } from '../../../build/node-path.mjs';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    from: { type: 'string', default: '1' },
    steps: { type: 'string' },
    seconds: { type: 'string' },
    world: { type: 'string', default: 'volume' },
    list: { type: 'boolean', default: false },
  },
});

const OF_VOLUME = {
  folders: ['server/core', 'server/runtime', 'daemon/core', 'daemon/runtime'],
  page: 'simulator-coverage.md',
  seeds: 420,
  steps: 400,
  run: async () => {
    const { runPlan } = await import('../../../app/lab/simulator/run/run-plan.ts');
    const { planFor } = await import('./mixes.mjs');
    return (seed, steps) => runPlan(planFor(seed, steps));
  },
};
const OF_FOLDER = {
  folders: ['daemon/adapters/folder'],
  page: 'folder-coverage.md',
  seeds: 300,
  steps: 40,
  run: async () => {
    const { runFolderPlan } = await import('../../../app/lab/simulator/folder/run-folder-plan.ts');
    const { makeFolderPlan } =
      await import('../../../app/lab/simulator/folder/make-folder-plan.ts');
    return (seed, steps) => runFolderPlan(makeFolderPlan({ seed, steps }));
  },
};
const WORLD = values.world === 'folder' ? OF_FOLDER : OF_VOLUME;
const FOLDERS = WORLD.folders;
const PAGE = join(ROOT, 'docs', 'internals', 'tables', WORLD.page);

/** As they are loaded: somebody may write to them during the run. */
const sources = new Map(
  FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
      .map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]),
  ),
);

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
await runSeeds(
  Number(values.from),
  Number(values.seeds ?? WORLD.seeds),
  Number(values.steps ?? WORLD.steps),
  Number(values.seconds ?? Number.POSITIVE_INFINITY),
);
const { result } = await session.post('Profiler.takePreciseCoverage');
await session.post('Profiler.stopPreciseCoverage');
process.exitCode = tell(await filesOf(result));

async function runSeeds(from, seeds, steps, mostSeconds) {
  const runSeed = await WORLD.run();
  const begun = performance.now();
  const passed = () => (performance.now() - begun) / 1000;
  let operations = 0;
  let seed = from;
  for (; seed < from + seeds && passed() < mostSeconds; seed++) {
    const report = await runSeed(seed, steps);
    operations += report.operations;
    for (const { checker, text } of report.findings) {
      process.stdout.write(`seed ${seed} FOUND ${checker}: ${text.split('\n')[0]}\n`);
    }
  }
  process.stdout.write(
    `${seed - from} seeds, ${operations} operations in ${passed().toFixed(0)} s\n\n`,
  );
}

async function filesOf(scripts) {
  const files = [];
  for (const coverage of scripts) {
    if (!coverage.url.startsWith('file:')) continue;
    const file = fileURLToPath(coverage.url)
      .slice(ROOT.length + 1)
      .replaceAll('\\', '/');
    const folder = FOLDERS.find((name) => file.startsWith(`${name}/`));
    if (folder === undefined) continue;
    files.push({ file, folder, branches: await branchesOf(coverage, sources.get(file)) });
  }
  return files.sort((a, b) => (a.file < b.file ? -1 : 1));
}

/** Gives the exit code. */
function tell(files) {
  const reasons = reasonsIn(readFileSync(PAGE, 'utf8'));
  const used = new Set();
  const lines = [];
  let unexplained = 0;
  for (const { file, branches } of files) {
    const missed = branches.filter(({ reached }) => !reached);
    if (missed.length > 0) lines.push(`${share(branches).padStart(6)}  ${file}`);
    for (const branch of missed) {
      const reason = reasonFor(reasons, file, branch);
      if (reason === undefined) unexplained += 1;
      else used.add(reason);
      if (reason !== undefined && !values.list) continue;
      const { line, kind, text } = branch;
      lines.push(`          ${file}:${line} ${kind}: ${text}${why(reason)}`);
    }
  }
  const unused = reasons.filter((reason) => !used.has(reason) && !isSeldom(reason));
  lines.push('', ...FOLDERS.map((name) => summary(name, files)), total(files), '');
  lines.push(`${unexplained} branches are not reached and have no reason in the page`);
  lines.push(...unused.map(({ file, text }) => `reached all the same: ${file} ${text}`));
  process.stdout.write(`${lines.join('\n')}\n`);
  return unexplained + unused.length > 0 ? 1 : 0;
}

function why(reason) {
  return reason === undefined ? '' : `\n              ${reason.why}`;
}

function summary(folder, files) {
  const branches = files.filter((each) => each.folder === folder).flatMap((each) => each.branches);
  return `${folder.padEnd(16)} ${share(branches)} of ${branches.length} branches`;
}

function total(files) {
  const branches = files.flatMap((each) => each.branches);
  return `${'all'.padEnd(16)} ${share(branches)} of ${branches.length} branches`;
}

function share(branches) {
  const reached = branches.filter((branch) => branch.reached).length;
  if (branches.length === 0) return '100 %';
  return `${((100 * reached) / branches.length).toFixed(1)} %`;
}
