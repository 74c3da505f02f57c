/**
 * `npm run limit-rate -- [--rates 100KB/s,1MB/s] [--seconds N]`: how fast contents really move under a limit, each way, between two laptops; and how soon a
 * small save passes bulk that a limit slows down. Figures are printed, nothing is asserted: they are of this machine.
 */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseLimit } from '../../../app/cli/arguments.ts';
import { Bench } from '../../support/bench.ts';
import { countOf, flagsOf, wrongFlag } from '../../support/flags.ts';

const SMALL = 4_000;
const SAVES = 5;

type Laptop = Awaited<ReturnType<Bench['laptop']>>;

const values = flagsOf('npm run limit-rate', {
  rates: { type: 'string', default: '100KB/s,1MB/s,10MB/s' },
  seconds: { type: 'string', default: '8' },
});
const rates = values.rates.split(',').map((text) => ({ text, rate: rateOf(text) }));
const seconds = countOf('seconds', values.seconds);
const bench = new Bench();

function rateOf(text: string): number {
  try {
    return parseLimit(text);
  } catch (error) {
    return wrongFlag(`--rates ${(error as Error).message}`);
  }
}

const set = (at: Laptop, key: string, value: string): Promise<unknown> =>
  bench.json(['config', key, value, '--data', at.data]);
const save = (at: Laptop, name: string, bytes: number): void =>
  writeFileSync(join(at.folder, name), randomBytes(bytes));
const arrived = (at: Laptop, name: string): Promise<unknown> =>
  bench.until(at.data, ({ recent = [] }) => recent.some(({ path }) => path === name));

/** Seconds until the work is done. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}

function print(what: string, bytes: number, took: number, rate: number): void {
  const share = (100 * bytes) / took / rate;
  process.stdout.write(`${what}: ${bytes} bytes in ${took.toFixed(2)} s, ${share.toFixed(1)} %\n`);
}

async function measure(ann: Laptop, bob: Laptop): Promise<void> {
  for (const { text, rate } of rates) {
    const bytes = rate * seconds;
    await set(ann, 'limit.upload', text);
    await bench.json(['pause', '--data', bob.data]);
    save(ann, `file at ${rate}`, bytes);
    await bench.until(ann.data, ({ queues }) => queues.data.inFlight > 0);
    const up = await timed(() => bench.flush(ann));
    print(`limit.upload ${text}`, bytes, up, rate);
    await set(ann, 'limit.upload', 'none');
    await set(bob, 'limit.download', text);
    await bench.until(bob.data, ({ limits }) => limits?.server === 'paces');
    await bench.json(['resume', '--data', bob.data]);
    const down = await timed(() => arrived(bob, `file at ${rate}`));
    print(`limit.download ${text}`, bytes, down, rate);
    await set(bob, 'limit.download', 'none');
  }
}

/** From the write of a small file to its arrival, while bulk is under way. */
async function beside(ann: Laptop, bob: Laptop): Promise<void> {
  const { text, rate } = rates[0] ?? { text: '100KB/s', rate: 1e5 };
  await set(ann, 'limit.upload', text);
  save(ann, 'bulk', 100 * rate);
  await bench.until(ann.data, ({ queues }) => queues.data.sentBytes > rate);
  const waits: string[] = [];
  for (let n = 1; n <= SAVES; n++) {
    const took = await timed(() => {
      save(ann, `small ${n}`, SMALL);
      return arrived(bob, `small ${n}`);
    });
    waits.push(took.toFixed(2));
  }
  process.stdout.write(`saves of ${SMALL} bytes beside bulk at ${text}: ${waits.join(', ')} s\n`);
  await set(ann, 'limit.upload', 'none');
  const rest = await timed(() => bench.flush(ann));
  process.stdout.write(`the bulk without the limit: ${rest.toFixed(2)} s\n`);
}

try {
  process.stdout.write(`load ${loadavg()[0]?.toFixed(1)}\n`);
  const server = await bench.server();
  const ann = await bench.laptop('ann', await bench.invite(server));
  const bob = await bench.laptop('bob', await bench.invite(server));
  await measure(ann, bob);
  await beside(ann, bob);
} finally {
  await bench.close();
}
