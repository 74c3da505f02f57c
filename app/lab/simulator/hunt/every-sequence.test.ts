import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sequences } from '../workload/sequences.ts';
import { WHOLE } from './arguments.ts';
import { WorkerLost } from './crew.ts';
import { everySequence } from './every-sequence.ts';
import type { Worker } from './hunt.ts';

const ONE = [...sequences(1)].length;
const TWO = [...sequences(2)].length;

let folder = '';
let text = '';
let interrupted: AbortController;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-sequences-'));
  text = '';
  interrupted = new AbortController();
});
afterEach(() => rmSync(folder, { recursive: true }));

function run(depth: number, hire?: () => Worker, part = WHOLE): Promise<number> {
  const screen = { write: (part: string) => (text += part) !== '' };
  const io = { out: screen, err: screen, interruption: () => interrupted.signal };
  const saving = { save: folder, shortenRuns: 0, json: true };
  return everySequence({ what: 'sequences', depth, part, workers: 2, ...saving }, io, hire);
}

/** Workers that find nothing, and break where they are to run one of these. */
function hands(breaksAt: ReadonlyArray<{ readonly depth: number; readonly number: number }> = []) {
  const length = (depth: number): number => (depth === 1 ? ONE : TWO);
  const hand: Worker = {
    ask: (request) => {
      if (request.do !== 'sequences') return Promise.reject(new Error('not asked'));
      const { depth, from, count } = request;
      const end = Math.min(from + count, length(depth));
      const isBroken = breaksAt.some(
        (at) => at.depth === depth && at.number >= from && at.number < end,
      );
      if (isBroken) return Promise.reject(new WorkerLost('out of memory'));
      const cases = Math.max(end - from, 0);
      const report = { cases, operations: 2 * cases, failures: [] };
      return Promise.resolve({ did: 'sequences', report });
    },
    end: () => Promise.resolve(),
  };
  return (): Worker => hand;
}

describe('godwit sim --sequences', () => {
  it('runs every sequence of one operation and prints their number', async () => {
    expect(await run(1)).toBe(0);
    expect(JSON.parse(text)).toEqual({
      part: '1/1',
      cases: ONE,
      operations: 2329,
      whole: true,
      failures: [],
    });
  });

  it('gives each sequence of both depths to a worker once', async () => {
    expect(await run(2, hands())).toBe(0);
    expect(JSON.parse(text)).toMatchObject({ cases: ONE + TWO, operations: 2 * (ONE + TWO) });
  });

  it('gives each sequence to one of the parts', async () => {
    const parts = [];
    for (const number of [1, 2, 3]) {
      text = '';
      expect(await run(2, hands(), { number, of: 3 })).toBe(0);
      parts.push(JSON.parse(text) as { part: string; cases: number });
    }
    expect(parts.map(({ part }) => part)).toEqual(['1/3', '2/3', '3/3']);
    const cases = parts.map((one) => one.cases);
    expect(cases.reduce((sum, one) => sum + one)).toBe(ONE + TWO);
    expect(Math.min(...cases)).toBeGreaterThan(TWO / 4);
  });

  it('finds the sequence at which a worker broke and runs the others', async () => {
    const [bad] = [...sequences(2)].slice(777);
    expect(await run(2, hands([{ depth: 2, number: 777 }]))).toBe(1);
    const { cases, failures } = JSON.parse(text) as { cases: number; failures: unknown[] };
    expect(cases).toBe(ONE + TWO);
    const finding = 'the run comes to its end: out of memory';
    expect(failures).toEqual([{ name: bad?.name, finding, file: expect.any(String) }]);
    expect(readdirSync(folder)).toHaveLength(1);
  });

  it('reports that it was interrupted before the last one', async () => {
    let asked = 0;
    const [hand] = [hands()()];
    const ends: Worker = {
      ask: (request) => {
        asked += 1;
        if (asked === 3) interrupted.abort();
        return hand.ask(request);
      },
      end: () => Promise.resolve(),
    };
    expect(await run(2, () => ends)).toBe(0);
    const { cases, whole } = JSON.parse(text) as { cases: number; whole: boolean };
    expect(whole).toBe(false);
    expect(cases).toBeLessThan(ONE + TWO);
  });
});
