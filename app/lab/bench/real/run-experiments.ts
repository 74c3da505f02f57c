/**
 * Runs experiments one after the other, each with a server and laptops of its own in a temporary folder. Whatever happens, and also when
 * it is interrupted, none of it is left.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { aborted } from '../../../cli/interruption.ts';
import type { Figure } from '../figures.ts';
import type { Experiment, Outcome } from './experiment.ts';
import { RelayNet } from './relay-net.ts';
import { Stage } from './stage.ts';
import { TbfNet } from './tbf-net.ts';

export interface RunSettings {
  /** Over `tc tbf` between network namespaces, and not over the relay. */
  readonly tbf: boolean;
  readonly signal: AbortSignal;
  readonly onStep: (step: string) => void;
}

/** Runs experiments one after the other and gives the figures of each. */
export async function runExperiments(
  experiments: readonly Experiment[],
  settings: RunSettings,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const [index, experiment] of experiments.entries()) {
    const { name, title, line, configuration } = experiment;
    const at = `${name} ${index + 1} of ${experiments.length} (${title})`;
    const onStep = (step: string): void => settings.onStep(`${at}: ${step}`);
    const before = load();
    const figures = await runOne(experiment, { ...settings, onStep });
    const shaper = settings.tbf ? 'tbf' : 'relay';
    outcomes.push({ name, title, line, configuration, shaper, figures, load: [before, load()] });
  }
  return outcomes;
}

const load = (): number => Math.round((loadavg()[0] ?? 0) * 100) / 100;

async function runOne(experiment: Experiment, settings: RunSettings): Promise<Figure[]> {
  const { signal, onStep, tbf } = settings;
  signal.throwIfAborted();
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const root = mkdtempSync(join(tmpdir(), 'godwit-real-'));
  const net = tbf ? TbfNet.open() : new RelayNet();
  const { line: shape, configuration } = experiment;
  const stage = new Stage({ root, net, shape, configuration, signal: either, onStep });
  try {
    onStep('a server and laptops start');
    await stage.open();
    const work = experiment.workload(stage);
    // Of what ends first, the others are not heard any more.
    work.catch(() => undefined);
    return await Promise.race([work, troubles(experiment, stage, signal, over.signal)]);
  } catch (error) {
    throw signal.aborted ? new GodwitError('timed-out', 'bench: interrupted') : error;
  } finally {
    over.abort();
    await stage.close();
    net.close();
    rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Never resolves; rejects with what keeps a workload from ending. */
async function troubles(
  { name, limitSeconds }: Experiment,
  { serverEnded }: Stage,
  signal: AbortSignal,
  over: AbortSignal,
): Promise<never> {
  const what = await Promise.race([
    aborted(signal).then(() => 'interrupted'),
    serverEnded.then(() => 'the server ended in the middle of it'),
    wait(limitSeconds * 1000, `not done in ${Math.ceil(limitSeconds)} s`, { signal: over }),
  ]).catch(() => 'over');
  throw new GodwitError('timed-out', `bench ${name}: ${what}`);
}
