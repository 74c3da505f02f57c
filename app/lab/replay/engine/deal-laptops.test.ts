import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { dealt, machinesOf } from './deal-laptops.ts';

const on = (...clients: string[]) => clients.map((client) => ({ client }));

describe('the laptops of a replay', () => {
  it('get processes in turn where the trace names no machine', () => {
    expect(dealt(on('', '', '', ''), 3)).toEqual([0, 1, 2, 0]);
    expect(machinesOf(on('', ''))).toBe(0);
  });

  it('get all processes of one machine together', () => {
    const processes = on('ada', 'bob', 'ada', '', 'cleo', 'bob');
    expect(dealt(processes, 8)).toEqual([0, 1, 0, 2, 3, 1]);
    expect(dealt(processes, 2)).toEqual([0, 1, 0, 0, 1, 1]);
    expect(machinesOf(processes)).toBe(3);
  });

  it('are as busy as they can be with whole machines', () => {
    const clients = fc.array(fc.constantFrom('', 'a', 'b', 'c', 'd', 'e'), { maxLength: 30 });
    fc.assert(
      fc.property(clients, fc.integer({ min: 1, max: 6 }), (names, laptops) => {
        const processes = on(...names);
        const given = dealt(processes, laptops);
        const places = new Map<string, Set<number>>();
        for (const [index, name] of names.entries()) {
          const key = name === '' ? `alone ${index}` : name;
          places.set(key, (places.get(key) ?? new Set()).add(given[index] ?? -1));
        }
        expect([...places.values()].every(({ size }) => size === 1)).toBe(true);
        expect(new Set(given).size).toBe(Math.min(places.size, laptops));
      }),
    );
  });
});
