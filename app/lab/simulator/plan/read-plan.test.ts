import { describe, expect, it } from '@jest/globals';
import { planOf } from '../simulation.ts';
import { MOST_ENTRIES } from './plan-limits.ts';
import type { Plan } from './plan.ts';
import { PlanError, readPlan, readSavedRun } from './read-plan.ts';

const PLAN: Plan = {
  seed: 7,
  settings: {
    laptops: [{ volume: 1, rights: 'write', frontEnd: 'folder' }],
    diskMs: 2,
    network: { delayMs: 1, bytesPerSecond: null },
  },
  entries: [
    {
      at: 5,
      kind: 'operation',
      number: 1,
      laptop: 0,
      operation: { do: 'write', path: '/a', bytes: 3 },
    },
    { at: 5, kind: 'fault', fault: { family: 'cut', laptop: 0, way: 'up', lastsMs: 10 } },
  ],
};

/** The plan as a file has it, with one thing changed. */
function withValue(path: string, value: unknown): unknown {
  const names = path.split('.');
  const last = names.pop() ?? '';
  const plan = JSON.parse(JSON.stringify(PLAN)) as Tree;
  let at = plan;
  for (const name of names) at = at[name] as Tree;
  at[last] = value;
  return plan;
}

interface Tree {
  [name: string]: unknown;
}

function reasonFor(value: unknown, name = 'plan'): string {
  try {
    readPlan(value, name);
  } catch (error) {
    if (error instanceof PlanError) return error.message;
    throw error;
  }
  return 'nothing is wrong';
}

describe('a plan in a file', () => {
  it.each(Array.from({ length: 40 }, (_, i) => i + 1))(
    'is read back as it was saved: seed %d',
    (seed) => {
      const plan = planOf({ seed, steps: 200 });
      const text = JSON.stringify(plan);
      expect(JSON.stringify(readPlan(JSON.parse(text), ''))).toBe(text);
    },
  );

  it.each<[string, string, unknown]>([
    ['plan.seed', 'seed', -1],
    ['plan.settings.diskMs', 'settings.diskMs', '2'],
    ['plan.settings.laptops', 'settings.laptops', []],
    ['plan.settings.laptops[0].rights', 'settings.laptops.0.rights', 'own'],
    ['plan.settings.network.bytesPerSecond', 'settings.network.bytesPerSecond', 0],
    ['plan.settings', 'settings.more', 1],
    ['plan.entries', 'entries', undefined],
    ['plan.entries', 'entries', Array(MOST_ENTRIES + 1).fill(PLAN.entries[0])],
    ['plan.entries[0].at', 'entries.0.at', null],
    ['plan.entries[1].at', 'entries.0.at', 6],
    ['plan.entries[0]', 'entries.0.laptop', 1],
    ['plan.entries[1]', 'entries.1.fault.laptop', 1],
    ['plan.entries[1]', 'entries.1.fault.machine', 1],
    ['plan.entries[0].kind', 'entries.0.kind', 'other'],
    ['plan.entries[0].operation.do', 'entries.0.operation.do', 'fly'],
    ['plan.entries[0].operation.path', 'entries.0.operation.path', 'a'],
    ['plan.entries[0].operation.path', 'entries.0.operation.path', '/a//b'],
    ['plan.entries[0].operation.bytes', 'entries.0.operation.bytes', 1e9],
    ['plan.entries[0].operation', 'entries.0.operation.to', '/b'],
    ['plan.entries[1].fault.family', 'entries.1.fault.family', 'flood'],
    ['plan.entries[1].fault.lastsMs', 'entries.1.fault.lastsMs', -1],
    ['plan.entries[1].fault.way', 'entries.1.fault.way', ['up']],
  ])('is refused with the place of the fault: %s of %s', (place, path, value) => {
    expect(reasonFor(withValue(path, value)).split(': ')[0]).toBe(place);
  });

  it('may name the server in a fault', () => {
    expect(reasonFor(withValue('entries.1.fault.machine', -1))).toBe('nothing is wrong');
  });

  it.each([
    ['{"plan":', ''],
    ['{\n"plan": {},\n}', 'not JSON: Expected double-quoted property name'],
    ['[]', 'not an object'],
    ['{"plan": 1}', 'plan: '],
    ['{"plan": {}, "digest": "x"}', 'digest: '],
    ['{}', 'seed: '],
  ])('is refused when it is %j', (text, reason) => {
    expect(() => readSavedRun(text)).toThrow(PlanError);
    expect(() => readSavedRun(text)).toThrow(reason);
  });

  it('is read with and without its findings', () => {
    const digest = 'ab'.repeat(32);
    const saved = JSON.stringify({ plan: PLAN, digest, commit: 'c', findings: [] });
    expect(readSavedRun(saved)).toEqual({ plan: PLAN, digest, commit: 'c' });
    expect(readSavedRun(JSON.stringify(PLAN))).toEqual({ plan: PLAN, digest: null, commit: null });
  });
});
