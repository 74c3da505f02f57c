import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { skipDependency } from './mutant/skip-dependency.ts';
import { mutantPlan } from './mutant/mutant-plan.ts';
import { readSavedRun } from './plan/read-plan.ts';
import { main } from './main.ts';

let folder = '';
let broken: () => void = () => undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-sim-'));
});
afterEach(() => {
  broken();
  broken = () => undefined;
  rmSync(folder, { recursive: true });
});

async function run(...args: string[]) {
  const said = { out: '', err: '' };
  const screen = (name: 'out' | 'err') => ({
    write: (text: string | Uint8Array): boolean => {
      said[name] += String(text);
      return true;
    },
  });
  const io = {
    out: screen('out'),
    err: screen('err'),
    interruption: () => new AbortController().signal,
  };
  const code = await main(args, io);
  return { code, ...said };
}

/** A build that is broken, and a plan that shows it. */
function planThatFails(): string {
  broken = skipDependency.begin();
  const file = join(folder, 'plan.json');
  writeFileSync(file, JSON.stringify(mutantPlan(1)));
  return file;
}

describe('godwit sim', () => {
  it('prints what a seed shows', async () => {
    const { code, out, err } = await run('--seed', '3', '--steps', '20', '--faults', 'none');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(
      /^seed 3: \d+ steps, \d+ operations.*\ndigest [0-9a-f]{64}\nnothing found\n$/,
    );
  });

  it('prints the same as one object', async () => {
    const { out } = await run('--seed', '3', '--steps', '20', '--faults', 'none', '--json');
    expect(JSON.parse(out)).toEqual({
      seed: 3,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      findings: [],
      operations: expect.any(Number),
      operationsPerMinute: expect.any(Number),
    });
  });

  it('shortens a failure, saves it and replays it', async () => {
    const whole = planThatFails();
    const saved = join(folder, 'saved');
    const { code, out, err } = await run('--replay', whole, '--save', saved);
    expect({ code, err }).toEqual({ code: 1, err: '' });
    expect(out).toMatch(/seed 1 fails, commit \S+/);
    expect(out).toMatch(/shortened from \d+ events to [1-9] in \d+ runs \(nothing more/);
    expect(out).toMatch(/\n {4}0\.000 s {2}(ada|bob) (writes|safe-saves) \/\S+ \(0 bytes\)\n/);
    expect(out).toContain('FOUND what depends on something comes after it: ');

    const [name = ''] = readdirSync(saved);
    const file = join(saved, name);
    expect(out).toContain(`again: godwit sim --replay ${file}\n`);
    const { digest } = readSavedRun(readFileSync(file, 'utf8'));
    const again = await run('--replay', file);
    expect(again).toMatchObject({ code: 1, err: '' });
    expect(again.out).toContain(`digest ${String(digest)}\n`);

    broken();
    const mended = await run('--replay', file, '--json');
    expect(mended.code).toBe(0);
    expect(mended.err).toMatch(/^not the history that was saved/);
  });

  it('takes no more runs for that than allowed', async () => {
    const { out } = await run('--replay', planThatFails(), '--save', folder, '--shorten-runs', '4');
    expect(out).toContain('in 4 runs (ended there; more may be left out)');
  });

  it('prints the whole plan when it is not to be shortened', async () => {
    const { code, out } = await run('--replay', planThatFails());
    expect(code).toBe(1);
    expect(out).toContain('FOUND ');
    expect(out).toContain('makes the folder /x\n');
    expect(readdirSync(folder)).toEqual(['plan.json']);
  });

  it('runs a range of seeds and sums up', async () => {
    const seeds = ['--from', '1', '--count', '3', '--steps', '10', '--faults', 'none'];
    const { code, out } = await run(...seeds, '--workers', '1', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ seeds: 3, failures: 0, failing: [] });
    const told = await run(...seeds, '--workers', '1');
    expect(told.out).toMatch(
      /^\d+ s: 3 seeds, \d+ steps, \d+ operations, \d+ a minute; 0 seeds fail\n$/,
    );
  });

  it.each<[string[], RegExp]>([
    [['--seed', 'x'], /^godwit: --seed: x is no whole number/],
    [
      ['--replay', '/nowhere/plan.json'],
      /^godwit: --replay \/nowhere\/plan\.json: there is no such/,
    ],
    [['--replay', '/'], /^godwit: --replay \/: that is a folder/],
    [
      ['--seed', '1', '--save', '/proc/x'],
      /^godwit: --save \/proc\/x: no folder can be made there; give a folder that can be written\n$/,
    ],
    [
      ['--seed', '1', '--save', '/dev/null/x'],
      /^godwit: --save \/dev\/null\/x: a part of the path/,
    ],
  ])('refuses %j in one line', async (args, line) => {
    const { code, out, err } = await run(...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(line);
    expect(err.split('\n')).toHaveLength(2);
  });

  it.each<[string[], string, string]>([
    [['--explode'], "godwit sim: unknown option '--explode'", 'see `godwit sim --help`'],
    [['--seed'], "godwit sim: option '--seed <n>' argument missing", 'see `godwit sim --help`'],
    [['1'], 'godwit sim: too many arguments', 'see `godwit sim --help`'],
    [['--seed', 'x'], '--seed: x is no whole number from 0 to', 'give one'],
    [['--replay', '/'], '--replay /: that is a folder', 'give the path of a saved plan'],
    [[], 'godwit sim: nothing says what to run', 'give --seed, --minutes, --from'],
  ])('refuses %j as an object with --json', async (args, message, remedy) => {
    const { code, out, err } = await run('--json', ...args);
    expect({ code, err }).toEqual({ code: 2, err: '' });
    expect(out.split('\n')).toHaveLength(2);
    expect(JSON.parse(out)).toEqual({
      error: {
        code: 'usage',
        message: expect.stringContaining(message),
        remedy: expect.stringContaining(remedy),
      },
    });
  });

  it('reports where a file is wrong', async () => {
    const file = join(folder, 'plan.json');
    const plan = mutantPlan(1);
    writeFileSync(file, JSON.stringify({ ...plan, seed: 'one' }));
    expect((await run('--replay', file)).err).toContain(`--replay ${file}: seed: `);
    writeFileSync(file, '{\n"seed": 1,\n"entries": [}\n');
    expect((await run('--replay', file)).err).toContain(
      `--replay ${file}: not JSON: Unexpected token '}', `,
    );
  });
});
