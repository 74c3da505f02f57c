/**
 * `npm run fuzz:native -- [--seconds N] [--runs N] [--target NAME] [--input FILE]`: libFuzzer on the parsers of the addon, for so many
 * seconds each (60), or so many runs. What a run has learned is kept in the crate's `corpus/`, and a finding in its `artifacts/`.
 *
 * The crate (shared/transport/native/fuzz) compiles the addon's sources in with the counters that libFuzzer is led by, and the
 * address sanitizer. Both are for nightly compilers only, unless RUSTC_BOOTSTRAP says otherwise; nothing is downloaded but
 * crates. It is no part of the addon, nor of `npm test`.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fail } from './node-path.mjs';

const CRATE = fileURLToPath(new URL('../shared/transport/native/fuzz/', import.meta.url));
/** What a run may take of memory: an input must not make anybody reserve more. */
const MOST_MB = 1024;
/** One run of an input of a few kilobytes. */
const MOST_SECONDS = 20;
const LONGEST_INPUT = 4096;

const FLAGS = [
  '-Cpasses=sancov-module',
  '-Cllvm-args=-sanitizer-coverage-level=4',
  '-Cllvm-args=-sanitizer-coverage-inline-8bit-counters',
  '-Cllvm-args=-sanitizer-coverage-pc-table',
  '-Cllvm-args=-sanitizer-coverage-trace-compares',
  '--cfg',
  'fuzzing',
  '-Zsanitizer=address',
  '-Ccodegen-units=1',
];

const { values } = readArguments();
for (const name of ['seconds', 'runs']) {
  if (!/^[1-9]\d{0,8}$/.test(values[name] ?? '1'))
    fail(`--${name} ${values[name]}: not a number above 0.`);
}
if (values.input !== undefined && !existsSync(values.input)) fail(`there is no ${values.input}.`);

function readArguments() {
  const text = { type: 'string' };
  try {
    return parseArgs({ options: { seconds: text, runs: text, target: text, input: text } });
  } catch (error) {
    return fail(
      `${error.message.split('. ')[0]}. It takes --seconds, --runs, --target and --input.`,
    );
  }
}

function triple() {
  const { stdout, status } = spawnSync('rustc', ['-vV'], { encoding: 'utf8' });
  if (status !== 0) fail('the native fuzz targets need a Rust compiler: see CONTRIBUTING.md.');
  return /^host: (.+)$/m.exec(stdout)[1];
}

function build(host) {
  // With a target given, build scripts are compiled without the flags.
  const args = ['build', '--release', '--locked', '--target', host];
  const env = { ...process.env, RUSTC_BOOTSTRAP: '1', CARGO_ENCODED_RUSTFLAGS: FLAGS.join('\x1f') };
  const { status } = spawnSync('cargo', args, { cwd: CRATE, env, stdio: 'inherit' });
  if (status !== 0) fail('the native fuzz targets could not be built.');
}

/** Gives whether nothing was found. */
function run(folder, target) {
  const [corpus, artifacts] = ['corpus', 'artifacts'].map((name) => join(CRATE, name, target));
  for (const place of [corpus, artifacts]) mkdirSync(place, { recursive: true });
  const length =
    values.runs === undefined
      ? `-max_total_time=${values.seconds ?? '60'}`
      : `-runs=${values.runs}`;
  const limits = [
    `-rss_limit_mb=${MOST_MB}`,
    `-timeout=${MOST_SECONDS}`,
    `-max_len=${LONGEST_INPUT}`,
  ];
  const args =
    values.input === undefined
      ? [length, ...limits, '-print_final_stats=1', `-artifact_prefix=${artifacts}/`, corpus]
      : [...limits, values.input];
  const { stderr, status } = spawnSync(join(folder, target), args, {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const runs = /stat::number_of_executed_units:\s*(\d+)/.exec(stderr)?.[1] ?? '1';
  const edges = /.*cov: (\d+)/s.exec(stderr)?.[1] ?? '?';
  process.stdout.write(
    `${target}: ${runs} inputs, ${edges} edges reached, ${status === 0 ? 'nothing found' : 'FOUND'}\n`,
  );
  if (status !== 0) process.stdout.write(`${stderr.split('\n').slice(-60).join('\n')}\n`);
  return status === 0;
}

const host = triple();
const targets = readdirSync(join(CRATE, 'fuzz_targets'))
  .map((file) => file.replace('.rs', ''))
  .filter((name) => values.target === undefined || name === values.target)
  .sort();
if (targets.length === 0) fail(`there is no target ${values.target}.`);
if (values.input !== undefined && targets.length > 1)
  fail('--input is for one target: add --target NAME.');
build(host);
const folder = join(CRATE, 'target', host, 'release');
const fine = targets.map((target) => run(folder, target));
process.exitCode = fine.every(Boolean) ? 0 : 1;
