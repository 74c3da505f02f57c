/** Steps that build on each other keep their order; the others go beside each other. */
import { describe, expect, it } from '@jest/globals';
import { MOST_TAKEN_BACK_AT_ONCE } from '../../limits.ts';
import { inTurns, type Ties } from './in-turns.ts';

interface Step extends Ties {
  readonly name: string;
}

const step = (name: string, needs: string[] = [], alone = false): Step => {
  return { name, needs, has: [name], alone };
};

/** Says when each step begins and ends, and lets each last for some turns of the event loop. */
async function told(steps: readonly Step[], fails = ''): Promise<{ log: string[]; most: number }> {
  const log: string[] = [];
  let [running, most] = [0, 0];
  const work = inTurns(
    steps,
    (each) => each,
    async ({ name }) => {
      log.push(`+${name}`);
      running += 1;
      most = Math.max(most, running);
      for (let i = 0; i < 3; i++) await Promise.resolve();
      running -= 1;
      log.push(`-${name}`);
      if (name === fails) throw new Error(name);
    },
  );
  await (fails === '' ? work : expect(work).rejects.toThrow(fails));
  return { log, most };
}

describe('steps', () => {
  it('run beside each other, up to a bound', async () => {
    const many = Array.from({ length: 3 * MOST_TAKEN_BACK_AT_ONCE }, (_, i) => step(String(i)));
    const { log, most } = await told(many);
    expect(most).toBe(MOST_TAKEN_BACK_AT_ONCE);
    expect(log).toHaveLength(2 * many.length);
  });

  it('wait for those that they build on', async () => {
    const { log } = await told([step('d'), step('x', ['d']), step('y', ['d']), step('x', ['d'])]);
    expect(log.slice(0, 4)).toEqual(['+d', '-d', '+x', '+y']);
    expect(log.slice(-2)).toEqual(['+x', '-x']);
  });

  it('wait for one that goes alone, which waits for all before it', async () => {
    const { log } = await told([
      step('a'),
      step('b'),
      step('move', [], true),
      step('c'),
      step('d'),
    ]);
    expect(log.indexOf('+move')).toBe(4);
    expect(log.slice(4, 6)).toEqual(['+move', '-move']);
  });

  it('are not left running when one of them fails', async () => {
    const { log } = await told([step('a'), step('b'), step('c', ['a'])], 'a');
    expect(log).toContain('-b');
    expect(log).not.toContain('+c');
  });
});
