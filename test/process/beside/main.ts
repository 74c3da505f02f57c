/**
 * `npm run beside -- [--attacks a,b] [--rounds N] [--seconds N] [--shared | --weighted | --equal]`: how long a device waits beside another one that does the server harm. Figures are
 * printed, nothing is asserted: they are of this machine.
 */
import { Bench } from '../../support/bench.ts';
import { countOf, flagsOf, wrongFlag } from '../../support/flags.ts';
import { ATTACKS } from './attacks.ts';
import { KINDS, runBeside, type Busy, type Figures } from './beside.ts';

/** As a shell has it: 128 and the signal. */
const INTERRUPTED = 130;

const values = flagsOf('npm run beside', {
  attacks: { type: 'string', default: ATTACKS.map(({ name }) => name).join(',') },
  rounds: { type: 'string', default: '12' },
  seconds: { type: 'string', default: '1' },
  shared: { type: 'boolean', default: false },
  weighted: { type: 'boolean', default: false },
  equal: { type: 'boolean', default: false },
});
const attacks = values.attacks.split(',').map((given) => {
  const found = ATTACKS.find(({ name }) => name === given);
  const names = ATTACKS.map(({ name }) => name).join(', ');
  return found ?? wrongFlag(`--attacks ${given}: give some of ${names}`);
});
const rounds = countOf('rounds', values.rounds);
const given = [
  ...(values.shared ? (['realtime'] as const) : []),
  ...(values.weighted ? (['weighted'] as const) : []),
  ...(values.equal ? (['equal'] as const) : []),
];
if (given.length > 1) wrongFlag('--shared, --weighted, --equal: give one of them');
const mode = given[0] ?? 'quiet';
const seconds = Number(values.seconds);
if (!(seconds > 0)) wrongFlag(`--seconds ${values.seconds}: give a number above 0`);

function at(waits: readonly number[], share: number): number {
  const sorted = [...waits].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
}

function textOf(waits: readonly number[]): string {
  const [half, most, worst] = [0.5, 0.95, 1].map((share) => at(waits, share).toFixed(1));
  return `p50 ${half} ms, p95 ${most} ms, worst ${worst} ms of ${waits.length}`;
}

function share({ cpu, wall }: Busy): string {
  return `${((100 * cpu) / wall).toFixed(0)} %`;
}

function print({ attack, answered, loads, ...figures }: Figures): void {
  const load = `${Math.min(...loads).toFixed(1)} to ${Math.max(...loads).toFixed(1)}`;
  const { alone, beside, serverAlone, serverBeside } = figures;
  const busy = `the server took ${share(serverAlone)} of a core alone, ${share(serverBeside)} beside`;
  process.stdout.write(`${attack}: ${answered} answered, load ${load}; ${busy}\n`);
  for (const kind of KINDS) {
    const [half, most] = [0.5, 0.95].map((part) => at(beside[kind], part) / at(alone[kind], part));
    process.stdout.write(`  ${kind} alone  ${textOf(alone[kind])}\n`);
    process.stdout.write(`  ${kind} beside ${textOf(beside[kind])}`);
    process.stdout.write(`; p50 x ${half?.toFixed(1)}, p95 x ${most?.toFixed(1)}\n`);
  }
}

const bench = new Bench();
// A server in a session of its own hears nothing of the terminal.
process.once('SIGINT', () => void bench.close().finally(() => process.exit(INTERRUPTED)));
try {
  await runBeside(bench, { attacks, rounds, seconds, mode }, print);
} finally {
  await bench.close();
}
