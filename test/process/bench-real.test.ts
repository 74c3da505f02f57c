/** `godwit bench rw`, `propagate` and `roam` with sizes too small to measure anything: their output, and that they leave nothing behind, however they end. */
import { readdirSync, readFileSync, watch } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Bench, outputOf, textOf } from '../support/bench.ts';

interface Figure {
  readonly name: string;
  readonly value: number;
  readonly target: number | null;
}
interface Outcome {
  readonly title: string;
  readonly line: object;
  readonly shaper: string;
  readonly figures: readonly Figure[];
}

let bench: Bench;
let env: { TMPDIR: string };
beforeAll(() => {
  bench = new Bench();
  env = { TMPDIR: bench.root };
});
afterAll(() => bench.close());

const run = (...args: string[]) => bench.godwit(['bench', ...args], { env });

async function outcomes(...args: string[]): Promise<Outcome[]> {
  const { code, stdout, stderr } = await run(...args, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return (JSON.parse(stdout) as { experiments: Outcome[] }).experiments;
}

/** The folders of a run, and the processes that work in them. */
function left(): string[] {
  const folders = readdirSync(bench.root).filter((name) => name.startsWith('godwit-real'));
  const processes = readdirSync('/proc').filter((name) =>
    textOf(`/proc/${name}/cmdline`)?.includes(`${bench.root}/godwit-real`),
  );
  return [...folders, ...processes];
}

const names = ({ figures }: Outcome): string[] => figures.map(({ name }) => name);
const value = ({ figures }: Outcome, name: string): number =>
  figures.find((figure) => figure.name === name)?.value ?? NaN;

describe('godwit bench rw', () => {
  const SMALL = ['--bandwidth=512KiB/s', '--files=2', '--size=32KiB'];

  it('measures reads and writes beside each other with both kinds of scheduling', async () => {
    const told = await outcomes('rw', ...SMALL, '--scheduling=priorities,uniform');
    expect(told).toMatchObject([
      {
        title: 'through the port, 512 KiB/s, priorities',
        shaper: 'relay',
        line: { bytesPerSecond: 524_288 },
      },
      { title: 'through the port, 512 KiB/s, uniform' },
    ]);
    for (const one of told) {
      expect(names(one)).toEqual(expect.arrayContaining(['read', 'write', 'drained', 'limit']));
      // No line carries more than its rate: what is told is what was waited for.
      expect(value(one, 'read')).toBeGreaterThan(0.1);
      expect(value(one, 'drained')).toBeGreaterThanOrEqual(value(one, 'write'));
      expect(value(one, 'up')).toBeGreaterThan(0);
    }
    expect(left()).toEqual([]);
  });

  it('opens placeholders of the folder and copies into it', async () => {
    const [told] = await outcomes('rw', ...SMALL, '--through=folder');
    expect(told?.title).toBe('through the folder, 512 KiB/s, priorities');
    // The contents were not cached here.
    expect(value(told as Outcome, 'read')).toBeGreaterThan(0.1);
    expect(value(told as Outcome, 'drained')).toBeGreaterThan(0.1);
    expect(left()).toEqual([]);
  });

  it('writes a report to a file and prints a table', async () => {
    const file = bench.path('report.json');
    const { code, stdout, stderr } = await run('rw', ...SMALL, '--json', file);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /\nrw, through the port, 512 KiB\/s, priorities, relay; load .*\nfigure +measured +target/,
    );
    expect(stdout).toMatch(/\nRead, 2 files of 32768 bytes .* at most .* s +(met|missed)\n/);
    const report = JSON.parse(readFileSync(file, 'utf8')) as { experiments: Outcome[] };
    expect(report.experiments).toHaveLength(1);
  });

  it('ends on a signal and leaves nothing behind', async () => {
    const args = ['bench', 'rw', '--bandwidth=1KiB/s'];
    const begun = new Promise<void>((resolve) => {
      const watcher = watch(bench.root, { recursive: true }, (_event, name) => {
        if (name?.includes('laptop-A') !== true) return;
        watcher.close();
        resolve();
      });
    });
    const child = bench.start(args, env);
    const ended = outputOf(child);
    await begun;
    child.kill('SIGINT');
    const { code, stderr } = await ended;
    expect(code).toBe(5);
    expect(stderr).toMatch(/^godwit: bench: interrupted; .*\n$/);
    expect(left()).toEqual([]);
  });
});

describe('godwit bench propagate', () => {
  const SMALL = ['--bandwidth=64KiB/s', '--upload=256KiB', '--large=64KiB'];
  const propagate = (...args: string[]) => outcomes('propagate', ...SMALL, ...args);
  const titles = (told: readonly Outcome[]) => told.map(({ title }) => title.split(',')[0]);

  it('sees every save in a folder whole', async () => {
    const told = await propagate('--only=saves', '--through=folder', '--size=4KiB', '--times=2');
    expect(titles(told)).toEqual(['saves through the folder']);
    const [saved] = told as [Outcome];
    for (const name of ['idle', 'beside', 'save']) expect(value(saved, name)).toBeGreaterThan(0);
    expect(value(saved, 'bad')).toBe(0);
    expect(left()).toEqual([]);
  });

  it('counts what an edit transfers and opens a file on its way, through the port', async () => {
    // Of a second on each line: a busy machine cuts it in the middle as well.
    const told = await propagate(
      '--only=edit,pull',
      '--through=port',
      '--size=64KiB',
      '--away=0.1s',
    );
    expect(titles(told)).toEqual(['edit through the port', 'pull through the port']);
    const [edited, pulled] = told as [Outcome, Outcome];
    // The network carries a hundred bytes and their headers, and not the file.
    for (const way of ['up', 'down']) {
      expect(value(edited, way)).toBeGreaterThan(100);
      expect(value(edited, way)).toBeLessThan(32 * 1024);
    }
    expect(value(pulled, 'bad')).toBe(0);
    expect(value(pulled, 'behind')).toBe(1);
    expect(left()).toEqual([]);
  });
});

describe('godwit bench roam', () => {
  it('interrupts the link in each way without an error in programs', async () => {
    const told = await outcomes(
      ...['roam', '--bandwidth=256KiB/s', '--size=128KiB'],
      ...['--outages=0.2s', '--fall=64KiB/s', '--fall-time=0.2s'],
    );
    expect(told.map(({ title }) => title)).toEqual([
      'another address, 256 KiB/s',
      'no line for 0.2 s, 256 KiB/s',
      '64 KiB/s for 0.2 s, 256 KiB/s',
    ]);
    for (const one of told) {
      expect(names(one).slice(0, 3)).toEqual(['errors', 'up', 'down']);
      expect(value(one, 'errors')).toBe(0);
      expect(value(one, 'broken')).toBeGreaterThan(0.5);
    }
    expect(left()).toEqual([]);
  });
});
