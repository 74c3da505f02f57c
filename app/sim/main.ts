/**
 * `godwit sim --seed N [--operations M] [--no-faults] [--json]`: runs one random history and says what the checkers found.
 * Exit code 1 where there is a finding, 2 for wrong usage.
 */
import { parseArgs } from 'node:util';
import { simulate } from './simulation.ts';
import type { SimulationReport } from './simulation.ts';

const USAGE = 'usage: godwit sim --seed N [--operations M] [--clients K] [--no-faults] [--json]';

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

function told(report: SimulationReport, seconds: number): string {
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
  readonly operations?: number;
  readonly clients?: number;
  readonly faults: boolean;
  readonly json: boolean;
}

function parsed(args: readonly string[]): Options | null {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        seed: { type: 'string', default: '1' },
        operations: { type: 'string' },
        clients: { type: 'string' },
        'no-faults': { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
      },
    });
    const [seed, operations, clients] = [values.seed, values.operations, values.clients].map(whole);
    if (seed === undefined) return null;
    return {
      seed,
      ...(operations === undefined ? {} : { operations }),
      ...(clients === undefined ? {} : { clients }),
      faults: !values['no-faults'],
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
