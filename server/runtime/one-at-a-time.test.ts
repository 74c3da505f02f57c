import { expect, it } from '@jest/globals';
import { OneAtATime } from './one-at-a-time.ts';

it('one piece of work has its turn at a time, in order, whoever asks for more meanwhile', () => {
  const turns: Array<() => void> = [];
  const work = new OneAtATime((then) => void turns.push(then));
  const done: string[] = [];
  const goes = (name: string, more: readonly string[] = []): void =>
    work.goOn(() => {
      done.push(name);
      for (const each of more) goes(each);
    });
  goes('a', ['d']);
  goes('b');
  goes('c', ['e']);
  const after: string[][] = [];
  for (let turn = turns.shift(); turn !== undefined; turn = turns.shift()) {
    expect(turns).toEqual([]);
    turn();
    after.push([...done]);
  }
  expect(after.map((each) => each.join(''))).toEqual(['a', 'ab', 'abc', 'abcd', 'abcde']);
});

it('work that keeps others waiting goes before them, still in a turn of its own', () => {
  const turns: Array<() => void> = [];
  const work = new OneAtATime((then) => void turns.push(then));
  const done: string[] = [];
  work.goOn(() => {
    done.push('a');
    work.goOn(() => void done.push('first'), true);
  });
  work.goOn(() => void done.push('b'));
  const lengths: number[] = [];
  for (let turn = turns.shift(); turn !== undefined; turn = turns.shift()) {
    turn();
    lengths.push(done.length);
  }
  expect(done).toEqual(['a', 'first', 'b']);
  expect(lengths).toEqual([1, 2, 3]);
});

it('one that throws keeps nobody else', () => {
  const turns: Array<() => void> = [];
  const work = new OneAtATime((then) => void turns.push(then));
  const done: string[] = [];
  work.goOn(() => {
    throw new Error('it fails');
  });
  work.goOn(() => void done.push('next'));
  expect(() => turns.shift()?.()).toThrow('it fails');
  turns.shift()?.();
  expect(done).toEqual(['next']);
});
