/** The plan of a trace that a person names: a file in any of the formats, or a workload that can be made. */
import { existsSync } from 'node:fs';
import { generateTrace, GENERATORS } from '../../trace/generate/generators.ts';
import { StatisticsCollector } from '../../trace/statistics.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { PlanBuilder, type ReplayPlan } from '../plan/replay-plan.ts';
import { printable } from '../../../cli/printable.ts';
import { accountLines, opened, type ReadFlags } from '../../trace/cli/trace-input.ts';

export interface NamedPlan {
  readonly plan: ReplayPlan;
  /** For people: what it is, and what was left out of it. */
  readonly about: string;
  readonly notes: readonly string[];
}

/** Each replay needs a plan of its own: its steps know whether they are done. */
export function generatedPlan(name: string, seed: number, apart = false): ReplayPlan {
  const workload = generateTrace(name, seed);
  if (workload === null) {
    const known = [...GENERATORS.keys()].join(', ');
    throw new GodwitError('usage', `${printable(name)}: no workload; there are ${known}`);
  }
  const builder = new PlanBuilder({ apart });
  for (const record of workload.records) builder.add(record);
  return builder.finish(workload.groups);
}

/** Rejects as `godwit trace info` does. */
export async function planOf(
  name: string,
  flags: ReadFlags,
  seed: number,
  apart = false,
): Promise<NamedPlan> {
  if (!existsSync(name) && GENERATORS.has(name)) {
    const about = `workload ${name}, seed ${seed}`;
    return { plan: generatedPlan(name, seed, apart), about, notes: [] };
  }
  const trace = await opened(name, flags);
  // The limits of a trace are what `info` has them for.
  const statistics = new StatisticsCollector(trace.account.bad);
  const builder = new PlanBuilder({ apart });
  for await (const record of trace.records()) {
    statistics.add(record);
    builder.add(record);
  }
  const plan = builder.finish(trace.header.groups);
  if (plan.steps === 0) {
    throw trace.account.bad.error('expected operations on files, and there is nothing to replay');
  }
  return { plan, about: printable(name), notes: accountLines(trace.account) };
}
