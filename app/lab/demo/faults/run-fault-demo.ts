/**
 * `godwit demo --faults`: a server and two laptops under faults, with somebody at work at both; then everything settles and is
 * compared, with each other and with what a new laptop gets from the server, and nothing that was written may be lost.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UdpRelay } from '../../shaper/udp-relay.ts';
import { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import { parseHostPort } from '../../../../shared/control/addresses.ts';
import { DemoServer } from '../demo-server.ts';
import type { DemoStep, StepOutcome, StepResult } from '../demo-step.ts';
import { gitAgainstEachOther, isGitCheckout } from '../git-steps.ts';
import { Laptop } from '../laptop.ts';
import { readTree, type Tree } from '../read-tree.ts';
import { runSteps, type DemoOptions } from '../run-demo.ts';
import { makeSourceTree } from '../source-tree.ts';
import { copySource } from '../tree-steps.ts';
import type { FaultDemo } from './fault-demo.ts';
import { countBytes, compareAll, nothingLeftOver, nothingLost, storm } from './fault-steps.ts';
import { answerLost, killedAtRest } from './sent-once.ts';
import { Ledger } from './ledger.ts';
import { SmallDisk } from './small-disk.ts';

export interface FaultOptions extends DemoOptions {
  readonly seed: number;
  readonly kills: number;
  readonly cuts: number;
}

/** A demo of fewer kills is a short one: it leaves those at chosen instants out. */
const KILLS_OF_ALL_KINDS = 10;
/** The small disk holds the source this many times: as files, and what is on its way. */
const DISK_TIMES = 4;
/**
 * And what the programs write: some 40 MB that stay, the records of it, what was replaced in the last ten minutes and is kept for who writes late,
 * and at the end two files of 8 MB with what is on its way of them. It runs full by ballast, and not by this.
 */
const DISK_SPARE_BYTES = 112_000_000;

/**
 * Runs the steps of `godwit demo --faults` and gives their results. It keeps its files after a
 * fault or if asked.
 */
export async function runFaultDemo(options: FaultOptions): Promise<StepResult[]> {
  const root = mkdtempSync(join(tmpdir(), 'godwit-demo-'));
  const source = options.source ?? join(root, 'source');
  if (options.source === null) {
    mkdirSync(source);
    makeSourceTree(source);
  }
  const disk = SmallDisk.mount(join(root, 'laptop-B'), diskBytes(readTree(source)));
  let keeps = true;
  const ends: Array<() => Promise<void> | void> = [];
  try {
    options.onReady(source, root);
    const demo = await setUp(options, { root, source, disk, ends });
    const results = await runSteps(demo, stepsFor(demo, options), options);
    keeps = options.keep || results.some(({ faults }) => faults.length > 0);
    return results;
  } finally {
    for (const end of ends.reverse()) await end();
    if (options.signal.aborted) keeps = options.keep;
    takeDown(root, disk, keeps);
  }
}

interface Place {
  readonly root: string;
  readonly source: string;
  readonly disk: SmallDisk | null;
  readonly ends: Array<() => Promise<void> | void>;
}

async function setUp(options: FaultOptions, place: Place): Promise<FaultDemo> {
  const { root, source, disk, ends } = place;
  const { awaySeconds, flushSeconds, signal, seed, kills, cuts } = options;
  const server = new DemoServer(root);
  ends.push(() => server.end());
  await server.up();
  const relays: UdpRelay[] = [];
  const laptops: Laptop[] = [];
  for (const name of ['A', 'B']) {
    const relay = await UdpRelay.open({ to: parseHostPort(server.address, '') });
    const laptop = new Laptop(root, name, signal);
    ends.push(
      () => relay.close(),
      () => laptop.end(),
    );
    await laptop.up(await server.invite(relay.address));
    relays.push(relay);
    laptops.push(laptop);
  }
  const [a, b] = laptops as [Laptop, Laptop];
  const late = new Laptop(root, 'C', signal);
  ends.push(() => late.end());
  const common = { source, server, a, b, awaySeconds, flushSeconds, signal };
  const onProgress = (text: string): void => options.onStep(text);
  const random = new SeededRandom(`demo faults ${seed}`);
  const ledger = new Ledger();
  return { ...common, late, relays, disk, random, ledger, kills, cuts, onProgress };
}

function stepsFor(demo: FaultDemo, { kills, cuts }: FaultOptions): Array<DemoStep> {
  const on: On = (work) => () => work(demo);
  return [
    { title: 'copy the source into A', run: copySource },
    { title: `${kills} kills and ${cuts} cuts`, run: on(storm) },
    { title: 'all settle', run: on(compareAll) },
    { title: 'nothing is lost', run: on(nothingLost) },
    { title: 'no temporary files', run: on(nothingLeftOver) },
    { title: 'bytes in the network', run: on(countBytes) },
    ...(kills < KILLS_OF_ALL_KINDS ? [] : killsAtInstants(on)),
    ...(isGitCheckout(demo.source)
      ? [{ title: 'git looks at both', run: gitAgainstEachOther }]
      : []),
  ];
}

type On = (work: (demo: FaultDemo) => Promise<StepOutcome>) => () => Promise<StepOutcome>;

/** At instants that are chosen, since chance hits them too seldom. */
function killsAtInstants(on: On): DemoStep[] {
  return [
    { title: 'A killed before the answer', run: on((own) => answerLost(own, 'laptop A')) },
    { title: 'the server killed before it', run: on((own) => answerLost(own, 'the server')) },
    { title: 'all killed at rest', run: on(killedAtRest) },
  ];
}

function diskBytes(source: Tree): number {
  let bytes = 0;
  for (const { size } of source.values()) bytes += size + 4096;
  return bytes * DISK_TIMES + DISK_SPARE_BYTES;
}

/** What lies on the small disk goes with it: it is copied to where it was mounted, if it is to be looked at. */
function takeDown(root: string, disk: SmallDisk | null, keeps: boolean): void {
  if (disk !== null) {
    if (keeps) spawnSync('cp', ['-a', join(root, 'laptop-B'), join(root, 'laptop-B (copy)')]);
    disk.unmount();
  }
  if (!keeps) rmSync(root, { recursive: true, force: true });
}
