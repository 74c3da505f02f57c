import { describe, expect, it } from '@jest/globals';
import { FAULTS } from '../fault/faults.ts';
import { makePlan } from './make-plan.ts';

const STEPS = 200;
const plans = Array.from({ length: 80 }, (_, i) =>
  makePlan({ seed: i + 1, steps: STEPS, faults: FAULTS }),
);
const laptops = plans.flatMap(({ settings }) => settings.laptops);
const entries = plans.flatMap((plan) => plan.entries);

function kinds(): Set<string> {
  return new Set(entries.map((e) => (e.kind === 'operation' ? e.operation.do : e.fault.family)));
}

describe('the plans of many seeds', () => {
  it('have every kind of operation and most fault families, but no plan has all', () => {
    const met = FAULTS.filter(({ name }) => kinds().has(name));
    expect(met.length).toBeGreaterThan(FAULTS.length / 2);
    const ofPrograms = ['append', 'patch', 'abandon', 'scratch', 'hold', 'exchange', 'remove-tree'];
    for (const kind of [
      ...ofPrograms,
      'cache',
      'bounds',
      'group',
      'sharing',
      'ask',
      'read-through',
      'late-save',
    ])
      expect(kinds()).toContain(kind);
    for (const plan of plans) {
      const own = new Set(plan.entries.map((e) => (e.kind === 'operation' ? e.operation.do : '')));
      expect(own.size).toBeLessThan(29);
    }
  });

  it('have laptops of one and several users, readers, two volumes, late and leaving ones', () => {
    expect(new Set(plans.map(({ settings }) => settings.laptops.length))).toEqual(
      new Set([2, 3, 4]),
    );
    expect(new Set(laptops.map(({ volume }) => volume))).toEqual(new Set([1, 2]));
    expect(new Set(laptops.map(({ rights }) => rights))).toEqual(new Set(['read', 'write']));
    expect(new Set(laptops.map(({ user }) => user)).size).toBe(4);
    expect(laptops.some(({ joinsAtMs }) => joinsAtMs !== undefined)).toBe(true);
    expect(laptops.some(({ leavesAtMs }) => leavesAtMs !== undefined)).toBe(true);
  });

  it('have one set of rights per user and volume, and a first laptop that may write and stays', () => {
    for (const { settings } of plans) {
      const rights = new Map<string, string>();
      for (const laptop of settings.laptops) {
        const key = `${laptop.user} ${laptop.volume}`;
        expect(rights.get(key) ?? laptop.rights).toBe(laptop.rights);
        rights.set(key, laptop.rights);
      }
      expect(settings.laptops[0]).toMatchObject({ user: 'owner', volume: 1, rights: 'write' });
      expect(settings.laptops[0]).not.toHaveProperty('leavesAtMs');
    }
  });

  it('are in order of time with a number for each operation', () => {
    for (const plan of plans) {
      const times = plan.entries.map(({ at }) => at);
      expect(times).toEqual([...times].sort((a, b) => a - b));
      const numbers = plan.entries.flatMap((e) => (e.kind === 'operation' ? [e.number] : []));
      expect(new Set(numbers).size).toBe(numbers.length);
      expect(numbers.length).toBeGreaterThanOrEqual(STEPS);
    }
  });

  it('range from a rush to hours', () => {
    const ends = plans.map((plan) => plan.entries.at(-1)?.at ?? 0);
    expect(Math.min(...ends)).toBeLessThan(STEPS * 40);
    expect(Math.max(...ends)).toBeGreaterThan(STEPS * 1_000);
  });

  it('are the same for the same seed', () => {
    expect(makePlan({ seed: 5, steps: STEPS, faults: FAULTS })).toEqual(plans[4]);
  });
});
