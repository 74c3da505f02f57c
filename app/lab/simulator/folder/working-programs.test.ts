import { describe, expect, it } from '@jest/globals';
import { milliseconds } from '../../../../shared/model/time.ts';
import { World } from '../world.ts';
import type { Program } from './programs/program.ts';
import { WorkingPrograms } from './working-programs.ts';

function* steps(done: string[], name: string, count: number, restMs = 0): Program {
  for (let step = 1; step <= count; step++) {
    done.push(`${name}${step}`);
    yield restMs;
  }
}

function programsIn(world: World): WorkingPrograms {
  const note = (line: string): void => world.note(line);
  const fault = (error: unknown): void => world.fault(error);
  return new WorkingPrograms({ time: world.time, random: world.random, paceMs: 10, note, fault });
}

describe('the programs of a laptop', () => {
  it('take turns, and end', async () => {
    const [world, done, ended] = [new World(1), [] as string[], [] as string[]];
    const programs = programsIn(world);
    for (const name of ['a', 'b']) {
      programs.begin(name, steps(done, name, 4), () => ended.push(name));
    }
    await world.runUntilIdle();
    expect(done.toSorted()).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3', 'b4']);
    expect(done.slice(0, 4)).not.toEqual(['a1', 'a2', 'a3', 'a4']);
    expect([ended.toSorted(), programs.count]).toEqual([['a', 'b'], 0]);
  });

  it('make no step between two calls while they rest', async () => {
    const [world, done] = [new World(1), [] as string[]];
    const programs = programsIn(world);
    programs.begin('a', steps(done, 'a', 3, 1000), () => undefined);
    await world.pass(milliseconds(500));
    programs.comeBetween();
    expect(done).toEqual(['a1']);
    await world.pass(milliseconds(600));
    expect(done).toEqual(['a1', 'a2']);
  });

  it('end with an error of the disk, and with the machine', async () => {
    const [world, done, ended] = [new World(1), [] as string[], [] as string[]];
    const programs = programsIn(world);
    // eslint-disable-next-line require-yield
    const failing = (function* (): Program {
      throw Object.assign(new Error('ENOENT'), { code: 'ENOENT' });
    })();
    programs.begin('a', failing, () => ended.push('a'));
    programs.begin('b', steps(done, 'b', 9, 1000), () => ended.push('b'));
    await world.pass(milliseconds(500));
    expect(ended).toEqual(['a']);
    programs.stop();
    await world.runUntilIdle();
    expect([ended, done]).toEqual([['a', 'b'], ['b1']]);
  });
});
