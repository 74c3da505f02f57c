/**
 * The demo: a server and two laptops, each a process of its own, over MsQuic on loopback; every step ends with a comparison.
 * Whatever happens, no process and (unless told to keep it) no file of it is left.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { codedError } from '../../cli/errors.ts';
import { DemoServer } from './demo-server.ts';
import type { Demo, DemoStep, StepResult } from './demo-step.ts';
import { gitAgainstEachOther, gitAgainstSource, isGitCheckout } from './git-steps.ts';
import { Laptop } from './laptop.ts';
import { makeSourceTree } from './source-tree.ts';
import { copySource, edit, remove, renameThousand } from './tree-steps.ts';
import { concurrentChange, killMidway, serverAway } from './trouble-steps.ts';

export interface DemoOptions {
  /** Null: a tree is made. */
  readonly source: string | null;
  readonly awaySeconds: number;
  readonly flushSeconds: number;
  readonly keep: boolean;
  readonly signal: AbortSignal;
  /** The demo is set up, with this source in this folder. */
  readonly onReady: (source: string, root: string) => void;
  readonly onStep: (title: string) => void;
  readonly onResult: (result: StepResult) => void;
}

/** Runs the steps of `godwit demo` with a server and two laptops, and gives their results. */
export async function runDemo(options: DemoOptions): Promise<StepResult[]> {
  const root = mkdtempSync(join(tmpdir(), 'godwit-demo-'));
  const server = new DemoServer(root);
  const [a, b] = ['A', 'B'].map((name) => new Laptop(root, name, options.signal)) as [
    Laptop,
    Laptop,
  ];
  try {
    const source = options.source ?? join(root, 'source');
    if (options.source === null) {
      mkdirSync(source);
      makeSourceTree(source);
    }
    options.onReady(source, root);
    await server.up();
    for (const laptop of [a, b]) await laptop.up(await server.invite());
    const { awaySeconds, flushSeconds, signal } = options;
    const demo: Demo = { source, server, a, b, awaySeconds, flushSeconds, signal };
    return await runSteps(demo, stepsFor(demo), options);
  } finally {
    await Promise.all([a.end(), b.end()]);
    await server.end();
    if (!options.keep) rmSync(root, { recursive: true, force: true });
  }
}

/**
 * Runs steps in order and gives their results; a step with faults does not end it. Throws
 * GodwitError `timed-out` if it is interrupted between two steps.
 */
export async function runSteps<D extends Pick<Demo, 'signal'>>(
  demo: D,
  steps: ReadonlyArray<DemoStep<D>>,
  options: Pick<DemoOptions, 'onStep' | 'onResult'>,
): Promise<StepResult[]> {
  const results: StepResult[] = [];
  for (const step of steps) {
    if (demo.signal.aborted) throw new GodwitError('timed-out', 'demo: interrupted');
    options.onStep(step.title);
    const result = await runStep(demo, step);
    results.push(result);
    options.onResult(result);
  }
  return results;
}

function stepsFor({ source, awaySeconds }: Demo): DemoStep[] {
  const git = isGitCheckout(source);
  return [
    { title: 'copy the source into A', run: copySource },
    ...(git ? [{ title: 'git looks at the copy', run: gitAgainstSource }] : []),
    { title: 'edit files on A', run: edit },
    { title: 'rename a folder of 1,000 files', run: renameThousand },
    { title: 'delete files and a folder', run: remove },
    { title: 'change one file on both', run: concurrentChange },
    { title: `the server away for ${awaySeconds} s`, run: serverAway },
    { title: 'kill -9 of B midway', run: killMidway },
    ...(git ? [{ title: 'git looks at both', run: gitAgainstEachOther }] : []),
  ];
}

/** A step that fails is a step that does not hold; the others still tell something. */
async function runStep<D extends Pick<Demo, 'signal'>>(
  demo: D,
  { title, run }: DemoStep<D>,
): Promise<StepResult> {
  const began = Date.now();
  try {
    const outcome = await run(demo);
    return { title, ...outcome, ms: Date.now() - began };
  } catch (error) {
    if (demo.signal.aborted) throw new GodwitError('timed-out', 'demo: interrupted');
    const coded = codedError(error);
    if (coded === null) throw error;
    return { title, compared: '', items: 0, faults: [coded.message], ms: Date.now() - began };
  }
}
