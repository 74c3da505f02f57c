/**
 * `godwit sim --seed N [--steps M] [--no-faults] [--json]`: runs one random history and says what the checkers found.
 * Exit code 1 where there is a finding, 2 for wrong usage.
 */
import { parseArgs } from 'node:util';
import type { FaultFamily } from './fault/fault.ts';
import { FAULTS } from './fault/faults.ts';
import { simulate } from './simulation.ts';
import type { Report } from './run/run-plan.ts';

const USAGE = 'usage: godwit sim --seed N [--steps M] [--no-faults] [--json]';

export async function main(args: readonly string[]): Promise<number> {
  const options = parsed(args);
  if (options === null) {
    process.stderr.write(`${USAGE}\n`);
    return 2;
  }
  const { json, ...simulation } = options;
  const started = performance.now();
  const report = await simulate(simulation);
  const seconds = (performance.now() - started) / 1000;
  process.stdout.write(json ? `${JSON.stringify(report)}\n` : told(report, seconds));
  return report.findings.length === 0 ? 0 : 1;
}

function told(report: Report, seconds: number): string {
  const { seed, digest, operations, events, virtualMs, findings } = report;
  const lines = [
    `seed ${seed}: ${operations} operations, ${events} events, ${Math.round(virtualMs / 1000)} s of virtual time in ${seconds.toFixed(1)} s`,
    `digest ${digest}`,
    ...findings.map(({ checker, text }) => `FOUND ${checker}: ${text}`),
    findings.length === 0 ? 'nothing found' : `${findings.length} found`,
  ];
  return `${lines.join('\n')}\n`;
}

interface Options {
  readonly seed: number;
  readonly steps?: number;
  readonly faults: readonly FaultFamily[];
  readonly json: boolean;
}

function parsed(args: readonly string[]): Options | null {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        seed: { type: 'string', default: '1' },
        steps: { type: 'string' },
        'no-faults': { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
      },
    });
    const [seed, steps] = [values.seed, values.steps].map(whole);
    if (seed === undefined) return null;
    return {
      seed,
      ...(steps === undefined ? {} : { steps }),
      faults: values['no-faults'] ? [] : FAULTS,
      json: values.json,
    };
  } catch {
    return null;
  }
}

function whole(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw new RangeError(text);
  return Number(text);
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
